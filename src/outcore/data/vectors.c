#include "outcore/data/vectors.h"
#include "base/rng.h"

void vectors_make(uint64_t key, int64_t dim, int64_t first, int64_t n, float *to)
{
    uint64_t from = (uint64_t)(first * dim);
    for (int64_t i = 0; i < n * dim; i++)
        to[i] = (float)(rng_at(key, from + (uint64_t)i) >> 40) * 0x1p-24F;
}

void vectors_rows(const void *vectors, int64_t first, int64_t n, void *to)
{
    const struct vectors *v = vectors;
    vectors_make(v->key, v->dim, first, n, to);
}
