/* Which mount holds a path. Included only inside src/io. */
#ifndef IO_FS_MOUNTS_H
#define IO_FS_MOUNTS_H

#include <stdbool.h>

struct mount {
    char *line;             /* of /proc/self/mountinfo; the rest points into it */
    unsigned major, minor;  /* major 0: no block device, as of tmpfs or btrfs */
    const char *point;      /* where it is mounted */
    const char *options;    /* of the mount */
    const char *type;       /* "ext4" */
    const char *source;     /* "/dev/sda1", "server:/export", "none" */
    const char *fs_options; /* of the file system: "rw,upperdir=/x" */
};

/* Local. The mount that holds `path`, absolute and without symbolic links, by
 * ROOT/proc/self/mountinfo ("": the system's; tests have files of their own). False:
 * not known. free(m->line) afterwards, in any case. */
bool mount_of(const char *path, const char *root, struct mount *m);

/* Local. The value of option `name` among fs_options, into `value`; false: there is
 * none. */
bool mount_option(const struct mount *m, const char *name, char *value, int size);

#endif
