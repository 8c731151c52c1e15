/* A row of elements as parts of an N-dimensional array, for libraries that know
 * arrays and no offsets. */
#ifndef IO_SLABS_H
#define IO_SLABS_H

#include "io/io.h"

enum { SLABS_MOST = 2 * IO_SHAPE_DIMS - 1 };

struct slab { /* in each dimension, `count` indices from `start` on */
    int64_t start[IO_SHAPE_DIMS], count[IO_SHAPE_DIMS];
};

/* Local. The slabs that together are the n elements from row-major position `at` on,
 * in that order: at most 2 ndims - 1, and one where whole rows, or a part of one, are
 * asked for. All of them are in the array. Returns how many. */
int slabs_of(int ndims, const int64_t *dims, int64_t at, int64_t n,
             struct slab out[SLABS_MOST]);

#endif
