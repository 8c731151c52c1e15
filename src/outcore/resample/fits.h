/* Reads heads of FITS files by CFITSIO: place and kind of the pixels, which the run's
 * engine reads as those of any image. */
#ifndef OUTCORE_RESAMPLE_FITS_H
#define OUTCORE_RESAMPLE_FITS_H

#include "outcore/data/image.h"

/* The first bytes of a FITS file. */
#define FITS_MAGIC "SIMPLE  ="

/* Local. Finds the first image in a file of file_bytes: of two axes, or more with one
 * plane. Returns 0, or -errno with a sentence: -EINVAL: a wrong head, no image, a
 * compressed one, more bytes than the file has; -ENOTSUP: built without CFITSIO. */
int fits_parse(struct image *m, int64_t file_bytes, const char *path);

#endif
