/* Computes tiles of the output from rows of the input in memory: first along rows, then
 * along columns, in 32-bit floating-point numbers; or both together, with taps x taps
 * products for each pixel, as in the study (2007, section 5.2.1). No MPI, no files. */
#ifndef OUTCORE_RESAMPLE_KERNEL_H
#define OUTCORE_RESAMPLE_KERNEL_H

#include "outcore/data/image.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- pixels ---------------------------------------------------------------------- */

/* Converts pixels between their form in files and 32-bit floating-point numbers. No
 * MPI, no files. */

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

/* ---- bands ----------------------------------------------------------------------- */

/* The bytes that the I/O methods of outcore resample move: strips are full rows of the
 * output, as many as a tile has; a rank has a band of consecutive strips; tiles divide
 * a strip. After the study of storage-intensive computing (2007, section 5.2.2). No
 * MPI, no files. */

struct bands {
    struct resample_how how;
    int64_t tile;  /* rows and columns of a tile of the output */
    bool reads;    /* the input is read */
    bool keeps;    /* rows of the previous strip are kept if they are needed again */
    bool by_tiles; /* a transfer for each row of a tile; else for each strip */
    bool whole;    /* one transfer for all strips of the band */
};

struct bands_count {
    int64_t reads, read_bytes, writes, write_bytes;
};

/* Local. The number of strips of the image, and the output rows .from to .to of
 * number i. */
int64_t bands_strips(const struct bands *b);
struct weights_span bands_strip(const struct bands *b, int64_t i);

/* Local. The output rows of the band of part p of `parts`; none if .from == .to. */
struct weights_span bands_part(const struct bands *b, int64_t p, int64_t parts);

/* Local. The output columns of tile j of a strip, which has bands_columns tiles. */
int64_t bands_columns(const struct bands *b);
struct weights_span bands_column(const struct bands *b, int64_t j);

/* Local. The bytes of a row of output columns X in the file: at the end of the image's
 * row including its padding. */
int64_t bands_out_row(const struct bands *b, struct weights_span X);

/* Local. The rows of output that are transferred together, from row Y of a band that
 * ends at row `end`. */
int64_t bands_step(const struct bands *b, int64_t Y, int64_t end);

/* Local. The input rows to be read for output rows Y .. end - 1, if rows before `there`
 * are in memory already; none if .from == .to. */
struct weights_span bands_fresh(const struct bands *b, int64_t Y, int64_t end,
                                int64_t there);

/* Local. The transfers of the band of part p of `parts`. */
struct bands_count bands_expect(const struct bands *b, int64_t p, int64_t parts);

/* Local. The most input and output rows (.from, .to) in memory for a transfer of any of
 * the parts' bands. */
struct weights_span bands_most(const struct bands *b, int64_t parts);

/* Local. The most input columns of a tile. */
int64_t bands_most_columns(const struct bands *b);

#endif
