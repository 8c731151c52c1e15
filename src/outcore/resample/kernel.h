/* Computes tiles of the output from rows of the input in memory: first along rows, then
 * along columns, in 32-bit floating-point numbers; or both together, with taps x taps
 * products for each pixel, as in the study (2007, section 5.2.1). No MPI, no files. */
#ifndef OUTCORE_RESAMPLE_KERNEL_H
#define OUTCORE_RESAMPLE_KERNEL_H

#include "outcore/resample/pixels.h"
#include "outcore/resample/weights.h"

struct resample_how {
    struct weights_axis x, y; /* prepared */
    struct image in, out;     /* their kinds of pixels */
    bool flat;                /* both axes together */
};

struct resample_tile {
    const void *in; /* input pixel (x0, y0), the first one needed */
    int64_t x0, y0;
    int64_t in_stride; /* bytes from row to row */
    void *out;         /* output pixel (X0, Y0) */
    int64_t out_stride;
    int64_t X0, X1, Y0, Y1; /* output pixels X0 .. X1 - 1 of rows Y0 .. Y1 - 1 */
};

/* Local. The bytes of room for tiles of at most width x height output pixels. */
int64_t resample_room(const struct resample_how *k, int64_t width, int64_t height);

/* Local, any thread. Computes a tile, and adds to the counts. room: of resample_room
 * bytes, aligned to 64. */
void resample_tile(const struct resample_how *k, const struct resample_tile *t,
                   void *room, struct resample_counts *counts);

#endif
