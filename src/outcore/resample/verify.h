/* The answer, read back: pixels of the output that was written against those that
 * 64-bit numbers give of the input. All pixels of a small band; else corners, edges,
 * both sides of seams of tiles, and others. */
#ifndef OUTCORE_RESAMPLE_VERIFY_H
#define OUTCORE_RESAMPLE_VERIFY_H

#include "outcore/resample/job.h"

/* Pixels of a band of which all are looked at, and how many are of a larger one. */
enum { VERIFY_ALL = 1 << 14, VERIFY_POINTS = 256 };

/* How much of the largest value that a pixel can have an error may be. */
#define VERIFY_TOLERANCE 1e-6

/* Local. Memory that it takes. */
int64_t verify_memory(const struct job *j);

/* Local, in a phase, once the output is complete and closed. A wrong pixel is a failure
 * of the run, with a sentence that names it. Returns how many bytes it has asked for;
 * *pixels: how many were looked at. */
int64_t verify_band(struct job *j, int64_t *pixels);

#endif
