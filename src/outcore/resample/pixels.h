/* Converts pixels between their form in files and 32-bit floating-point numbers. No
 * MPI, no files. */
#ifndef OUTCORE_RESAMPLE_PIXELS_H
#define OUTCORE_RESAMPLE_PIXELS_H

#include "outcore/data/image.h"

struct resample_counts {
    int64_t saturated; /* results out of a pixel's range */
    int64_t nans;      /* NaN results; integer pixels are 0 there */
};

/* Local, any thread. Converts n pixels to numbers. */
void pixels_widen(const struct image *m, const void *from, int64_t n, float *to);

/* Local, any thread. Converts n numbers to pixels; adds to the counts. Of FITS images
 * only those of image_to_fits. */
void pixels_put(const struct image *m, const float *from, int64_t n, void *to,
                struct resample_counts *counts);

/* Local, any thread. Converts a pixel to a number, as pixels_widen does. */
double resample_pixel(const struct image *of, const void *at);

#endif
