/* Pixels as they are in files, from and to 32-bit floating-point numbers. No MPI, no
 * files. */
#ifndef OUTCORE_RESAMPLE_PIXELS_H
#define OUTCORE_RESAMPLE_PIXELS_H

#include "outcore/data/image.h"

struct resample_counts {
    int64_t saturated; /* results below or above what a pixel can hold */
    int64_t nans;      /* of results; integer pixels are 0 there */
};

/* Local, any thread. n pixels as numbers. */
void pixels_widen(const struct image *m, const void *from, int64_t n, float *to);

/* Local, any thread. n numbers as pixels; adds to what is counted. Of FITS images only
 * what image_to_fits makes of them. */
void pixels_put(const struct image *m, const float *from, int64_t n, void *to,
                struct resample_counts *counts);

/* Local, any thread. A pixel as a number, the same as pixels_widen. */
double resample_pixel(const struct image *of, const void *at);

#endif
