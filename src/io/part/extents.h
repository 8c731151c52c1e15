/* A set of byte ranges, sorted and merged. */
#ifndef IO_PART_EXTENTS_H
#define IO_PART_EXTENTS_H

#include <stdint.h>

/* The most ranges in a set: 16 MiB of memory. */
#define EXTENTS_MOST (1 << 20)

struct extents_range {
    int64_t begin, end;
};

struct extents {
    struct extents_range *range;
    int64_t n, room;
};

/* Local. Adds [begin, end), begin < end. Returns 0, -ENOMEM, or -E2BIG if there would
 * be more than EXTENTS_MOST; no sentence. O(n) unless it is the last range. */
int extents_add(struct extents *x, int64_t begin, int64_t end);

/* Local. The first range that ends behind `offset`; NULL: there is none. */
const struct extents_range *extents_from(const struct extents *x, int64_t offset);

/* Local. Removes everything at `end` and behind it. */
void extents_cut(struct extents *x, int64_t end);

/* Local. The bytes of all ranges. */
int64_t extents_bytes(const struct extents *x);

void extents_free(struct extents *x);

#endif
