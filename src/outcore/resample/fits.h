/* Heads of FITS files, as CFITSIO reads them: where pixels are, and what they are. The
 * pixels themselves are read by the run's engine as those of any image. */
#ifndef OUTCORE_RESAMPLE_FITS_H
#define OUTCORE_RESAMPLE_FITS_H

#include "outcore/data/image.h"

/* What a FITS file begins with. */
#define FITS_MAGIC "SIMPLE  ="

/* Local. The first image of a file of so many bytes: of two axes, or more with one
 * plane. 0, or -errno with a sentence: -EINVAL: a wrong head, no image, a compressed
 * one, more bytes than the file has; -ENOTSUP: built without CFITSIO. */
int fits_parse(struct image *m, int64_t file_bytes, const char *path);

#endif
