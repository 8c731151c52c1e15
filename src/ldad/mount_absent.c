/* Replaces mount_fuse.c if there is no libfuse. */
#include "base/err.h"
#include "ldad/mount.h"

int mount_serve(const struct mount *m)
{
    (void)m;
    return err_usage("this program was built without libfuse 3 and mounts nothing: "
                     "take ldad cat or ldad flatten");
}
