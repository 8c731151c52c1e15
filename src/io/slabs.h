/* Splits a row of elements into slabs of an N-dimensional array, for libraries with
 * arrays instead of offsets. */
#ifndef IO_SLABS_H
#define IO_SLABS_H

#include "io/io.h"

enum { SLABS_MOST = 2 * IO_SHAPE_DIMS - 1 };

struct slab { /* in each dimension, `count` indices from `start` on */
    int64_t start[IO_SHAPE_DIMS], count[IO_SHAPE_DIMS];
};

/* Local. Finds the slabs that make up the n elements from row-major position `at` on,
 * in that order: at most 2 ndims - 1, and one for whole rows or a part of one. All
 * elements must be in the array. Returns their number. */
int slabs_of(int ndims, const int64_t *dims, int64_t at, int64_t n,
             struct slab out[SLABS_MOST]);

#endif
