/* The scan of a kernel (outcore/knn/kernel.h), for registers of any width. A source
 * defines the following, and then includes this once:
 *
 *   LANES, VECTOR floats of a register, a power of 2; the type of one
 *   BLOCK                 queries at a time: 8 or less, a power of 2
 *   TARGET                the function attribute of its instruction set
 *   SPREAD(x)             the number x in all lanes
 *   MULTIPLY_ADD(a, b, c) a * b + c
 *   NOT_ABOVE(a, b) an integer: not 0 if a lane of `a` is not greater than b's, or a
 *                NaN
 *   TURN(at, stride, to) 4 components of LANES rows that are `stride` bytes apart, into
 *            registers to[0], ..., to[3], each with a component of all rows
 *
 * It defines scan(), which takes 2 LANES rows at a time. */
#include "outcore/knn/kernel.h"
#include <stdint.h>
#include <string.h>

enum {
    ROWS = 2 * LANES,
    LINE = 64,    /* bytes of a cache line */
    AHEAD = 8192, /* most bytes that are prefetched: they must stay in L1 */
};

#define INLINE static inline TARGET __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

/* Transposes rows: component c of row v is room[c * ROWS + v]. */
TARGET static void turn_rows(const char *at, int64_t stride, int64_t dim, float *room)
{
    for (int64_t c = 0; c + 4 <= dim; c += 4)
        for (int half = 0; half < 2; half++) {
            VECTOR to[4];
            TURN(at + half * LANES * stride + c * 4, stride, to);
            for (int i = 0; i < 4; i++)
                memcpy(room + (c + i) * ROWS + half * LANES, &to[i], sizeof to[i]);
        }
}

/* Does the same one by one, for n rows from component c on. */
static void turn_each(const char *at, int64_t stride, int64_t dim, float *room,
                      int64_t n, int64_t c)
{
    for (; c < dim; c++)
        for (int64_t v = 0; v < n; v++)
            memcpy(room + c * ROWS + v, at + v * stride + c * 4, sizeof *room);
}

/* The squared distances of ROWS rows to n queries; n is a compile-time constant. */
INLINE void distances(const float *room, const float *q, int64_t dim, const int n,
                      VECTOR d2[BLOCK][2])
{
    UNROLL for (int j = 0; j < n; j++) d2[j][0] = d2[j][1] = SPREAD(0);
    for (int64_t c = 0; c < dim;) {
        int64_t end = dim - c < KERNEL_PART ? dim : c + KERNEL_PART;
        VECTOR sum[BLOCK][2];
        UNROLL for (int j = 0; j < n; j++) sum[j][0] = sum[j][1] = SPREAD(0);
        for (; c < end; c++) {
            const VECTOR *x = (const VECTOR *)(room + c * ROWS);
            UNROLL for (int j = 0; j < n; j++)
            {
                VECTOR y = SPREAD(q[c * n + j]), d0 = x[0] - y, d1 = x[1] - y;
                sum[j][0] = MULTIPLY_ADD(d0, d0, sum[j][0]);
                sum[j][1] = MULTIPLY_ADD(d1, d1, sum[j][1]);
            }
        }
        UNROLL for (int j = 0; j < n; j++)
        {
            d2[j][0] += sum[j][0];
            d2[j][1] += sum[j][1];
        }
    }
}

/* Compares rows with queries. Few rows of a file enter a list. */
INLINE void kernel_compare(const float *room, const struct kernel_queries *q,
                           int64_t from, const int n, struct nearest *to, int64_t rows,
                           uint64_t first)
{
    VECTOR d2[BLOCK][2];
    distances(room, q->packed + from * q->dim, q->dim, n, d2);
    UNROLL for (int j = 0; j < n; j++)
    {
        VECTOR limit = SPREAD(to->limit[from + j]);
        if (__builtin_expect(NOT_ABOVE(d2[j][0], limit) | NOT_ABOVE(d2[j][1], limit),
                             0)) {
            float each[ROWS];
            memcpy(each, d2[j], sizeof each);
            nearest_offer(to, from + j, each, rows, first);
        }
    }
}

/* Compares the first `rows` of the ROWS transposed rows with all queries. */
TARGET static void compare_all(const float *room, const struct kernel_queries *q,
                               struct nearest *to, int64_t rows, uint64_t first)
{
    int64_t i = 0;
    for (; i + BLOCK <= q->n; i += BLOCK)
        kernel_compare(room, q, i, BLOCK, to, rows, first);
    if (BLOCK > 4 && (q->n & 4)) {
        kernel_compare(room, q, i, 4, to, rows, first);
        i += 4;
    }
    if (q->n & 2) {
        kernel_compare(room, q, i, 2, to, rows, first);
        i += 2;
    }
    if (q->n & 1)
        kernel_compare(room, q, i, 1, to, rows, first);
}

static void ask_ahead(const char *at, int64_t bytes)
{
    for (int64_t b = 0; b < bytes && b < AHEAD; b += LINE)
        __builtin_prefetch(at + b);
}

TARGET static void scan(const struct kernel_rows *rows, const struct kernel_queries *q,
                        struct nearest *to, float *room)
{
    const char *at = rows->at;
    int64_t stride = rows->stride, left = rows->n;
    uint64_t first = rows->first;
    for (; left >= ROWS; left -= ROWS, first += ROWS, at += ROWS * stride) {
        turn_rows(at, stride, q->dim, room);
        turn_each(at, stride, q->dim, room, ROWS, q->dim / 4 * 4);
        if (left >= 2 * ROWS)
            ask_ahead(at + ROWS * stride, ROWS * stride);
        compare_all(room, q, to, ROWS, first);
    }
    if (!left)
        return;
    memset(room, 0, (size_t)(ROWS * q->dim) * sizeof *room);
    turn_each(at, stride, q->dim, room, left, 0);
    compare_all(room, q, to, left, first);
}
