/* Heads of the images of outcore resample: the input's before the run, the output's at
 * its end. */
#ifndef OUTCORE_RESAMPLE_HEADS_H
#define OUTCORE_RESAMPLE_HEADS_H

#include "outcore/data/image.h"
#include "outcore/resample/job.h"

/* ---- FITS ------------------------------------------------------------------------ */

/* The first bytes of a FITS file. */
#define FITS_MAGIC "SIMPLE  ="

/* Local. Finds the first image in a file of file_bytes: of two axes, or more with one
 * plane. Returns 0, or -errno with a sentence: -EINVAL: a wrong head, no image, a
 * compressed one, more bytes than the file has; -ENOTSUP: built without CFITSIO. */
int fits_parse(struct image *m, int64_t file_bytes, const char *path);

/* ---- heads ----------------------------------------------------------------------- */

/* Local, before the first phase, once the input's size is known: reads its first bytes.
 * Returns 0, or -errno with a sentence, as image_parse and fits_parse. */
int heads_read(struct job *j, const char *path);

/* Local, in a phase, with the output open. Writes its head, and the zeros at the end of
 * a FITS image; for a shared one on rank 0. */
void heads_write(struct job *j);

/* Local. The bytes that all ranks write so. */
int64_t heads_expect(const struct job *j);

#endif
