/* The inside of algebra/descriptor.h: what its files ask each other. */
#ifndef ALGEBRA_SET_H
#define ALGEBRA_SET_H

#include "algebra/descriptor.h"

/* Local. Whether chunks of `size` bytes never share one where at least one of the first
 * `first` levels differs, while all others are as they may. Strides are positive, and
 * there are at most LDAD_LEVELS + 1 levels. */
enum ldad_answer ldad_set_apart(const struct ldad_level *level, int levels, int first,
                                int64_t size);

/* Local. ldad_map_make of a plan that is sound; false and no sentence where it is no
 * map. */
bool ldad_map_fits(struct ldad_map *m, const struct ldad_plan *p);

#endif
