#include "base/paired.h"
#include "base/rng.h"
#include "base/stats.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FEWEST 6      /* rounds with a ratio */
#define CORRELATED 16 /* rounds from which on their correlation can be told */
#define COMPLETE 12   /* rounds up to which all subsets are taken */
#define SUBSETS 4095  /* 2^COMPLETE - 1 */
#define MUCH_WIDER 1.25
#define FAR 700         /* largest half-width: beyond it exp() overflows */
#define MIN_EFFECT 1.02 /* as in leadline.judge.rules */
#define EQUAL 1.05

static double mean_of(const double *d, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += d[i];
    return sum / n;
}

/* ---- effective number of rounds -------------------------------------------------- */

/* The autocovariance at `lag`, with divisor n. */
static double covariance(const double *d, int n, double mean, int lag)
{
    double sum = 0;
    for (int i = 0; i + lag < n; i++)
        sum += (d[i] - mean) * (d[i + lag] - mean);
    return sum / n;
}

/* The factor by which correlation inflates the variance of the mean, by a first-order
 * autoregression whose coefficient is corrected for its bias. */
static double inflation_by_lag_1(const double *d, int n, double mean, double c0)
{
    double r = (n * covariance(d, n, mean, 1) / c0 + 1) / (n - 4), power = 1, sum = 1;
    if (r < 0.5 / sqrt(n))
        return 1; /* as small as chance makes it */
    r = fmin(r, 0.98);
    for (int k = 1; k < n; k++) {
        power *= r;
        sum += 2 * (1 - (double)k / n) * power;
    }
    return sum;
}

/* The same by the sum of autocorrelations, up to the first that is within chance: sees
 * slow drift below faster noise. `before`: the inflation so far, for their bias. */
static double inflation_by_sum(const double *d, int n, double mean, double c0,
                               double before)
{
    double sum = 1;
    for (int k = 1; 2 * k < n; k++) {
        double r = covariance(d, n, mean, k) / c0 * n / (n - k);
        r = r * (1 - before / n) + before / n;
        if (r < 1 / sqrt(n))
            break;
        sum += 2 * (1 - (double)k / n) * r;
    }
    return sum;
}

static double inflation(const double *d, int n, double mean, double c0)
{
    if (n < CORRELATED || !(c0 > 0))
        return 1;
    double first = inflation_by_lag_1(d, n, mean, c0);
    double all = inflation_by_sum(d, n, mean, c0, first);
    return fmin(fmax(first, all), n / 2.0);
}

/* ---- interval by permutation ----------------------------------------------------- */

/* If the order in a round is drawn, each difference may as well have the other sign.
 * The means of the subsets of the differences then divide the line into parts that
 * contain the true one equally often (Hartigan, "Using subsample values as typical
 * values", JASA 64, 1969). */

/* sums[byte][bits]: of the differences that the bits select in each eight of them. */
static double (*sums_of_eight(const double *d, int n))[256]
{
    double(*sums)[256] = calloc((size_t)(n + 7) / 8, sizeof *sums);
    for (int i = 0; sums && i < n; i++)
        for (int bits = 1 << i % 8; bits < 2 << i % 8; bits++)
            sums[i / 8][bits] = sums[i / 8][bits - (1 << i % 8)] + d[i];
    return sums;
}

/* The mean of the subset `i` >= 1. */
static double subset_mean(double (*sums)[256], int n, uint64_t key, int i)
{
    const int words = (n + 63) / 64;
    double sum = 0;
    int members = 0;
    for (int w = 0; w < words; w++) {
        uint64_t bits = n <= COMPLETE
                            ? (uint64_t)i
                            : rng_at(key, (uint64_t)i * (uint64_t)words + (uint64_t)w);
        if (n - 64 * w < 64)
            bits &= (UINT64_C(1) << (n - 64 * w)) - 1;
        members += __builtin_popcountll(bits);
        for (int byte = 8 * w; bits; bits >>= 8)
            sum += sums[byte++][bits & 255];
    }
    return members ? sum / members : 0;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Finds both ends by permutations. With too few rounds for so many comparisons they are
 * the outermost means. Returns false if there is no memory. */
static bool permute(const struct paired *p, const double *d, int n, double *low,
                    double *high)
{
    double means[SUBSETS];
    const int many = n <= COMPLETE ? (1 << n) - 1 : SUBSETS;
    const double share = 1 - pow(STATS_CONFIDENCE, 1.0 / p->comparisons);
    const int outside = (int)fmax(1, floor(share / 2 * (many + 1) + 1e-9));
    double(*sums)[256] = sums_of_eight(d, n);
    if (!sums)
        return false;
    const uint64_t key = rng_key(p->seed, RNG_SIGNS);
    for (int i = 0; i < many; i++)
        means[i] = subset_mean(sums, n, key, i + 1);
    free(sums);
    qsort(means, (size_t)many, sizeof *means, by_size);
    *low = means[outside - 1];
    *high = means[many - outside];
    return true;
}

/* ---- ratio ----------------------------------------------------------------------- */

/* Each end is the farther one of the two intervals: a few rounds with equal differences
 * are improbable by t, and not so by signs. */
static bool estimate(const struct paired *p, const double *d, int n,
                     struct paired_ratio *out)
{
    const double mean = mean_of(d, n), c0 = covariance(d, n, mean, 0);
    const double effective = n / inflation(d, n, mean, c0);
    const double error = sqrt(c0 / (1 - 1 / effective) / effective);
    const double p_t = 0.5 + pow(STATS_CONFIDENCE, 1.0 / p->comparisons) / 2;
    const double half = error > 0 ? fmin(stats_t(p_t, effective - 1) * error, FAR) : 0;
    double low, high;
    if (!permute(p, d, n, &low, &high))
        return false;
    *out = (struct paired_ratio){.ratio = exp(mean),
                                 .low = exp(fmin(low, mean - half)),
                                 .high = exp(fmax(high, mean + half)),
                                 .effective = effective,
                                 .rounds = n};
    out->permuted = fmax(mean - low, high - mean) > MUCH_WIDER * half;
    return true;
}

bool paired_ratio(const struct paired *p, int arm, struct paired_ratio *out)
{
    double *d = malloc((size_t)(p->rounds > 0 ? p->rounds : 1) * sizeof *d);
    int n = 0;
    for (int r = 0; d && r < p->rounds; r++) {
        const double *row = p->ln + (size_t)r * (size_t)p->arms;
        if (isfinite(row[arm]) && isfinite(row[0]))
            d[n++] = row[arm] - row[0];
    }
    const bool found = n >= FEWEST && estimate(p, d, n, out);
    free(d);
    return found;
}

/* ---- words ----------------------------------------------------------------------- */

/* 12x, 1.8x, 1.04x: close to 1 with as many digits as show the difference. */
static const char *factor_text(double factor, char text[24])
{
    int digits = factor >= 9.95 ? 0 : 1;
    while (digits && digits < 3 && fabs(factor - 1) < 2 * pow(10, -digits))
        digits++;
    snprintf(text, 24, "%.*fx", digits, factor);
    return text;
}

static const char *percent_text(double factor, char text[24])
{
    const double percent = 100 * (factor - 1);
    if (percent > 100)
        return factor_text(factor, text);
    snprintf(text, 24, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
    return text;
}

const char *paired_verdict(const struct paired_ratio *x, bool higher_is_better,
                           char *text, size_t size)
{
    const double gain = higher_is_better ? x->ratio : 1 / x->ratio;
    const double factor = fmax(gain, 1 / gain), far = fmax(x->high, 1 / x->low);
    const bool shown = x->low > 1 || x->high < 1;
    const char *way = gain > 1 ? "faster" : "slower";
    char number[24];
    if (shown && factor >= MIN_EFFECT)
        snprintf(text, size, "%s by %s", way, factor_text(factor, number));
    else if (x->low > 1 / EQUAL && x->high < EQUAL && shown)
        snprintf(text, size, "equal within %.4g %% (%s %s)", 100 * (EQUAL - 1),
                 percent_text(factor, number), way);
    else if (x->low > 1 / EQUAL && x->high < EQUAL)
        snprintf(text, size, "equal within %.4g %%", 100 * (EQUAL - 1));
    else if (shown)
        snprintf(text, size, "difference too small to matter (%s)",
                 percent_text(factor, number));
    else
        snprintf(text, size, "no difference shown (up to %s possible)",
                 percent_text(far, number));
    return text;
}

/* ---- carry-over ------------------------------------------------------------------ */

/* Arms and rounds that are complete: known[arm], whole[round]. */
struct table {
    int arms, rounds;
    bool *known, *whole;
};

static bool is_known(const struct paired *p, int round, int arm)
{
    return isfinite(p->ln[(size_t)round * (size_t)p->arms + (size_t)arm]);
}

/* An arm is left out if it lacks more than half of the rounds, and a round if it lacks
 * another arm. */
static void find_complete(const struct paired *p, struct table *t)
{
    for (int a = 0; a < p->arms; a++) {
        int has = 0;
        for (int r = 0; r < p->rounds; r++)
            has += is_known(p, r, a);
        t->known[a] = 2 * has >= p->rounds;
        t->arms += t->known[a];
    }
    for (int r = 0; r < p->rounds; r++) {
        t->whole[r] = true;
        for (int a = 0; a < p->arms; a++)
            t->whole[r] &= !t->known[a] || is_known(p, r, a);
        t->rounds += t->whole[r];
    }
}

/* Subtracts the means of rounds and of arms from x[round][arm]; cells outside the table
 * become 0. */
static void centre(const struct paired *p, const struct table *t, double *x)
{
    for (int r = 0; r < p->rounds; r++) {
        double *row = x + (size_t)r * (size_t)p->arms, sum = 0;
        for (int a = 0; a < p->arms; a++)
            sum += row[a] = t->whole[r] && t->known[a] ? row[a] : 0;
        for (int a = 0; a < p->arms; a++)
            row[a] -= t->whole[r] && t->known[a] ? sum / t->arms : 0;
    }
    for (int a = 0; a < p->arms; a++) {
        double sum = 0;
        for (int r = 0; r < p->rounds; r++)
            sum += x[(size_t)r * (size_t)p->arms + (size_t)a];
        for (int r = 0; r < p->rounds; r++)
            x[(size_t)r * (size_t)p->arms + (size_t)a] -=
                t->whole[r] && t->known[a] ? sum / t->rounds : 0;
    }
}

/* Sets x to 1 where `before` ran just before. */
static void mark_after(const struct paired *p, const int *order, int before, double *x)
{
    const int cells = p->rounds * p->arms;
    for (int i = 1; i < cells; i++)
        if (order[i - 1] == before && order[i] >= 0)
            x[i / p->arms * p->arms + order[i]] = 1;
}

static bool regress(const struct paired *p, const struct table *t, const double *x,
                    const double *y, double *factor)
{
    const int df = (t->rounds - 1) * (t->arms - 1) - 1;
    double xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < p->rounds * p->arms; i++) {
        xx += x[i] * x[i];
        xy += x[i] * y[i];
        yy += y[i] * y[i];
    }
    if (t->rounds < FEWEST || t->arms < 2 || df < 1 || !(xx > 0.5))
        return false;
    const double slope = xy / xx, rest = fmax(yy - slope * xy, 0) / df;
    const double p_t = 0.5 + pow(STATS_CONFIDENCE, 1.0 / t->arms) / 2;
    *factor = exp(slope);
    return fabs(slope) > stats_t(p_t, df) * sqrt(rest / xx);
}

bool paired_carry_over(const struct paired *p, const int *order, int before,
                       double *factor)
{
    const size_t cells = (size_t)p->rounds * (size_t)p->arms;
    double *x = calloc(2 * cells + 1, sizeof *x);
    bool *flags = calloc((size_t)p->rounds + (size_t)p->arms, sizeof *flags);
    bool found = false;
    if (x && flags) {
        struct table t = {.known = flags, .whole = flags + p->arms};
        double *y = x + cells;
        for (size_t i = 0; i < cells; i++)
            y[i] = p->ln[i];
        mark_after(p, order, before, x);
        find_complete(p, &t);
        centre(p, &t, x);
        centre(p, &t, y);
        found = regress(p, &t, x, y, factor);
    }
    free(x);
    free(flags);
    return found;
}
