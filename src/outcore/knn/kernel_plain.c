/* Portable C: four floats fill a register on most processors. */
#include "outcore/knn/kernel.h"

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_masks __attribute__((vector_size(16)));

#define LANES 4
#define VECTOR four
#define BLOCK 4
#define TARGET
#define SPREAD(x) spread(x)
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define NOT_ABOVE(a, b) not_above(a, b)
#define TURN(at, stride, to) turn(at, stride, to)

static inline four spread(float x)
{
    return (four){x, x, x, x};
}

static inline int not_above(four a, four b)
{
    four_masks above = a > b;
    return ~(above[0] & above[1] & above[2] & above[3]);
}

static inline void turn(const char *at, int64_t stride, four to[4])
{
    float x[4][4];
    for (int i = 0; i < 4; i++)
        __builtin_memcpy(x[i], at + i * stride, sizeof x[i]);
    for (int i = 0; i < 4; i++)
        to[i] = (four){x[0][i], x[1][i], x[2][i], x[3][i]};
}

#include "outcore/knn/kernel_scan.h"

static bool usable(void)
{
    return true;
}

const struct kernel kernel_plain = {"plain", usable, BLOCK, ROWS, scan};
