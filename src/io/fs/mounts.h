/* Finds the mount that holds a path. Included only inside src/io. */
#ifndef IO_FS_MOUNTS_H
#define IO_FS_MOUNTS_H

#include "io/io.h"
#include <stdbool.h>

struct mount {
    char *line;             /* a line of /proc/self/mountinfo; the members below point
                             * into it */
    unsigned major, minor;  /* major 0: no block device, as for tmpfs or btrfs */
    const char *point;      /* mount point */
    const char *options;    /* mount options */
    const char *type;       /* "ext4" */
    const char *source;     /* "/dev/sda1", "server:/export", "none" */
    const char *fs_options; /* options of the file system: "rw,upperdir=/x" */
};

/* Local. Finds the mount that holds `path`, which is absolute and without symbolic
 * links, in ROOT/proc/self/mountinfo ("": the system's; tests use their own). Returns
 * false if it is not known. free(m->line) afterwards, in any case. */
bool mount_of(const char *path, const char *root, struct mount *m);

/* Local. Copies the value of option `name` in fs_options to `value`; false: there
 * is none. */
bool mount_option(const struct mount *m, const char *name, char *value, int size);

/* ---- the walk down from a file system -------------------------------------------- */

/* Local. As io_stack_of, but reads ROOT/proc/self/mountinfo and ROOT/sys. `path` is
 * absolute and without symbolic links. */
void stack_of(const char *path, const char *root, struct io_stack *s);

/* ---- stripes --------------------------------------------------------------------- */

/* ---- Lustre's layout ------------------------------------------------------------- */

/* Lustre's layout of a file, as in its extended attribute. Included only
 * inside src/io. */

/* Local. Reads the layout in the n bytes of lustre.lov or trusted.lov (both
 * little-endian), for a file of `bytes` (0: not known). If components of a composite
 * layout differ, takes the one with most of these bytes or, if the size is not known,
 * the last one; s->about says so. Returns 0, or -EINVAL for an unknown layout. */
int lov_stripes(const unsigned char *b, size_t n, int64_t bytes, struct io_stripes *s);

/* Local. Makes the LOV_BYTES of the attribute lustre.lov that set a new
 * file's stripes. */
enum { LOV_BYTES = 32 };
void lov_make(const struct io_striping *s, unsigned char out[LOV_BYTES]);

/* ---- stripes --------------------------------------------------------------------- */

/* Local, all of them. Return false if the text has no stripes. */
bool stripes_of_lfs(const char *text, struct io_stripes *s);
bool stripes_of_beegfs(const char *text, const char *tool, struct io_stripes *s);
bool stripes_of_gluster(const char *text, struct io_stripes *s);

#endif
