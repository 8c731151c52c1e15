/* A radix sort in place, from the highest bits that vary (P. McIlroy, K. Bostic, M.
 * McIlroy: "Engineering radix sort", Computing Systems 6, 1993), for elements of any
 * type. A source defines these, and then includes this file once or more:
 *
 *   RADIX(name)             the names of its functions
 *   RADIX_TYPE              of an element
 *   RADIX_WORD(c, p, k)     word k of *p
 *   RADIX_BEFORE(c, p, q)   true if *p comes before *q by these words
 *   RADIX_SMALL(c, a, n)    optional: sorts a few of them in a faster way, and returns
 *                           true; or does nothing, and returns false
 *
 * where words are numbers of 64 bits of which the first that differs decides, and c is
 * the `context` that the source hands on. The source gets RADIX(sort)(a, n, k,
 * context), which sorts n elements by words k and up. It uses no memory but the stack:
 * 2 KiB a level, each of which takes 3 bits or more. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef SORT_RADIX_H
#define SORT_RADIX_H

/* Measured: with 8 bits, one load of soundings takes 1.7 times as long to sort. */
#define RADIX_DIGIT 7 /* bits, at most: caches and TLBs can follow that many streams */
#define RADIX_BUCKETS (1 << RADIX_DIGIT)
#define RADIX_FILL 1 /* bits: at least 2 elements a bucket */
#define RADIX_FEW 24 /* elements that insertion sorts */

/* Buckets of a word's values from `least` on, each for 2^shift of them. */
struct radix_digit {
    int word, shift, buckets;
    uint64_t least;
};

/* Chooses as many buckets as are worthwhile for n elements. */
static inline struct radix_digit radix_digit(int64_t n, int k, uint64_t least,
                                             uint64_t most)
{
    int bits = 64 - __builtin_clzll(most - least);
    int wanted = 63 - __builtin_clzll((uint64_t)n) - RADIX_FILL;
    int width = wanted < RADIX_DIGIT ? wanted : RADIX_DIGIT;
    int shift = bits > width ? bits - width : 0;
    return (struct radix_digit){k, shift, (int)((most - least) >> shift) + 1, least};
}

#endif

static void RADIX(few)(RADIX_TYPE *a, int64_t n, const void *context)
{
    (void)context;
    for (int64_t i = 1; i < n; i++) {
        RADIX_TYPE s = a[i];
        int64_t j = i;
        for (; j > 0 && RADIX_BEFORE(context, &s, &a[j - 1]); j--)
            a[j] = a[j - 1];
        a[j] = s;
    }
}

/* Finds the least and the greatest word k. Returns true if all are in order already,
 * which is common for data that were written in order. */
static bool RADIX(look)(const RADIX_TYPE *a, int64_t n, int k, const void *context,
                        uint64_t *least, uint64_t *most)
{
    bool sorted = true;
    (void)context;
    *least = *most = RADIX_WORD(context, &a[0], k);
    for (int64_t i = 1; i < n; i++) {
        uint64_t w = RADIX_WORD(context, &a[i], k);
        *least = w < *least ? w : *least;
        *most = w > *most ? w : *most;
        sorted = sorted && !RADIX_BEFORE(context, &a[i], &a[i - 1]);
    }
    return sorted;
}

static inline int64_t RADIX(bucket)(const struct radix_digit *d, const RADIX_TYPE *p,
                                    const void *context)
{
    (void)context;
    return (int64_t)((RADIX_WORD(context, p, d->word) - d->least) >> d->shift);
}

/* Moves every element into its bucket, in place, by cycles: the element found in a
 * place is carried on to where it belongs. `start` and `end` bound the buckets. */
static void RADIX(deal)(RADIX_TYPE *a, struct radix_digit d, int64_t *start,
                        const int64_t *end, const void *context)
{
    for (int b = 0; b < d.buckets; b++)
        while (start[b] < end[b]) {
            RADIX_TYPE s = a[start[b]];
            for (int64_t to = RADIX(bucket)(&d, &s, context); to != b;
                 to = RADIX(bucket)(&d, &s, context)) {
                RADIX_TYPE other = a[start[to]];
                a[start[to]++] = s;
                s = other;
            }
            a[start[b]++] = s;
        }
}

static void RADIX(sort)(RADIX_TYPE *a, int64_t n, int k, const void *context)
{
    int64_t start[RADIX_BUCKETS], end[RADIX_BUCKETS], sum = 0;
    uint64_t least, most;
#ifdef RADIX_SMALL
    if (RADIX_SMALL(context, a, n))
        return;
#endif
    for (;; k++) {
        if (n <= RADIX_FEW) {
            RADIX(few)(a, n, context);
            return;
        }
        if (RADIX(look)(a, n, k, context, &least, &most))
            return;
        if (least < most)
            break;
    }
    struct radix_digit d = radix_digit(n, k, least, most);
    memset(start, 0, (size_t)d.buckets * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        start[RADIX(bucket)(&d, &a[i], context)]++;
    for (int b = 0; b < d.buckets; b++) {
        int64_t count = start[b];
        start[b] = sum;
        end[b] = sum += count;
    }
    RADIX(deal)(a, d, start, end, context);
    for (int b = 0; b < d.buckets; b++) {
        int64_t first = b > 0 ? end[b - 1] : 0;
        RADIX(sort)(a + first, end[b] - first, k, context);
    }
}
