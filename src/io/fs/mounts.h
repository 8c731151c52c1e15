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

#endif
