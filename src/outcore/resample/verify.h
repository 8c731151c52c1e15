/* Verifies the output: compares its pixels with those computed from the input in 64-bit
 * numbers. All pixels of a small band; else corners, edges, both sides of seams of
 * tiles, and others. */
#ifndef OUTCORE_RESAMPLE_VERIFY_H
#define OUTCORE_RESAMPLE_VERIFY_H

#include "outcore/resample/job.h"

/* Most pixels of a band that are all checked, and the number checked in a
 * larger one. */
enum { VERIFY_ALL = 1 << 14, VERIFY_POINTS = 256 };

/* The error allowed, as a share of the largest value of a pixel. */
#define VERIFY_TOLERANCE 1e-6

/* Local. The bytes of memory that it takes. */
int64_t verify_memory(const struct job *j);

/* Local, in a phase, once the output is complete and closed. A wrong pixel is a failure
 * of the run, with a sentence that names it. Returns the bytes that it has requested;
 * *pixels: number checked. */
int64_t verify_band(struct job *j, int64_t *pixels);

#endif
