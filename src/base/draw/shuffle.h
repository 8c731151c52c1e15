/* A permutation without memory: every number of 0 .. n - 1 once, in an order that looks
 * random. */
#ifndef BASE_DRAW_SHUFFLE_H
#define BASE_DRAW_SHUFFLE_H

#include <stdint.h>

/* Local. Where number i (0 <= i < n) goes. A four-round Feistel network on the smallest
 * even number of bits that holds n; results outside are walked on until inside (fewer
 * than four steps on average). */
int64_t shuffle(int64_t i, int64_t n, uint64_t key);

#endif
