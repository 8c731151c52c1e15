/* Who owns which part of a matrix: pixel-pixel matrices of npix x npix doubles,
 * dealt out in square blocks over a rows x cols grid of ranks, the two-dimensional
 * block-cyclic distribution of ScaLAPACK (Users' Guide, section 4.3) with its first
 * block on rank 0. Rank = row * cols + col. A rank's share is one column-major local
 * array of local_rows x local_cols doubles without padding.
 *
 * Pure arithmetic: no MPI, no memory, 64-bit throughout. */
#ifndef MADBENCH_GRID_H
#define MADBENCH_GRID_H

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

/* Local. The block size to take where the user gave none: 64, or less, so that
 * grid_check accepts it; 1 where npix is too small for any. */
int64_t grid_block_default(int64_t npix, int ranks);

/* Local. Whether every row and column of the grid of `ranks` owns at least one
 * block: ceil(npix / block) >= max(rows, cols). Returns 0 or -EINVAL with a sentence
 * that names the nearest values that would do. */
int grid_check(int64_t npix, int64_t block, int ranks);

/* Local. Whether ScaLAPACK, whose local indices are 32-bit, can hold the shares: for
 * the full mode only. Returns 0 or -EINVAL with a sentence that names the number of
 * ranks per gang needed. */
int grid_check_scalapack(int64_t npix, int64_t block, int ranks);

/* Local. Fills `g` as rank `rank` of `ranks` sees it. Returns what grid_check does. */
int grid_init(struct grid *g, int64_t npix, int64_t block, int ranks, int rank);

/* Local. How many of n things, dealt in blocks over `procs` from 0 on, go to `coord`
 * (ScaLAPACK's NUMROC with source 0). */
int64_t grid_numroc(int64_t n, int64_t block, int coord, int procs);

/* Local. Our share, any rank's share, and the largest of all ranks' shares, which is
 * the one of rank 0. In doubles, and in bytes. */
int64_t grid_share_elements(const struct grid *g);
int64_t grid_share_bytes(const struct grid *g);
int64_t grid_share_bytes_of(const struct grid *g, int rank);
int64_t grid_share_bytes_max(const struct grid *g);

/* Local. All ranks' shares together, each rounded up to a multiple of `align` bytes; as
 * quick for any number of ranks. */
int64_t grid_shares_bytes(const struct grid *g, int64_t align);

/* Local. Global index of a local one, 0 <= i < local_rows, 0 <= j < local_cols. */
static inline int64_t grid_global_row(const struct grid *g, int64_t i)
{
    return (i / g->block * g->rows + g->row) * g->block + i % g->block;
}
static inline int64_t grid_global_col(const struct grid *g, int64_t j)
{
    return (j / g->block * g->cols + g->col) * g->block + j % g->block;
}

/* Local. Index within the owner's share of the global row p or column q. */
static inline int64_t grid_local_row(const struct grid *g, int64_t p)
{
    return p / g->block / g->rows * g->block + p % g->block;
}
static inline int64_t grid_local_col(const struct grid *g, int64_t q)
{
    return q / g->block / g->cols * g->block + q % g->block;
}

/* Local. Grid row that owns global row p, grid column that owns global column q. */
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

#endif
