/* The distribution of matrices: pixel-pixel matrices of npix x npix doubles, in square
 * blocks over a rows x cols grid of ranks, the two-dimensional block-cyclic
 * distribution of ScaLAPACK (Users' Guide, section 4.3) with its first block on rank 0.
 * Rank = row * cols + col. A rank's share is one column-major local array of local_rows
 * x local_cols doubles without padding.
 *
 * Pure arithmetic: no MPI, no memory, 64-bit throughout. */
#ifndef MADBENCH_GRID_H
#define MADBENCH_GRID_H

#include "madbench/busy.h"
#include <stdint.h>

#define GRID_NPIX_MAX INT64_C(1000000000) /* 8 * npix^2 bytes still fit int64_t */
#define GRID_BLOCK_DEFAULT 64

struct grid {
    int64_t npix;                   /* order of the matrix */
    int64_t block;                  /* side of a block, in elements */
    int ranks, rows, cols;          /* rows * cols == ranks, rows <= cols */
    int rank, row, col;             /* ours */
    int64_t local_rows, local_cols; /* our share's shape */
};

/* Local. The most nearly square grid of exactly `ranks` (>= 1) ranks: rows <= cols,
 * rows * cols == ranks. A prime number of ranks gives one row. */
void grid_shape(int ranks, int *rows, int *cols);

/* Local. The default block size: 64, or less, so that grid_check accepts it; 1 if npix
 * is too small for any. */
int64_t grid_block_default(int64_t npix, int ranks);

/* Local. Checks that every row and column of the grid of `ranks` owns at least one
 * block: ceil(npix / block) >= max(rows, cols). Returns 0, or -EINVAL with a sentence
 * that names the nearest valid values. */
int grid_check(int64_t npix, int64_t block, int ranks);

/* Local. Checks that ScaLAPACK, whose local indices are 32-bit, can hold the shares:
 * for full mode only. Returns 0, or -EINVAL with a sentence that names the necessary
 * ranks per gang. */
int grid_check_scalapack(int64_t npix, int64_t block, int ranks);

/* Local. Fills `g` for rank `rank` of `ranks`. Returns the result of grid_check. */
int grid_init(struct grid *g, int64_t npix, int64_t block, int ranks, int rank);

/* Local. The size of our share, of any rank's share, and of the largest share, which is
 * rank 0's. In doubles, and in bytes. */
int64_t grid_share_elements(const struct grid *g);
int64_t grid_share_bytes(const struct grid *g);
int64_t grid_share_bytes_of(const struct grid *g, int rank);
int64_t grid_share_bytes_max(const struct grid *g);

/* Local. The sum of all ranks' shares, each rounded up to a multiple of `align` bytes;
 * its time does not depend on the number of ranks. */
int64_t grid_shares_bytes(const struct grid *g, int64_t align);

/* Local. The global index of a local one, 0 <= i < local_rows, 0 <= j < local_cols. */
static inline int64_t grid_global_row(const struct grid *g, int64_t i)
{
    return (i / g->block * g->rows + g->row) * g->block + i % g->block;
}
static inline int64_t grid_global_col(const struct grid *g, int64_t j)
{
    return (j / g->block * g->cols + g->col) * g->block + j % g->block;
}

/* Local. The index within the owner's share of the global row p or column q. */
static inline int64_t grid_local_row(const struct grid *g, int64_t p)
{
    return p / g->block / g->rows * g->block + p % g->block;
}
static inline int64_t grid_local_col(const struct grid *g, int64_t q)
{
    return q / g->block / g->cols * g->block + q % g->block;
}

/* Local. The grid row that owns global row p, the grid column that owns global
 * column q. */
static inline int grid_owner_row(const struct grid *g, int64_t p)
{
    return (int)(p / g->block % g->rows);
}
static inline int grid_owner_col(const struct grid *g, int64_t q)
{
    return (int)(q / g->block % g->cols);
}

/* Local. The rank that owns element (p, q). */
static inline int grid_owner(const struct grid *g, int64_t p, int64_t q)
{
    return grid_owner_row(g, p) * g->cols + grid_owner_col(g, q);
}

/* ---- pixels ---------------------------------------------------------------------- */

/* The sky and its signal: pixel positions, and the derivative of the signal
 * covariance with respect to the power in one bin of multipoles,
 *
 *   dSdC_b(p, q) = 1/(4 pi) * sum over l = 1 + 10 b .. 10 + 10 b of (2 l + 1) P_l(x),
 *
 * x the cosine of the angle between pixels p and q (MADbench2, slide 7: "recursively
 * build sequence of Legendre polynomial based CMB signal pixel-pixel correlation
 * component matrices"). */

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
