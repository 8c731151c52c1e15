#include "base/stats.h"
#include <math.h>

/* ---- histogram ------------------------------------------------------------------- */

/* Finds the octave by the highest bit, and the sixteenth of it by comparison with
 * 2^(k/16): exact, and without a call into libm for each value. */
int hist_bucket(int64_t value)
{
    static const uint64_t root[HIST_SUB] = {
        0x8000000000000000u, 0x85aac367cc487b15u, 0x8b95c1e3ea8bd6e7u,
        0x91c3d373ab11c337u, 0x9837f0518db8a970u, 0x9ef5326091a111aeu,
        0xa5fed6a9b15138ebu, 0xad583eea42a14ac7u, 0xb504f333f9de6485u,
        0xbd08a39f580c36bfu, 0xc5672a115506dadeu, 0xce248c151f8480e4u,
        0xd744fccad69d6af5u, 0xe0ccdeec2a94e112u, 0xeac0c6e7dd24392fu,
        0xf5257d152486cc2du};
    if (value < 2)
        return 0;
    int octave = 63 - __builtin_clzll((unsigned long long)value);
    uint64_t mantissa = (uint64_t)value << (63 - octave);
    int sub = HIST_SUB - 1;
    while (mantissa < root[sub])
        sub--;
    int bucket = octave * HIST_SUB + sub;
    return bucket < HIST_SIZE ? bucket : HIST_SIZE - 1;
}

double hist_bound(int bucket)
{
    return exp2((bucket + 1) / (double)HIST_SUB);
}

/* The bucket that has the n-th value, and the number of values before it. */
static int hist_find(const int64_t hist[HIST_SIZE], int64_t n, int64_t *before)
{
    *before = 0;
    for (int b = 0; b < HIST_SIZE; b++) {
        if (hist[b] && *before + hist[b] >= n)
            return b;
        *before += hist[b];
    }
    return -1;
}

int hist_reach(const int64_t hist[HIST_SIZE], int64_t count, double q)
{
    int64_t before;
    return hist_find(hist, (int64_t)ceil(q * (double)count), &before);
}

double hist_quantile(const int64_t hist[HIST_SIZE], int64_t count, double q)
{
    int64_t before, n = (int64_t)ceil(q * (double)count);
    int b = hist_find(hist, n, &before);
    if (b < 0)
        return INFINITY;
    return exp2((b + (double)(n - before) / (double)hist[b]) / HIST_SUB);
}

/* ---- median, interval, ratio ----------------------------------------------------- */

/* The value of rank k in sorted order, found by counting: needs no memory, and a
 * benchmark has few repetitions. */
static double ranked(const double *x, int n, int k)
{
    for (int i = 0; i < n; i++) {
        int less = 0, same = 0;
        for (int m = 0; m < n; m++) {
            less += x[m] < x[i];
            same += x[m] == x[i];
        }
        if (less <= k && k < less + same)
            return x[i];
    }
    return NAN; /* only if x holds a NaN */
}

double stats_median(const double *x, int n)
{
    double upper = ranked(x, n, n / 2);
    return n % 2 ? upper : (ranked(x, n, n / 2 - 1) + upper) / 2;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) > tiny ? d : tiny);
    double value = d;
    for (int m = 1; m < 1000; m++) {
        const double term[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                               -(a + m) * (a + b + m) * x /
                                   ((a + 2 * m) * (a + 2 * m + 1))};
        for (int i = 0; i < 2; i++) {
            d = 1 + term[i] * d;
            d = 1 / (fabs(d) > tiny ? d : tiny);
            c = 1 + term[i] / c;
            c = fabs(c) > tiny ? c : tiny;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

/* The probability that Student's t lies above t >= 0: half the incomplete beta function
 * of df / (df + t^2). */
static double t_tail(double t, double df)
{
    const double a = df / 2, b = 0.5, x = df / (df + t * t);
    if (x >= 1)
        return 0.5;
    const double front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) /* the fraction converges fast here */
        return front * beta_fraction(a, b, x) / a / 2;
    return (1 - front * beta_fraction(b, a, 1 - x) / b) / 2;
}

double stats_t(double p, double df)
{
    double low = 0, high = 1;
    while (t_tail(high, df) > 1 - p)
        high *= 2;
    while (high - low > 1e-12 * high) {
        const double middle = (low + high) / 2;
        if (t_tail(middle, df) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

bool stats_ci95(const double *x, int n, double *lo, double *hi)
{
    double sum = 0, squares = 0;
    if (n < STATS_CI_MIN)
        return false;
    for (int i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i]))
            return false;
        sum += log(x[i]);
    }
    const double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (log(x[i]) - mean) * (log(x[i]) - mean);
    const double half =
        stats_t(0.5 + STATS_CONFIDENCE / 2, n - 1) * sqrt(squares / (n - 1) / n);
    *lo = exp(mean - half);
    *hi = exp(mean + half);
    return true;
}
