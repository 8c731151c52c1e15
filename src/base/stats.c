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

double stats_t975(int df)
{
    static const double table[] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
        2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
        2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
        2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
    const int listed = sizeof table / sizeof table[0];
    if (df < 1)
        return INFINITY; /* one value says nothing about its spread */
    if (df <= listed)
        return table[df - 1];
    /* Expansion about the normal quantile (Abramowitz & Stegun 26.7.5); from 31
     * degrees on its relative error is below 1e-6. */
    const double z = 1.959963984540054, z2 = z * z, n = df;
    const double g1 = z * (z2 + 1) / 4;
    const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + (g1 + (g2 + g3 / n) / n) / n;
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
    const double half = stats_t975(n - 1) * sqrt(squares / (n - 1) / n);
    *lo = exp(mean - half);
    *hi = exp(mean + half);
    return true;
}
