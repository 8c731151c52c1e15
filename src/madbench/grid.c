#include "madbench/grid.h"

#include "base/err.h"
#include "base/units.h"

#include <limits.h>

#define GRID_SEARCH_MAX 100000 /* rank counts to try before giving up on advice */

void grid_shape(int ranks, int *rows, int *cols)
{
    int r = 1;
    while ((int64_t)(r + 1) * (r + 1) <= ranks)
        r++;
    while (ranks % r != 0)
        r--;
    *rows = r;
    *cols = ranks / r;
}

/* The largest block of which each of `across` ranks still gets one: the largest b with
 * (across - 1) * b < npix. */
static int64_t block_max(int64_t npix, int across)
{
    return across == 1 ? npix : (npix - 1) / (across - 1);
}

int64_t grid_block_default(int64_t npix, int ranks)
{
    int rows, cols;
    grid_shape(ranks, &rows, &cols);
    int64_t most = block_max(npix, cols);
    if (most > GRID_BLOCK_DEFAULT)
        return GRID_BLOCK_DEFAULT;
    return most > 0 ? most : 1;
}

/* The largest number of ranks up to `ranks` whose grid has no row or column without a
 * block. One rank always qualifies; more than one per block never do. */
static int ranks_below(int64_t blocks, int ranks)
{
    if (blocks < ranks / blocks)
        ranks = (int)(blocks * blocks);
    for (; ranks > 1; ranks--) {
        int rows, cols;
        grid_shape(ranks, &rows, &cols);
        if (cols <= blocks)
            break;
    }
    return ranks;
}

int grid_check(int64_t npix, int64_t block, int ranks)
{
    if (npix < 1 || npix > GRID_NPIX_MAX)
        return err_usage("the number of pixels must be 1 to %lld, not %lld",
                         (long long)GRID_NPIX_MAX, (long long)npix);
    if (block < 1 || block > INT_MAX)
        return err_usage("the matrix block size must be 1 to %d, not %lld", INT_MAX,
                         (long long)block);
    if (ranks < 1)
        return err_usage("a process grid needs at least 1 rank, not %d", ranks);
    int rows, cols;
    grid_shape(ranks, &rows, &cols);
    int64_t blocks = units_div_up(npix, block);
    if (blocks >= cols)
        return 0;
    int fewer = ranks_below(blocks, ranks);
    int64_t smaller = block_max(npix, cols), more = (cols - 1) * block + 1;
    if (smaller < 1)
        return err_usage("%d ranks form a grid of %d x %d, more columns than the %lld "
                         "pixels: take at least %lld pixel%s, or %d rank%s",
                         ranks, rows, cols, (long long)npix, (long long)more,
                         units_s(more), fewer, units_s(fewer));
    return err_usage(
        "%d ranks form a grid of %d x %d, but %lld pixels in blocks of %lld "
        "are only %lld block%s across: take blocks of at most %lld, at least "
        "%lld pixel%s, or %d rank%s",
        ranks, rows, cols, (long long)npix, (long long)block, (long long)blocks,
        units_s(blocks), (long long)smaller, (long long)more, units_s(more), fewer,
        units_s(fewer));
}

/* The elements of the largest share: rank 0's, as the first block is dealt to it. */
static int64_t share_max(int64_t npix, int64_t block, int ranks)
{
    int rows, cols;
    grid_shape(ranks, &rows, &cols);
    return grid_numroc(npix, block, 0, rows) * grid_numroc(npix, block, 0, cols);
}

/* The smallest number of ranks above `ranks` whose shares fit and whose grid has a
 * block in every row and column; 0 if none is near. */
static int ranks_above(int64_t npix, int64_t block, int ranks)
{
    int64_t blocks = units_div_up(npix, block);
    int64_t first = units_div_up(npix * npix, INT_MAX);
    if (first <= ranks)
        first = (int64_t)ranks + 1;
    for (int64_t r = first; r < first + GRID_SEARCH_MAX && r <= INT_MAX; r++) {
        int rows, cols;
        grid_shape((int)r, &rows, &cols);
        if (cols <= blocks && share_max(npix, block, (int)r) <= INT_MAX)
            return (int)r;
    }
    return 0;
}

int grid_check_scalapack(int64_t npix, int64_t block, int ranks)
{
    int64_t elements = share_max(npix, block, ranks);
    if (elements <= INT_MAX)
        return 0;
    int needed = ranks_above(npix, block, ranks);
    if (needed == 0)
        return err_usage(
            "a rank's share of a matrix of %lld pixel%s is %lld element%s, "
            "more than ScaLAPACK's 32-bit indices hold (%d): take smaller "
            "blocks than %lld and more ranks than %d, or the I/O mode",
            (long long)npix, units_s(npix), (long long)elements, units_s(elements),
            INT_MAX, (long long)block, ranks);
    return err_usage(
        "a rank's share of a matrix of %lld pixel%s is %lld element%s, more "
        "than ScaLAPACK's 32-bit indices hold (%d): take at least %d rank%s "
        "per gang instead of %d, or the I/O mode",
        (long long)npix, units_s(npix), (long long)elements, units_s(elements), INT_MAX,
        needed, units_s(needed), ranks);
}

int grid_init(struct grid *g, int64_t npix, int64_t block, int ranks, int rank)
{
    int rc = grid_check(npix, block, ranks);
    if (rc != 0)
        return rc;
    g->npix = npix;
    g->block = block;
    g->ranks = ranks;
    g->rank = rank;
    grid_shape(ranks, &g->rows, &g->cols);
    g->row = rank / g->cols;
    g->col = rank % g->cols;
    g->local_rows = grid_numroc(npix, block, g->row, g->rows);
    g->local_cols = grid_numroc(npix, block, g->col, g->cols);
    return 0;
}

int64_t grid_numroc(int64_t n, int64_t block, int coord, int procs)
{
    int64_t whole = n / block;
    int64_t mine = whole / procs * block;
    int64_t extra = whole % procs;
    if (coord < extra)
        return mine + block;
    return coord == extra ? mine + n % block : mine;
}

int64_t grid_share_elements(const struct grid *g)
{
    return g->local_rows * g->local_cols;
}

int64_t grid_share_bytes(const struct grid *g)
{
    return grid_share_elements(g) * (int64_t)sizeof(double);
}

int64_t grid_share_bytes_of(const struct grid *g, int rank)
{
    return grid_numroc(g->npix, g->block, rank / g->cols, g->rows) *
           grid_numroc(g->npix, g->block, rank % g->cols, g->cols) *
           (int64_t)sizeof(double);
}

int64_t grid_share_bytes_max(const struct grid *g)
{
    return grid_share_bytes_of(g, 0);
}

/* Coordinates with equal shares: those before the one with the last, incomplete block
 * (a block more), that one, and those behind. */
struct alike {
    int64_t count, elements;
};

static void find_alike(const struct grid *g, int procs, struct alike a[3])
{
    int at = (int)(g->npix / g->block % procs);
    const int first[] = {0, at, at + 1, procs};
    for (int i = 0; i < 3; i++)
        a[i] = (struct alike){first[i + 1] - first[i],
                              grid_numroc(g->npix, g->block, first[i], procs)};
}

int64_t grid_shares_bytes(const struct grid *g, int64_t align)
{
    struct alike rows[3], cols[3];
    int64_t bytes = 0;
    find_alike(g, g->rows, rows);
    find_alike(g, g->cols, cols);
    for (int i = 0; i < 9; i++) {
        const struct alike *r = &rows[i / 3], *c = &cols[i % 3];
        bytes +=
            r->count * c->count *
            units_round_up(r->elements * c->elements * (int64_t)sizeof(double), align);
    }
    return bytes;
}
