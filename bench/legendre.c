/* How much processor time the vectorised Legendre build saves over a straightforward
 * loop that takes sines and cosines per element. Serial, a measurement, not a test.
 *
 *     bench/legendre [PIXELS [BINS [ROUNDS]]]
 *
 * A round runs A (straightforward), B (vectorised) and A again, in turn, so that a
 * machine which slows down slows all of them down; each round gives one ratio A/B and
 * one A/A. The verdict is the median of A/B, unless the spread of A/A is wider than
 * the margin by which the median beats the claim (twice as fast). */
#include "base/buf.h"
#include "base/clock.h"
#include "madbench/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define CLAIM 2.0
#define ROUNDS_MAX 1000

struct arrays {
    struct grid grid;
    struct pixels *px;
    double *ra, *dec;                  /* of all pixels */
    double *previous, *current, *dsdc; /* one share */
    double *kept;                      /* A's last bin, to hold B's against */
};

/* A. What comes to mind first: the angle between two pixels from their coordinates,
 * then the recurrence with its division. */
static void straight_bin(struct arrays *a, int bin)
{
    const struct grid *g = &a->grid;
    for (int64_t j = 0; j < g->local_cols; j++) {
        int64_t q = grid_global_col(g, j);
        for (int64_t i = 0; i < g->local_rows; i++) {
            int64_t p = grid_global_row(g, i), at = i + j * g->local_rows;
            double x = cos(a->dec[p]) * cos(a->ra[p]) * cos(a->dec[q]) * cos(a->ra[q]) +
                       cos(a->dec[p]) * sin(a->ra[p]) * cos(a->dec[q]) * sin(a->ra[q]) +
                       sin(a->dec[p]) * sin(a->dec[q]);
            double older = bin == 0 ? 0 : a->previous[at], sum = 0;
            double newer = bin == 0 ? 1 : a->current[at];
            for (int l = 1 + 10 * bin; l <= 10 + 10 * bin; l++) {
                double next = 2 * x * newer - older - (x * newer - older) / l;
                older = newer;
                newer = next;
                sum += (2 * l + 1) / (4 * PI) * next;
            }
            a->previous[at] = older;
            a->current[at] = newer;
            a->dsdc[at] = sum;
        }
    }
}

static double straight_seconds(struct arrays *a, int bins)
{
    int64_t start = clock_cpu_ns();
    for (int bin = 0; bin < bins; bin++)
        straight_bin(a, bin);
    return (double)(clock_cpu_ns() - start) * 1e-9;
}

static double vector_seconds(struct arrays *a, int bins)
{
    int64_t start = clock_cpu_ns();
    for (int bin = 0; bin < bins; bin++)
        legendre_bin(a->px, bin, a->previous, a->current, a->dsdc, NULL, NULL);
    return (double)(clock_cpu_ns() - start) * 1e-9;
}

/* Worst difference of the last bins, relative to the largest element. */
static double difference(const struct arrays *a)
{
    double most = 0, scale = 0;
    for (int64_t k = 0; k < grid_share_elements(&a->grid); k++) {
        most = fmax(most, fabs(a->dsdc[k] - a->kept[k]));
        scale = fmax(scale, fabs(a->kept[k]));
    }
    return most / scale;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *doubles(int64_t n)
{
    void *memory;
    if (buf_alloc(&memory, n * (int64_t)sizeof(double), "the benchmark") != 0) {
        fprintf(stderr, "bench/legendre: out of memory\n");
        exit(1);
    }
    return memory;
}

static int arrays_open(struct arrays *a, int64_t npix)
{
    if (grid_init(&a->grid, npix, grid_block_default(npix, 1), 1, 0) != 0 ||
        pixels_open(&a->px, &a->grid) != 0)
        return -1;
    int64_t n = grid_share_elements(&a->grid);
    a->ra = doubles(npix);
    a->dec = doubles(npix);
    a->previous = doubles(n);
    a->current = doubles(n);
    a->dsdc = doubles(n);
    a->kept = doubles(n);
    srand48(0);
    for (int64_t p = 0; p < npix; p++) {
        a->ra[p] = 2 * PI * drand48();
        a->dec[p] = PI * (drand48() - 0.5);
    }
    return 0;
}

static void arrays_close(struct arrays *a)
{
    pixels_close(&a->px);
    buf_free(a->ra), buf_free(a->dec), buf_free(a->previous), buf_free(a->current);
    buf_free(a->dsdc), buf_free(a->kept);
}

static void verdict(double *ab, double *aa, int rounds, int64_t elements, double best)
{
    qsort(ab, (size_t)rounds, sizeof *ab, ascending);
    qsort(aa, (size_t)rounds, sizeof *aa, ascending);
    double median = ab[rounds / 2];
    double spread = aa[rounds - 1] - aa[0];
    double margin = fabs(median / CLAIM - 1);
    printf("A/B processor time: median %.2f (%.2f to %.2f) over %d rounds, %s\n",
           median, ab[0], ab[rounds - 1], rounds, legendre_isa());
    printf("A/A: median %.3f, %.3f to %.3f, spread %.1f %%\n", aa[rounds / 2], aa[0],
           aa[rounds - 1], 100 * spread);
    printf("B: %.2f ns per element and bin at best\n", 1e9 * best / (double)elements);
    printf("at least %.0f times: %s\n", CLAIM,
           spread > margin   ? "inconclusive"
           : median >= CLAIM ? "yes"
                             : "no");
}

static int64_t argument(int argc, char **argv, int k, int64_t otherwise)
{
    long long value = argc > k ? atoll(argv[k]) : otherwise;
    return value < 1 ? 1 : value;
}

int main(int argc, char **argv)
{
    struct arrays a;
    static double ab[ROUNDS_MAX], aa[ROUNDS_MAX];
    int64_t npix = argument(argc, argv, 1, 1500);
    int bins = (int)argument(argc, argv, 2, 4);
    int rounds = (int)argument(argc, argv, 3, 9);
    double best = INFINITY, off = 0;
    rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    if (arrays_open(&a, npix) != 0) {
        fprintf(stderr, "bench/legendre: cannot set up %lld pixels\n", (long long)npix);
        return 1;
    }
    straight_seconds(&a, 1); /* warms up */
    for (int round = 0; round < rounds; round++) {
        double first = straight_seconds(&a, bins);
        double *swap = a.kept;
        a.kept = a.dsdc;
        a.dsdc = swap;
        double fast = vector_seconds(&a, bins);
        off = fmax(off, difference(&a));
        double second = straight_seconds(&a, bins);
        ab[round] = 0.5 * (first + second) / fast;
        aa[round] = second / first;
        best = fmin(best, fast);
    }
    printf("%lld pixels, %d bins; A and B differ by %.1e of the largest element\n",
           (long long)npix, bins, off);
    verdict(ab, aa, rounds, grid_share_elements(&a.grid) * bins, best);
    arrays_close(&a);
    return 0;
}
