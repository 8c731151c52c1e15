#include "base/draw/shuffle.h"

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

int64_t shuffle(int64_t i, int64_t n, uint64_t key)
{
    int half_bits = 1;
    while (half_bits < 31 && (INT64_C(1) << (2 * half_bits)) < n)
        half_bits++;
    uint64_t x = (uint64_t)i;
    do
        x = feistel(x, half_bits, key);
    while (x >= (uint64_t)n);
    return (int64_t)x;
}
