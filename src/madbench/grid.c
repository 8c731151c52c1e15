#include "madbench/grid.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static int64_t grid_numroc(int64_t n, int64_t block, int coord, int procs);

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

/* Local. The number of n things, dealt in blocks over `procs` from 0 on, that `coord`
 * gets (ScaLAPACK's NUMROC with source 0). */
static int64_t grid_numroc(int64_t n, int64_t block, int coord, int procs)
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

/* ---- pixels ---------------------------------------------------------------------- */

#define PIXELS_BIN_MULTIPOLES 10

#define PI 3.14159265358979323846
/* Rows computed at a time: a segment of five arrays stays in the first cache levels. */
#define SEGMENT 512

/* Sets the state as srand48(0) does: the seed above 0x330e. */
static void sky_seed(unsigned short state[3])
{
    state[0] = 0x330e;
    state[1] = state[2] = 0;
}

static void unit_vector(double ra, double dec, double *x, double *y, double *z)
{
    *x = cos(dec) * cos(ra);
    *y = cos(dec) * sin(ra);
    *z = sin(dec);
}

/* Draws the whole sequence on every rank, npix pairs, and keeps what the rank needs. */
static void sky_draw(struct pixels *px, const struct grid *g)
{
    unsigned short state[3];
    sky_seed(state);
    for (int64_t p = 0; p < g->npix; p++) {
        double ra = 2.0 * PI * erand48(state);
        double dec = PI * (erand48(state) - 0.5);
        int64_t i = grid_local_row(g, p), j = grid_local_col(g, p);
        if (grid_owner_row(g, p) == g->row)
            unit_vector(ra, dec, &px->row_x[i], &px->row_y[i], &px->row_z[i]);
        if (grid_owner_col(g, p) == g->col)
            unit_vector(ra, dec, &px->col_x[j], &px->col_y[j], &px->col_z[j]);
    }
}

int pixels_open(struct pixels **out, const struct grid *g)
{
    void *memory;
    int64_t doubles = 3 * (g->local_rows + g->local_cols);
    int64_t head = (int64_t)sizeof(struct pixels);
    *out = NULL;
    int rc = buf_alloc(&memory, head + doubles * (int64_t)sizeof(double),
                       "the pixels' positions");
    if (rc != 0)
        return rc;
    struct pixels *px = memory;
    px->rows = g->local_rows;
    px->cols = g->local_cols;
    px->row_x = (double *)(px + 1);
    px->row_y = px->row_x + px->rows;
    px->row_z = px->row_y + px->rows;
    px->col_x = px->row_z + px->rows;
    px->col_y = px->col_x + px->cols;
    px->col_z = px->col_y + px->cols;
    sky_draw(px, g);
    *out = px;
    return 0;
}

void pixels_close(struct pixels **px)
{
    buf_free(*px);
    *px = NULL;
}

/* The factors of the recurrence in a bin, the same for every element. */
struct steps {
    double keep[PIXELS_BIN_MULTIPOLES];   /* 1 - 1/l */
    double weight[PIXELS_BIN_MULTIPOLES]; /* (2l + 1) / (4 pi) */
};

/* A run of rows of one column: all arrays begin at its first row. */
struct segment {
    int64_t n;
    const double *x, *y, *z;    /* unit vectors of the rows */
    double col_x, col_y, col_z; /* unit vector of the column */
    double *previous, *current, *dsdc;
};

/* Computes a bin. With t = x P_{l-1} and u = t - P_{l-2} the recurrence is P_l = t + u
 * (1 - 1/l): four operations and no division per multipole, fused multiply-adds most of
 * them. The loop over multipoles has constant length, so that it unrolls inside the
 * vectorised loop over rows and everything stays in registers. */
static inline __attribute__((always_inline)) void bin_body(const struct segment *s,
                                                           const struct steps *st)
{
    const double *restrict x = s->x, *restrict y = s->y, *restrict z = s->z;
    double *restrict previous = s->previous, *restrict current = s->current;
    double *restrict dsdc = s->dsdc;
    double cx = s->col_x, cy = s->col_y, cz = s->col_z;
#pragma omp simd
    for (int64_t i = 0; i < s->n; i++) {
        double cosine = x[i] * cx + y[i] * cy + z[i] * cz;
        double older = previous[i], newer = current[i], sum = 0.0;
#pragma GCC unroll 10
        for (int k = 0; k < PIXELS_BIN_MULTIPOLES; k++) {
            double t = cosine * newer;
            double next = t + (t - older) * st->keep[k];
            older = newer;
            newer = next;
            sum += st->weight[k] * next;
        }
        previous[i] = older;
        current[i] = newer;
        dsdc[i] = sum;
    }
}

static void bin_baseline(const struct segment *s, const struct steps *st)
{
    bin_body(s, st);
}

/* The same body compiled for several instruction sets, and chosen once at run time. Not
 * target_clones: that needs a compiler *and* a C library with indirect functions, and
 * has another meaning in clang. */
#if defined(__x86_64__) && defined(__GNUC__)
#define LEGENDRE_X86 1
__attribute__((target("avx2"))) static void bin_avx2(const struct segment *s,
                                                     const struct steps *st)
{
    bin_body(s, st);
}

__attribute__((target("avx512f"))) static void bin_avx512(const struct segment *s,
                                                          const struct steps *st)
{
    bin_body(s, st);
}
#endif

struct kernel {
    void (*run)(const struct segment *s, const struct steps *st);
    const char *isa;
};

static const struct kernel *kernel_choose(void)
{
    static const struct kernel baseline = {bin_baseline, "baseline"};
#ifdef LEGENDRE_X86
    static const struct kernel avx2 = {bin_avx2, "avx2"};
    static const struct kernel avx512 = {bin_avx512, "avx512f"};
    if (__builtin_cpu_supports("avx512f"))
        return &avx512;
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &baseline;
}

const char *legendre_isa(void)
{
    return kernel_choose()->isa;
}

static struct steps steps_of(int bin)
{
    struct steps st;
    for (int k = 0; k < PIXELS_BIN_MULTIPOLES; k++) {
        double l = 1.0 + (double)PIXELS_BIN_MULTIPOLES * bin + k;
        st.keep[k] = 1.0 - 1.0 / l;
        st.weight[k] = (2.0 * l + 1.0) / (4.0 * PI);
    }
    return st;
}

/* Starts the recurrence: P_{-1} = 0 and P_0 = 1 give P_1 = x exactly, as (1 - 1/l) is
 * zero at l = 1. */
static void segment_start(struct segment *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->previous[i] = 0.0;
        s->current[i] = 1.0;
    }
}

/* Adds to the sum here, not in a pass of its own: dsdc is still in the cache. */
static void segment_sum(const struct segment *s, double *sum, int bin)
{
    for (int64_t i = 0; i < s->n; i++)
        sum[i] = (bin == 0 ? 0.0 : sum[i]) + s->dsdc[i];
}

static struct segment segment_of(const struct pixels *px, int64_t i, int64_t j,
                                 double *previous, double *current, double *dsdc)
{
    int64_t at = i + j * px->rows;
    int64_t left = px->rows - i;
    return (struct segment){
        .n = left < SEGMENT ? left : SEGMENT,
        .x = px->row_x + i,
        .y = px->row_y + i,
        .z = px->row_z + i,
        .col_x = px->col_x[j],
        .col_y = px->col_y[j],
        .col_z = px->col_z[j],
        .previous = previous + at,
        .current = current + at,
        .dsdc = dsdc + at,
    };
}

void legendre_bin(const struct pixels *px, int bin, double *previous, double *current,
                  double *dsdc, double *sum, struct tick *t)
{
    const struct kernel *kernel = kernel_choose();
    struct steps st = steps_of(bin);
    for (int64_t j = 0; j < px->cols; j++) {
        for (int64_t i = 0; i < px->rows; i += SEGMENT) {
            struct segment s = segment_of(px, i, j, previous, current, dsdc);
            if (bin == 0)
                segment_start(&s);
            kernel->run(&s, &st);
            if (sum != NULL)
                segment_sum(&s, sum + i + j * px->rows, bin);
            tick_poll(t);
        }
    }
}
