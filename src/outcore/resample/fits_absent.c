/* Replaces fits.c if there is no CFITSIO. */
#include "base/err.h"
#include "outcore/resample/fits.h"
#include <errno.h>

int fits_parse(struct image *m, int64_t file_bytes, const char *path)
{
    (void)m;
    (void)file_bytes;
    return err_set(-ENOTSUP, path, 0,
                   "this is a FITS image, and this program was built without CFITSIO: "
                   "give it a raw one (.llimg)");
}
