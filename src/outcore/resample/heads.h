/* Heads of the images of outcore resample: of the input before the run, of the output
 * at its end. */
#ifndef OUTCORE_RESAMPLE_HEADS_H
#define OUTCORE_RESAMPLE_HEADS_H

#include "outcore/resample/job.h"

/* Local. An output of that name (NULL: none) is to be a FITS image. */
bool heads_is_fits(const char *path);

/* Local, before there is a phase, once the input's size is known: what it is, which its
 * first bytes say. 0, or -errno with a sentence, as image_parse and fits_parse. */
int heads_read(struct job *j, const char *path);

/* Local, in a phase, the output open. Writes its head, and the zeros at the end of a
 * FITS image; of one that is shared rank 0 does. */
void heads_write(struct job *j);

/* Local. How many bytes all ranks write so. */
int64_t heads_expect(const struct job *j);

#endif
