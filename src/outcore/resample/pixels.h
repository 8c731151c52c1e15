/* Converts pixels between their form in files and 32-bit floating-point numbers. No
 * MPI, no files. */
#ifndef OUTCORE_RESAMPLE_PIXELS_H
#define OUTCORE_RESAMPLE_PIXELS_H

#include "outcore/data/image.h"
#include <stdbool.h>
#include <stdint.h>

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

/* ---- weights --------------------------------------------------------------------- */

/* The input pixels of an output pixel along one axis, and their weights; after the
 * study of storage-intensive computing (2007, section 5.2.1, equation 5.1). Output
 * pixel X of scale s is at (X + 1/2) / s - 1/2 + shift. No MPI, no files. */

enum { WEIGHTS_TAPS = 8, WEIGHTS_SCALE = 4 };

enum weights_edge { EDGE_RENORM, EDGE_CLAMP, EDGE_ZERO };

struct weights_axis {
    int64_t n; /* input pixels; output pixels are s times as many */
    int s;     /* 1, 2 or 4 */
    int k;     /* Lanczos' parameter: 2, 3 or 4, with 2 k taps; 0: the nearest pixel */
    double shift;
    bool normalize;
    enum weights_edge edge;
    /* Set by weights_prepare: the taps of output pixels q s + p begin at q
     * + first[p]. */
    int taps;
    int64_t first[WEIGHTS_SCALE];
    double w[WEIGHTS_SCALE][WEIGHTS_TAPS];
};

/* The taps of an output pixel that are within the image; n 0: there are none, and it
 * is 0. */
struct weights_of {
    int64_t first;
    int n;
    double w[WEIGHTS_TAPS];
};

struct weights_span {
    int64_t from, to;
};

/* Local. Sets the members for the other calls, once the members before are set. */
void weights_prepare(struct weights_axis *a);

/* Local. The taps of output pixel X. */
struct weights_of weights_of(const struct weights_axis *a, int64_t X);

/* Local. The output pixels with all their taps within the image: from .from to .to. */
struct weights_span weights_inside(const struct weights_axis *a);

/* Local. The input pixels that output pixels first .. end - 1 need, at least one: the
 * nearest if they all lie outside of the image. */
struct weights_span weights_need(const struct weights_axis *a, int64_t first,
                                 int64_t end);

/* A pixel of the input at (x, y), both within the image. */
typedef double weights_pixel(const void *context, int64_t x, int64_t y);

/* Local. Output pixel (X, Y) in 64-bit numbers, from the definitions alone, without the
 * tables above. */
double weights_reference(const struct weights_axis *x, const struct weights_axis *y,
                         int64_t X, int64_t Y, weights_pixel *pixel,
                         const void *context);

#endif
