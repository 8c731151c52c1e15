/* The sky and its signal: pixel positions, and the derivative of the signal
 * covariance with respect to the power in one bin of multipoles,
 *
 *   dSdC_b(p, q) = 1/(4 pi) * sum over l = 1 + 10 b .. 10 + 10 b of (2 l + 1) P_l(x),
 *
 * x the cosine of the angle between pixels p and q (MADbench2, slide 7: "recursively
 * build sequence of Legendre polynomial based CMB signal pixel-pixel correlation
 * component matrices"). */
#ifndef MADBENCH_PIXELS_H
#define MADBENCH_PIXELS_H

#include "madbench/grid.h"
#include "madbench/tick.h"

#define PIXELS_BIN_MULTIPOLES 10

/* The unit vectors of the pixels that this rank's share needs: those of its rows and of
 * its columns, each coordinate contiguous in local order. Computed once, so that the
 * inner loop needs no sine or cosine. */
struct pixels {
    int64_t rows, cols;            /* of the share */
    double *row_x, *row_y, *row_z; /* rows doubles each */
    double *col_x, *col_y, *col_z; /* cols doubles each */
};

/* Local. Makes the pixels of the grid's npix that this rank needs; pixels_close frees
 * *px, and sets it to NULL. The positions are the same in every run, on every rank
 * count: drand48's generator from seed 0 (srand48(0)), with a private state, for each
 * pixel in order right ascension 2 pi u, then declination pi (u - 1/2). 24 bytes per
 * local row and column. Returns 0, or -ENOMEM with a sentence. */
int pixels_open(struct pixels **px, const struct grid *g);
void pixels_close(struct pixels **px);

/* Local. Computes one bin's dSdC on this rank's share, rows x cols, column-major,
 * leading dimension rows. `previous` and `current` (same shape) carry P_{l-1} and P_l
 * from bin to bin; bin 0 initializes them, bin b needs them as bin b - 1 left them.
 * dSdC is added to `sum` (same shape, or NULL), which bin 0 sets: the signal matrix S
 * after the last bin. `t` (or NULL) is called every few ms.
 *
 * Stable recurrence P_l = 2x P_{l-1} - P_{l-2} - (x P_{l-1} - P_{l-2})/l from P_0 = 1.
 * All multipoles of a bin are computed in registers: one pass over memory per bin. The
 * same bits on every processor, as nothing is fused (local.mk). */
void legendre_bin(const struct pixels *px, int bin, double *previous, double *current,
                  double *dsdc, double *sum, struct tick *t);

/* Local. The instruction set that legendre_bin chose on this processor: "avx512f",
 * "avx2" or "baseline". For the report. */
const char *legendre_isa(void);

#endif
