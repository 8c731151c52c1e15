/* The request of ldad mount. mount_fuse.c serves it, or mount_absent.c if there is no
 * libfuse. */
#ifndef LDAD_MOUNT_H
#define LDAD_MOUNT_H

#include <stdbool.h>

struct mount {
    const char *source; /* absolute path of a folder, or of one container */
    /* the name of the container if nothing else is shown, else NULL */
    const char *only;
    const char *point; /* absolute */
    bool foreground, others;
};

/* Local. Serves until it is unmounted; if not in the foreground, returns when it is
 * mounted, in the process that was started. Returns 0 or -errno with a sentence. */
int mount_serve(const struct mount *m);

#endif
