#include "madbench/pixels.h"

#include "base/buf.h"

#include <math.h>
#include <stdlib.h>

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
