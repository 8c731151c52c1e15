/* Vectors from a seed: component c of vector i of dimension d is the upper 24 bits of
 * number i d + c of the key, as a fraction: a float32 in [0, 1), exact, the same on
 * every machine. */
#ifndef OUTCORE_DATA_VECTORS_H
#define OUTCORE_DATA_VECTORS_H

#include <stdint.h>

/* Local. Makes vectors first .. first + n - 1, one after the other. key: rng_key(seed,
 * RNG_VECTORS), or RNG_QUERIES for queries. */
void vectors_make(uint64_t key, int64_t dim, int64_t first, int64_t n, float *to);

struct vectors {
    uint64_t key;
    int64_t dim;
};

/* Local. Makes them as the rows of a file (outcore/data/make.h). */
void vectors_rows(const void *vectors, int64_t first, int64_t n, void *to);

#endif
