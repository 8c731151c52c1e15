/* ranks: 1 */
/* Positions and Legendre sums, compared with the C library's drand48 and a simple loop
 * in long double. */
#include "madbench/grid.h"
#include "tap.h"

#define PI 3.14159265358979323846
#define NPIX 700 /* more than a segment of rows */
#define BINS 4

static double vectors[NPIX][3];

static void vectors_draw(void)
{
    srand48(0);
    for (int p = 0; p < NPIX; p++) {
        double ra = 2 * PI * drand48(), dec = PI * (drand48() - 0.5);
        vectors[p][0] = cos(dec) * cos(ra);
        vectors[p][1] = cos(dec) * sin(ra);
        vectors[p][2] = sin(dec);
    }
}

/* Computes dSdC of two pixels by the textbook recurrence, with more digits. */
static double straight(int64_t p, int64_t q, int bin)
{
    long double x = 0, older = 1, newer, sum = 0;
    for (int k = 0; k < 3; k++)
        x += (long double)vectors[p][k] * vectors[q][k];
    newer = x;
    for (int l = 1; l <= 10 * (bin + 1); l++) {
        if (l > 10 * bin)
            sum += (2 * l + 1) * newer;
        long double next = ((2 * l + 1) * x * newer - l * older) / (l + 1);
        older = newer;
        newer = next;
    }
    return (double)(sum / (4 * PI));
}

static double *share(const struct grid *g)
{
    return calloc((size_t)grid_share_elements(g) + 1, sizeof(double));
}

/* Returns the worst difference from the simple loop, relative to the sum of P_l(1). */
static double worst(const struct grid *g, const double *dsdc, int bin)
{
    double most = 0, scale = straight(0, 0, bin);
    for (int64_t j = 0; j < g->local_cols; j++) {
        for (int64_t i = j % 7; i < g->local_rows; i += 7) {
            double want = straight(grid_global_row(g, i), grid_global_col(g, j), bin);
            double off = fabs(dsdc[i + j * g->local_rows] - want) / fabs(scale);
            most = off > most ? off : most;
        }
    }
    return most;
}

static int ticks;

static void count(void *arg)
{
    ticks += *(int *)arg;
}

/* Computes all bins on one rank's share, whose arrays contain garbage before bin 0. */
static double bins_worst(int ranks, int rank, double *sum_off)
{
    struct grid g;
    struct pixels *px;
    double most = 0;
    int by = 1;
    struct tick t = {count, &by, 0};
    if (grid_init(&g, NPIX, 32, ranks, rank) != 0 || pixels_open(&px, &g) != 0)
        return INFINITY;
    double *previous = share(&g), *current = share(&g), *dsdc = share(&g),
           *sum = share(&g), *want = share(&g);
    previous[0] = current[1] = sum[0] = NAN;
    for (int bin = 0; bin < BINS; bin++) {
        legendre_bin(px, bin, previous, current, dsdc, sum, &t);
        double off = worst(&g, dsdc, bin);
        most = off > most ? off : most;
        for (int64_t i = 0; i < grid_share_elements(&g); i++)
            want[i] += dsdc[i];
    }
    *sum_off = 0;
    for (int64_t i = 0; i < grid_share_elements(&g); i++)
        *sum_off += !(sum[i] == want[i]);
    free(previous), free(current), free(dsdc), free(sum), free(want);
    pixels_close(&px);
    return px == NULL ? most : INFINITY;
}

static void test_vectors(void)
{
    struct grid g;
    struct pixels *px;
    int good = 1;
    if (grid_init(&g, NPIX, 32, 6, 4) != 0 || pixels_open(&px, &g) != 0) {
        tap_ok(0, "pixels open");
        return;
    }
    for (int64_t i = 0; i < g.local_rows; i++)
        good = good && px->row_x[i] == vectors[grid_global_row(&g, i)][0] &&
               px->row_y[i] == vectors[grid_global_row(&g, i)][1] &&
               px->row_z[i] == vectors[grid_global_row(&g, i)][2];
    for (int64_t j = 0; j < g.local_cols; j++)
        good = good && px->col_x[j] == vectors[grid_global_col(&g, j)][0] &&
               px->col_y[j] == vectors[grid_global_col(&g, j)][1] &&
               px->col_z[j] == vectors[grid_global_col(&g, j)][2];
    tap_ok(good, "rank 4 of 6 holds the unit vectors that srand48(0) gives");
    pixels_close(&px);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    vectors_draw();
    test_vectors();
    static const int ranks[] = {1, 4, 6};
    for (int k = 0; k < 3; k++) {
        double sum_off = -1, off = bins_worst(ranks[k], ranks[k] - 1, &sum_off);
        tap_ok(off < 1e-12,
               "last of %d ranks: %d bins (%s) are within %.1e of long "
               "double's",
               ranks[k], BINS, legendre_isa(), off);
        tap_ok(sum_off == 0, "and their sum is S");
    }
    tap_ok(ticks > 0, "the tick was called");
    return tap_end();
}
