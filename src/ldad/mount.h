/* What ldad mount is asked for, and who does it: mount_fuse.c, or mount_absent.c where
 * there is no libfuse. */
#ifndef LDAD_MOUNT_H
#define LDAD_MOUNT_H

#include <stdbool.h>

struct mount {
    const char *source; /* absolute: a folder, or one container */
    const char *only;   /* NULL; or the container's name: all there is to see */
    const char *point;  /* absolute */
    bool foreground, others;
};

/* Local. Serves until it is unmounted; not in the foreground: until it is mounted, by
 * the process that was started. 0 or -errno with a sentence. */
int mount_serve(const struct mount *m);

#endif
