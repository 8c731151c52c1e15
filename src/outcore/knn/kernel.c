#include "outcore/knn/kernel.h"
#include "base/mem.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ----------------------------------------------------------------------- */

int64_t nearest_memory(int64_t queries, int64_t k)
{
    return queries * ((int64_t)sizeof(float) + k * (int64_t)sizeof(struct neighbour));
}

int nearest_open(struct nearest *n, int64_t queries, int64_t k)
{
    *n = (struct nearest){.queries = queries, .k = k};
    n->limit = mem_new(queries, sizeof *n->limit, "neighbours of queries");
    n->list = mem_new(queries * k, sizeof *n->list, "neighbours of queries");
    if (n->limit && n->list)
        return 0;
    nearest_close(n);
    return -ENOMEM;
}

void nearest_close(struct nearest *n)
{
    free(n->limit);
    free(n->list);
    *n = (struct nearest){.limit = NULL};
}

void nearest_begin(struct nearest *n, int64_t queries)
{
    n->queries = queries;
    n->nans = 0;
    for (int64_t q = 0; q < queries; q++)
        n->limit[q] = INFINITY;
    for (int64_t i = 0; i < queries * n->k; i++)
        n->list[i] = (struct neighbour){INFINITY, NEAREST_NONE};
}

/* Replaces the first of a heap of k by x, and restores its order. */
static void sift(struct neighbour *heap, int64_t k, struct neighbour x)
{
    int64_t i = 0, child = 1;
    for (; child < k; child = 2 * i + 1) {
        if (child + 1 < k && nearest_before(&heap[child], &heap[child + 1]))
            child++;
        if (!nearest_before(&x, &heap[child]))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = x;
}

/* The limit of a list: as numbers rise, a vector as far as the worst does not enter, so
 * it is the largest float below that distance. */
static float limit_of(const struct neighbour *worst)
{
    float below;
    uint32_t bits;
    if (worst->id == NEAREST_NONE)
        return INFINITY;
    if (worst->d2 <= 0)
        return -1;
    memcpy(&bits, &worst->d2, sizeof bits);
    bits--;
    memcpy(&below, &bits, sizeof below);
    return below;
}

void nearest_offer(struct nearest *n, int64_t query, const float *d2, int64_t count,
                   uint64_t first)
{
    struct neighbour *heap = n->list + query * n->k;
    for (int64_t i = 0; i < count; i++) {
        if (d2[i] <= n->limit[query]) {
            sift(heap, n->k, (struct neighbour){d2[i], first + (uint64_t)i});
            n->limit[query] = limit_of(heap);
        }
        n->nans += query == 0 && isnan(d2[i]);
    }
}

static int nearest_compare(const void *a, const void *b)
{
    return nearest_before(b, a) - nearest_before(a, b);
}

void nearest_sort(struct nearest *n)
{
    for (int64_t q = 0; q < n->queries; q++)
        qsort(n->list + q * n->k, (size_t)n->k, sizeof *n->list, nearest_compare);
}

void nearest_merge(const struct neighbour *from, struct neighbour *into, int64_t k,
                   struct neighbour *room)
{
    int64_t i = 0, j = 0;
    for (int64_t to = 0; to < k; to++)
        room[to] = nearest_before(&from[i], &into[j]) ? from[i++] : into[j++];
    memcpy(into, room, (size_t)k * sizeof *into);
}

/* ---- kernels --------------------------------------------------------------------- */

static const struct kernel *const kernels[] = {
#ifdef __x86_64__
    &kernel_avx512, &kernel_avx2,
#endif
    &kernel_plain};

const struct kernel *kernel_number(int i)
{
    return i < (int)(sizeof kernels / sizeof *kernels) ? kernels[i] : NULL;
}

const struct kernel *kernel_best(void)
{
    int i = 0;
    while (!kernels[i]->usable())
        i++;
    return kernels[i];
}

int64_t kernel_room(const struct kernel *k, int64_t dim)
{
    return k->rows * dim * (int64_t)sizeof(float);
}

int64_t kernel_memory(int64_t queries, int64_t dim)
{
    return queries * dim * (int64_t)sizeof(float);
}

void kernel_pack(const struct kernel *k, const float *from, struct kernel_queries *q)
{
    float *to = q->packed;
    for (int64_t i = 0, n = k->block; i < q->n; i += n) {
        while (n > q->n - i)
            n /= 2;
        for (int64_t c = 0; c < q->dim; c++)
            for (int64_t j = 0; j < n; j++)
                *to++ = from[(i + j) * q->dim + c];
    }
}

/* Uses four sums, since a compiler may not split one. */
double kernel_exact(const void *row, const float *query, int64_t dim)
{
    double sum[4] = {0};
    for (int64_t c = 0; c < dim; c++) {
        float x;
        memcpy(&x, (const char *)row + c * (int64_t)sizeof x, sizeof x);
        double d = (double)x - (double)query[c];
        sum[c % 4] += d * d;
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* ---- the portable kernel --------------------------------------------------------- */

/* Portable C: four floats fill a register on most processors. */

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_masks __attribute__((vector_size(16)));

#define LANES 4
#define VECTOR four
#define BLOCK 4
#define TARGET
#define SPREAD(x) kernel_spread(x)
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define NOT_ABOVE(a, b) not_above(a, b)
#define TURN(at, stride, to) kernel_turn(at, stride, to)

static inline four kernel_spread(float x)
{
    return (four){x, x, x, x};
}

static inline int not_above(four a, four b)
{
    four_masks above = a > b;
    return ~(above[0] & above[1] & above[2] & above[3]);
}

static inline void kernel_turn(const char *at, int64_t stride, four to[4])
{
    float x[4][4];
    for (int i = 0; i < 4; i++)
        __builtin_memcpy(x[i], at + i * stride, sizeof x[i]);
    for (int i = 0; i < 4; i++)
        to[i] = (four){x[0][i], x[1][i], x[2][i], x[3][i]};
}

#include "outcore/knn/kernel_scan.h"

static bool kernel_usable(void)
{
    return true;
}

const struct kernel kernel_plain = {"plain", kernel_usable, BLOCK, ROWS, scan};
