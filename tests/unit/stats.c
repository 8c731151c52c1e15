/* ranks: 1 */
/* Median, t quantile and interval compared with values from tables and by hand. */
#include "base/stats.h"
#include "tap.h"

static int close_to(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

static void check_median(void)
{
    const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, same[] = {5, 5, 5, 1};
    tap_ok(stats_median(odd, 1) == 3, "median of one");
    tap_ok(stats_median(odd, 3) == 2, "median of an odd number");
    tap_ok(stats_median(even, 4) == 2.5, "median of an even number");
    tap_ok(stats_median(same, 4) == 5, "median with ties");
    tap_ok(odd[0] == 3 && even[0] == 4, "the values stay in their order");
}

static void check_t(void)
{
    static const struct {
        int df;
        double t;
    } known[] = {{1, 12.7062},      {2, 4.30265},  {3, 3.18245},  {5, 2.57058},
                 {9, 2.26216},      {10, 2.22814}, {29, 2.04523}, {30, 2.04227},
                 {31, 2.03951},     {40, 2.02108}, {60, 2.00030}, {120, 1.97993},
                 {1000000, 1.95997}};
    for (int i = 0; i < (int)(sizeof known / sizeof known[0]); i++)
        tap_ok(close_to(stats_t(0.975, known[i].df), known[i].t, 1e-5),
               "t of %d degrees is %g", known[i].df, known[i].t);
    int falls = 1;
    for (int df = 1; df < 500; df++)
        falls &= stats_t(0.975, df + 1) < stats_t(0.975, df);
    tap_ok(falls, "t falls with every degree");
    tap_ok(close_to(stats_t(0.75, 1), 1, 1e-11) &&
               close_to(stats_t(0.75, 2), sqrt(2.0 / 3), 1e-11),
           "t of 1 and 2 degrees by their closed forms");
    const double t = stats_t(0.95, 3.7), whole = sqrt(3.7 * M_PI);
    double area = 0; /* of the density from 0 to t, by Simpson's rule */
    for (int i = 0; i <= 1000; i++)
        area +=
            pow(1 + pow(t * i / 1000, 2) / 3.7, -2.35) * (i % 1000 ? 2 + i % 2 * 2 : 1);
    area *= t / 3000 * exp(lgamma(2.35) - lgamma(1.85)) / whole;
    tap_ok(close_to(area, 0.45, 1e-10), "t of 3.7 degrees: below it are %.12f", area);
}

static void check_interval(void)
{
    /* Logarithms (base e) -1, 1, -1, 1, -1, 1: mean 0, standard deviation
     * sqrt(6/5), half width t(5) * sqrt(6/5) / sqrt(6) = 2.570582 / sqrt(5). */
    const double x[] = {1 / M_E, M_E, 1 / M_E, M_E, 1 / M_E, M_E};
    const double same[] = {7, 7, 7, 7, 7, 7}, zero[] = {1, 1, 0, 1, 1, 1};
    const double lost[] = {1, 1, NAN, 1, 1, 1};
    double lo = -1, hi = -1, half = 2.570582 / sqrt(5);
    tap_ok(!stats_ci95(x, 5, &lo, &hi) && lo == -1 && hi == -1,
           "no interval of five values");
    tap_ok(stats_ci95(x, 6, &lo, &hi) && close_to(lo, exp(-half), 1e-6) &&
               close_to(hi, exp(half), 1e-6),
           "interval of six values");
    tap_ok(stats_ci95(same, 6, &lo, &hi) && close_to(lo, 7, 1e-12) &&
               close_to(hi, 7, 1e-12),
           "equal values have an interval of no width");
    tap_ok(!stats_ci95(zero, 6, &lo, &hi), "no interval where a value is 0");
    tap_ok(!stats_ci95(lost, 6, &lo, &hi), "no interval where a value is missing");
}

/* The k-th of n values, k = ceil(q n), as in numpy's "inverted_cdf". */
static void check_reach(void)
{
    int64_t hist[HIST_SIZE] = {[3] = 1, [7] = 1, [9] = 1};
    tap_ok(hist_reach(hist, 3, 0.3) == 3 && hist_reach(hist, 3, 0.5) == 7 &&
               hist_reach(hist, 3, 0.67) == 9 && hist_reach(hist, 3, 1) == 9,
           "quantiles of three values");
    tap_ok(hist_reach(hist, 4, 1) == -1, "a value that is in no bucket is not reached");
    hist[7] = 98;
    tap_ok(hist_reach(hist, 100, 0.5) == 7 && hist_reach(hist, 100, 0.99) == 7 &&
               hist_reach(hist, 100, 0.999) == 9,
           "quantiles of a hundred");
}

/* Values in a bucket count as evenly spread; the true one is at most 4.4 % away. */
static void check_quantile(void)
{
    int64_t one[HIST_SIZE] = {[160] = 4}, many[HIST_SIZE] = {0};
    double low = exp2(10), wide = exp2(1.0 / 16);
    tap_ok(close_to(hist_quantile(one, 4, 0.5), low * sqrt(wide), 1e-9) &&
               close_to(hist_quantile(one, 4, 1), low * wide, 1e-9),
           "half of a bucket, and all of it");
    tap_ok(isinf(hist_quantile(one, 5, 1)),
           "a value that is in no bucket has no bound");
    for (int v = 1; v <= 100000; v++)
        many[hist_bucket(v)]++;
    bool near = true;
    for (double q = 0.001; q < 1; q += 0.001)
        near &= fabs(hist_quantile(many, 100000, q) / (q * 100000) - 1) < 0.044;
    tap_ok(near, "of many values each quantile is near its own");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    check_median();
    check_t();
    check_interval();
    check_reach();
    check_quantile();
    return tap_end();
}
