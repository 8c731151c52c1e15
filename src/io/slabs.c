/* Makes each slab as large as possible at its place: they grow to the largest, and
 * shrink again at the end. */
#include "io/slabs.h"

/* The outermost dimension in which a whole step fits: a step there is `*size` elements,
 * `at` is at the beginning of one, and n is no less. */
static int widest(int ndims, const int64_t *dims, int64_t at, int64_t n, int64_t *size)
{
    int k = ndims - 1;
    *size = 1;
    while (k > 0 && at % (*size * dims[k]) == 0 && n >= *size * dims[k])
        *size *= dims[k--];
    return k;
}

/* The slab of `steps` steps in dimension k. */
static struct slab slab_at(int ndims, const int64_t *dims, int64_t at, int k,
                           int64_t steps)
{
    struct slab s;
    for (int d = ndims - 1; d >= 0; d--) {
        s.start[d] = at % dims[d];
        s.count[d] = d > k ? dims[d] : d == k ? steps : 1;
        at /= dims[d];
    }
    return s;
}

int slabs_of(int ndims, const int64_t *dims, int64_t at, int64_t n,
             struct slab out[SLABS_MOST])
{
    int count = 0;
    while (n > 0) {
        int64_t size;
        int k = widest(ndims, dims, at, n, &size);
        int64_t steps = dims[k] - at / size % dims[k];
        if (steps > n / size)
            steps = n / size;
        out[count++] = slab_at(ndims, dims, at, k, steps);
        at += steps * size;
        n -= steps * size;
    }
    return count;
}
