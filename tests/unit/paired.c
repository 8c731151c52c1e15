/* Ratios of arms: their interval by t and by permutation, the effective number of
 * rounds, the verdict's words, and carry-over. */
#include "base/paired.h"
#include "base/rng.h"
#include "base/stats.h"
#include "tap.h"

#define MOST 400

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* The sum of 12 uniform numbers: nearly normal, standard deviation 1. */
static double normal(uint64_t key, int i)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += rng_real(key, 12 * (uint64_t)i + (uint64_t)k);
    return sum;
}

/* Two arms whose differences are d. */
static bool of_differences(const double *d, int n, int comparisons,
                           struct paired_ratio *out)
{
    double ln[2 * MOST];
    for (int r = 0; r < n; r++) {
        ln[2 * r] = 5 + r % 3;
        ln[2 * r + 1] = ln[2 * r] + d[r];
    }
    struct paired p = {2, n, ln, comparisons, 7};
    return paired_ratio(&p, 1, out);
}

static void check_by_hand(void)
{
    /* Mean 0.1, variance 6/5 of 0.01. */
    const double d[] = {0, 0.2, 0, 0.2, 0, 0.2};
    const double half = 0.1 * stats_t(0.975, 5) / sqrt(5);
    struct paired_ratio x;
    tap_ok(!of_differences(d, 5, 1, &x), "five rounds are too few");
    const bool found = of_differences(d, 6, 1, &x);
    tap_ok(found && x.rounds == 6 && x.effective == 6 && !x.permuted &&
               close_to(x.ratio, exp(0.1)) && close_to(x.low, exp(0.1 - half)) &&
               close_to(x.high, exp(0.1 + half)),
           "six rounds: Student's t, %g [%g, %g]", x.ratio, x.low, x.high);
    const double wider = 0.1 * stats_t(0.5 + pow(0.95, 1.0 / 4) / 2, 5) / sqrt(5);
    tap_ok(of_differences(d, 6, 4, &x) && close_to(x.high, exp(0.1 + wider)),
           "four comparisons that hold together");
    const double same[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    tap_ok(of_differences(same, 7, 1, &x) && close_to(x.low, exp(0.3)) &&
               close_to(x.high, exp(0.3)),
           "equal differences have an interval of no width");
}

static void check_lost(void)
{
    double ln[3 * 8];
    for (int i = 0; i < 24; i++)
        ln[i] = i % 3 + 0.1 * (i / 3 % 2);
    ln[3 * 2] = ln[3 * 5 + 1] = NAN;
    struct paired p = {3, 8, ln, 1, 0};
    struct paired_ratio x;
    tap_ok(paired_ratio(&p, 1, &x) && x.rounds == 6 && close_to(x.ratio, M_E),
           "rounds without one of the two are left out");
    ln[3 * 7 + 2] = INFINITY;
    tap_ok(!(paired_ratio(&p, 2, &x) && (ln[3 * 6] = NAN, paired_ratio(&p, 2, &x))),
           "none of five rounds");
}

/* The share of all 2^n patterns of signs whose mean is at least as far from `at` as the
 * true one. */
static double share_as_far(const double *d, int n, double at)
{
    double observed = 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        observed += d[i] - at;
    for (int signs = 0; signs < 1 << n; signs++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += signs >> i & 1 ? d[i] - at : at - d[i];
        count += fabs(sum) >= fabs(observed) - 1e-12;
    }
    return count / (double)(1 << n);
}

static void check_permuted(void)
{
    /* Not 1 by Student's t; by signs, equals do this in one of 8 cases. */
    const double d[] = {1, 1.1, 0.9, 1.05, 0, 0};
    double e[11];
    struct paired_ratio x;
    of_differences(d, 6, 1, &x);
    tap_ok(close_to(x.low, 1) && !x.permuted, "permutations set the lower end: %g",
           x.low);
    for (int i = 0; i < 11; i++)
        e[i] = i == 4 ? -3 : 0.01 * normal(3, i);
    of_differences(e, 11, 1, &x);
    const double beyond = share_as_far(e, 11, log(x.low) - 1e-6),
                 inside = share_as_far(e, 11, log(x.low) + 1e-6);
    const double wanted = 0.05;
    tap_ok(beyond <= wanted && inside > wanted,
           "its end is where the exact test changes: %g, %g", beyond, inside);
}

static void fill(double *d, int n, double phi, uint64_t key)
{
    double x = normal(key, n) / sqrt(1 - phi * phi);
    for (int i = 0; i < n; i++)
        d[i] = x = phi * x + normal(key, i);
}

static void check_drawn(void)
{
    double d[200];
    struct paired_ratio x, y;
    fill(d, 200, 0, 21);
    of_differences(d, 200, 1, &x);
    of_differences(d, 200, 2, &y);
    tap_ok(!x.permuted &&
               log(x.high / x.low) <
                   2.15 * 1.972 / sqrt(200) * x.rounds / x.effective &&
               y.high > x.high && y.low < x.low,
           "subsets drawn of 200 rounds: [%g, %g]", x.low, x.high);
}

static void check_effective(void)
{
    double d[MOST];
    struct paired_ratio x;
    for (int i = 0; i < 3; i++) {
        const double phi[] = {0, 0.5, 0.9}, low[] = {0.75, 0.2, 0.01},
                     high[] = {1, 0.5, 0.15};
        fill(d, MOST, phi[i], 11);
        of_differences(d, MOST, 1, &x);
        tap_ok(x.effective >= low[i] * MOST && x.effective <= high[i] * MOST,
               "correlation %.1f: %d rounds are %.1f", phi[i], MOST, x.effective);
    }
    for (int i = 0; i < MOST; i++)
        d[i] = 0.3 * normal(5, i) + (i < MOST / 2 ? 0.3 : -0.3);
    of_differences(d, MOST, 1, &x);
    tap_ok(x.effective < MOST / 10.0, "a slow drift below noise: %.1f", x.effective);
    for (int i = 0; i < MOST; i++)
        d[i] = i % 2 ? 1 : -1;
    of_differences(d, MOST, 1, &x);
    tap_ok(x.effective == MOST, "never more than the rounds");
}

/* The share of 2,000 series of 40 rounds whose interval has the true ratio. */
static void check_coverage(double phi, double least, double most)
{
    double d[MOST];
    int held = 0;
    struct paired_ratio x;
    for (uint64_t i = 0; i < 2000; i++) {
        fill(d, 40, phi, rng_key(i, 99));
        of_differences(d, 40, 1, &x);
        held += x.low <= 1 && x.high >= 1;
    }
    tap_ok(held >= 20 * least && held <= 20 * most,
           "intervals at correlation %.1f hold in %.1f %%", phi, held / 20.0);
}

static void check_words(void)
{
    static const struct {
        double ratio, low, high;
        bool higher;
        const char *words;
    } known[] = {{1.5, 1.2, 1.9, true, "faster by 1.5x"},
                 {1.5, 1.2, 1.9, false, "slower by 1.5x"},
                 {0.08, 0.07, 0.09, true, "slower by 12x"},
                 {1.045, 1.03, 1.06, true, "faster by 1.04x"},
                 {1.0, 0.97, 1.03, true, "equal within 5 %"},
                 {1.01, 1.005, 1.015, true, "equal within 5 % (1.0 % faster)"},
                 {1.01, 0.97, 1.06, true, "no difference shown (up to 6.0 % possible)"},
                 {1.5, 0.9, 2.5, true, "no difference shown (up to 2.5x possible)"},
                 {0.985, 0.94, 0.99, true, "difference too small to matter (1.5 %)"}};
    for (int i = 0; i < (int)(sizeof known / sizeof known[0]); i++) {
        char text[80];
        struct paired_ratio x = {known[i].ratio, known[i].low, known[i].high, 9, 9, 0};
        paired_verdict(&x, known[i].higher, text, sizeof text);
        tap_ok(strcmp(text, known[i].words) == 0, "%s", text);
    }
}

/* Arm 2 makes the one after it twice as fast; the arms themselves differ, too. */
static void check_carry_over(void)
{
    double ln[3 * 60], factor = 0;
    int order[3 * 60];
    for (int r = 0; r < 60; r++)
        for (int i = 0; i < 3; i++) {
            const int shift = (int)rng_below(8, (uint64_t)r, 6);
            order[3 * r + i] = (shift < 3 ? shift + i : shift + 2 * i) % 3;
        }
    for (int i = 0; i < 180; i++) {
        const int at = i / 3 * 3 + order[i];
        ln[at] = 0.2 * order[i] + normal(4, i / 3) + 0.1 * normal(6, i);
        ln[at] += i > 0 && order[i - 1] == 2 ? log(2) : 0;
    }
    struct paired p = {3, 60, ln, 1, 0};
    bool found;
    found = paired_carry_over(&p, order, 2, &factor);
    tap_ok(found && fabs(factor - 2) < 0.15, "after arm 2: %.3fx", factor);
    ln[0] = ln[17] = NAN;
    found = paired_carry_over(&p, order, 2, &factor);
    tap_ok(found && fabs(factor - 2) < 0.15, "after arm 2, two repetitions lost: %.3fx",
           factor);
    for (int i = 0; i < 180; i++)
        ln[i / 3 * 3 + order[i]] = 0.2 * order[i] + 0.1 * normal(6, i);
    tap_ok(!paired_carry_over(&p, order, 2, &factor), "no carry-over in noise");
    p.rounds = 5;
    tap_ok(!paired_carry_over(&p, order, 2, &factor), "none of five rounds");
}

/* For tests/unit/python_stats.py: reads comparisons, seed and differences, and prints
 * what they give. */
static int echo(void)
{
    double d[MOST];
    int comparisons, n = 0;
    unsigned long long seed;
    struct paired_ratio x;
    if (scanf("%d %llu", &comparisons, &seed) != 2)
        return 1;
    while (n < MOST && scanf("%lf", &d[n]) == 1)
        n++;
    double ln[2 * MOST] = {0};
    for (int i = 0; i < n; i++)
        ln[2 * i + 1] = d[i];
    struct paired p = {2, n, ln, comparisons, seed};
    if (!paired_ratio(&p, 1, &x))
        return 1;
    return printf("%.17g %.17g %.17g %.17g\n", x.ratio, x.low, x.high, x.effective) < 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--echo") == 0)
        return echo();
    tap_start(&argc, &argv, 0);
    check_by_hand();
    check_lost();
    check_permuted();
    check_drawn();
    check_effective();
    check_coverage(0, 93, 97);
    check_coverage(0.6, 92, 97);
    check_words();
    check_carry_over();
    return tap_end();
}
