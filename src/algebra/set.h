/* Internals of algebra/descriptor.h, shared by its sources. */
#ifndef ALGEBRA_SET_H
#define ALGEBRA_SET_H

#include "algebra/descriptor.h"

/* Local. Tells whether chunks of `size` bytes never share one if at least one of the
 * first `first` levels differs, whatever the others are. Strides are positive, and
 * there are at most LDAD_LEVELS + 1 levels. */
enum ldad_answer ldad_set_apart(const struct ldad_level *level, int levels, int first,
                                int64_t size);

/* Local. ldad_map_make for a plan that is known to be sound; false, and no sentence, if
 * it is no map. */
bool ldad_map_fits(struct ldad_map *m, const struct ldad_plan *p);

#endif
