/* A permutation without memory: each number of 0 .. n - 1 once, in
 * pseudorandom order. */
#ifndef BASE_DRAW_SHUFFLE_H
#define BASE_DRAW_SHUFFLE_H

#include <stdint.h>

/* Local. The new place of number i (0 <= i < n). Applies a four-round Feistel network
 * on the smallest even number of bits that holds n, repeatedly until the result is
 * below n (fewer than four times on average). */
int64_t shuffle(int64_t i, int64_t n, uint64_t key);

#endif
