/* A set of byte ranges, sorted and merged. */
#ifndef IO_PART_EXTENTS_H
#define IO_PART_EXTENTS_H

#include <stdint.h>

/* Ranges one set may have: 16 MiB of memory. */
#define EXTENTS_MOST (1 << 20)

struct extents_range {
    int64_t begin, end;
};

struct extents {
    struct extents_range *range;
    int64_t n, room;
};

/* Local. Adds [begin, end), begin < end. 0, -ENOMEM, or -E2BIG where there would be
 * more than EXTENTS_MOST; no sentence. O(n) where it is not the last. */
int extents_add(struct extents *x, int64_t begin, int64_t end);

/* Local. The first range that ends behind `offset`; NULL: there is none. */
const struct extents_range *extents_from(const struct extents *x, int64_t offset);

/* Local. Takes out what is at `end` or behind it. */
void extents_cut(struct extents *x, int64_t end);

/* Local. Bytes of all ranges. */
int64_t extents_bytes(const struct extents *x);

void extents_free(struct extents *x);

#endif
