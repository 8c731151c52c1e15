/* The common part of the kernels for x86's registers (outcore/knn/kernel_scan.h). A
 * source defines what that needs, except TURN, and also:
 *
 *   EVERY_FOURTH(at, stride) 4 components of rows 0, 4, ... from here, row by row
 *   LOW(a, b), HIGH(a, b) unpacklo and unpackhi of these registers
 *   PAIRS(a, b, which) shuffle of them
 *
 * all of which work on each group of 4 lanes separately; and then includes this. */
#include "outcore/knn/kernel.h"
#include <immintrin.h>
#include <string.h>

enum { FIRST_PAIRS = 0x44, LAST_PAIRS = 0xee };

static inline __m128 four(const char *at)
{
    __m128 x;
    memcpy(&x, at, sizeof x);
    return x;
}

#define TURN(at, stride, to) kernel_x86_turn(at, stride, to)

static inline TARGET void kernel_x86_turn(const char *at, int64_t stride, VECTOR to[4])
{
    VECTOR a = EVERY_FOURTH(at, stride), b = EVERY_FOURTH(at + stride, stride),
           c = EVERY_FOURTH(at + 2 * stride, stride),
           d = EVERY_FOURTH(at + 3 * stride, stride);
    VECTOR ab = LOW(a, b), cd = LOW(c, d);
    to[0] = PAIRS(ab, cd, FIRST_PAIRS);
    to[1] = PAIRS(ab, cd, LAST_PAIRS);
    ab = HIGH(a, b);
    cd = HIGH(c, d);
    to[2] = PAIRS(ab, cd, FIRST_PAIRS);
    to[3] = PAIRS(ab, cd, LAST_PAIRS);
}

#include "outcore/knn/kernel_scan.h"
