/* Random numbers by counter: number i of a key is computed from i alone, so any rank or
 * thread can make any part of a sequence, and the whole is the same for any number of
 * them. After SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). All arithmetic is modulo 2^64. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* Purposes of keys, so that one seed gives independent sequences. */
enum rng_stream {
    RNG_GRAPH = 1,
    RNG_RECORDS,
    RNG_VECTORS,
    RNG_KRONECKER_BITS,
    RNG_KRONECKER_NUMBERING,
    RNG_IMAGE,
    RNG_QUERIES,
    RNG_FRESH_KEYS,
    RNG_SEARCHED,
    RNG_DOCUMENTS,
    RNG_WORDS,
    RNG_LABELS,
    RNG_MIXED,
    RNG_TAGGERS,
    RNG_STARS,
    RNG_SIGNS,
    RNG_ROUNDS
};

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */
#define RNG_MIX_1 UINT64_C(0xbf58476d1ce4e5b9)
#define RNG_MIX_2 UINT64_C(0x94d049bb133111eb)

/* SplitMix64's finaliser, with the constants of Stafford's variant 13: a bijection with
 * random-looking output. */
static inline uint64_t rng_mix(uint64_t x)
{
    x = (x ^ x >> 30) * RNG_MIX_1;
    x = (x ^ x >> 27) * RNG_MIX_2;
    return x ^ x >> 31;
}

static inline uint64_t rng_key(uint64_t seed, uint64_t stream)
{
    return rng_mix(rng_mix(seed + RNG_STEP) + stream);
}

static inline uint64_t rng_at(uint64_t key, uint64_t i)
{
    return rng_mix(key + (i + 1) * RNG_STEP);
}

/* A number in [0, n), n > 0. */
static inline uint64_t rng_below(uint64_t key, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)rng_at(key, i) * n >> 64);
}

/* A number in [0, 1), a multiple of 2^-53. */
static inline double rng_real(uint64_t key, uint64_t i)
{
    return (double)(rng_at(key, i) >> 11) * 0x1p-53;
}

#endif
