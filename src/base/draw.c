#include "base/draw.h"
#include "base/rng.h"
#include <math.h>

/* ---- shuffle --------------------------------------------------------------------- */

static uint64_t scramble(uint64_t half, uint64_t key, int round)
{
    uint64_t x = half + key + (uint64_t)round * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 29)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 32);
}

static uint64_t feistel(uint64_t x, int half_bits, uint64_t key)
{
    uint64_t mask = (UINT64_C(1) << half_bits) - 1;
    uint64_t left = x >> half_bits, right = x & mask;
    for (int round = 0; round < 4; round++) {
        uint64_t next = left ^ (scramble(right, key, round) & mask);
        left = right;
        right = next;
    }
    return left << half_bits | right;
}

/* Half of the bits that n numbers need, rounded up: 1 .. 31. */
static int half_of(int64_t n)
{
    int bits = n > 4 ? 64 - __builtin_clzll((uint64_t)n - 1) : 2;
    return bits < 62 ? (bits + 1) / 2 : 31;
}

int64_t shuffle(int64_t i, int64_t n, uint64_t key)
{
    int half_bits = half_of(n);
    uint64_t x = (uint64_t)i;
    do
        x = feistel(x, half_bits, key);
    while (x >= (uint64_t)n);
    return (int64_t)x;
}

/* ---- zipf ------------------------------------------------------------------------ */

static double density(const struct zipf *z, double x)
{
    return exp(-z->theta * log(x));
}

/* (exp(a) - 1) / a and log(1 + a) / a, which are 1 at 0: theta may be 1. */
static double exp_ratio(double a)
{
    return fabs(a) > 1e-8 ? expm1(a) / a : 1 + a / 2;
}

static double log_ratio(double a)
{
    return fabs(a) > 1e-8 ? log1p(a) / a : 1 - a / 2;
}

/* The integral of the density from 1 to x, and the x of an integral. */
static double integral(const struct zipf *z, double x)
{
    double l = log(x);
    return exp_ratio((1 - z->theta) * l) * l;
}

static double inverse(const struct zipf *z, double y)
{
    double a = y * (1 - z->theta);
    return exp(log_ratio(a < -1 ? -1 : a) * y);
}

void zipf_prepare(struct zipf *z, int64_t n, double theta)
{
    *z = (struct zipf){.n = n, .theta = theta};
    z->low = integral(z, 1.5) - 1;
    z->high = integral(z, (double)n + 0.5);
    z->sure = 2 - inverse(z, integral(z, 2.5) - density(z, 2));
}

int64_t zipf_at(const struct zipf *z, uint64_t key, uint64_t i)
{
    uint64_t own = rng_at(key, i);
    for (uint64_t t = 0;; t++) {
        double y = z->high + rng_real(own, t) * (z->low - z->high);
        double x = inverse(z, y), k = floor(x + 0.5);
        k = k < 1 ? 1 : k > (double)z->n ? (double)z->n : k;
        if (k - x <= z->sure || y >= integral(z, k + 0.5) - density(z, k))
            return (int64_t)k;
    }
}
