#include "base/hist.h"
#include <math.h>

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
