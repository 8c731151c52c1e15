#include "pfmload/store/batch.h"
#include "base/buf.h"
#include <string.h>

/* Of the radix sort; measured (bench/sorter). */
#define DIGIT_BITS 8 /* at most: the buckets' ends stay in the cache */
#define BUCKETS (1 << DIGIT_BITS)
#define FILL_BITS 1 /* at least 2 soundings a bucket */
#define FEW 24      /* that are sorted by insertion */

/* ---- the sort ------------------------------------------------------------------- */

static void sort_few(struct pfm_sounding *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        struct pfm_sounding s = a[i];
        int64_t j = i;
        for (; j > 0 && batch_before(&s, &a[j - 1]); j--)
            a[j] = a[j - 1];
        a[j] = s;
    }
}

/* Least and greatest word k. Returns whether all are in order already, as soundings
 * out of one survey line often are. */
static bool batch_look(const struct pfm_sounding *a, int64_t n, int k, uint64_t *least,
                       uint64_t *most)
{
    bool sorted = true;
    *least = *most = batch_word(&a[0], k);
    for (int64_t i = 1; i < n; i++) {
        uint64_t w = batch_word(&a[i], k);
        *least = w < *least ? w : *least;
        *most = w > *most ? w : *most;
        sorted = sorted && !batch_before(&a[i], &a[i - 1]);
    }
    return sorted;
}

/* Buckets for a word's values from `least` on: by `shift` bits less. */
struct digit {
    int k, shift, buckets;
    uint64_t least;
};

static inline int64_t digit(const struct digit *d, const struct pfm_sounding *s)
{
    return (int64_t)((batch_word(s, d->k) - d->least) >> d->shift);
}

/* Every sounding into its bucket, in place, by cycles: what is found where a sounding
 * belongs is carried on to where that belongs. `start` and `end` bound the buckets. */
static void deal(struct pfm_sounding *a, struct digit d, int64_t *start,
                 const int64_t *end)
{
    for (int b = 0; b < d.buckets; b++)
        while (start[b] < end[b]) {
            struct pfm_sounding s = a[start[b]];
            for (int64_t to = digit(&d, &s); to != b; to = digit(&d, &s)) {
                struct pfm_sounding other = a[start[to]];
                a[start[to]++] = s;
                s = other;
            }
            a[start[b]++] = s;
        }
}

/* As many buckets as are worth their while, BUCKETS at most. */
static struct digit digit_choose(int64_t n, int k, uint64_t least, uint64_t most)
{
    int bits = 64 - __builtin_clzll(most - least);
    int wanted = 63 - __builtin_clzll((uint64_t)n) - FILL_BITS;
    int width = wanted < DIGIT_BITS ? wanted : DIGIT_BITS;
    int shift = bits > width ? bits - width : 0;
    return (struct digit){k, shift, (int)((most - least) >> shift) + 1, least};
}

/* Sorts by words k to 3: a radix sort in place, from the highest bits that vary (P.
 * McIlroy, K. Bostic, M. McIlroy: Engineering radix sort, 1993). Each level takes 3 or
 * more of 256 bits, and 4 KiB of stack. */
static void sort(struct pfm_sounding *a, int64_t n, int k)
{
    int64_t start[BUCKETS], end[BUCKETS], sum = 0;
    uint64_t least, most;
    for (;; k++) {
        if (n <= FEW) {
            sort_few(a, n);
            return;
        }
        if (batch_look(a, n, k, &least, &most))
            return;
        if (least < most)
            break;
    }
    struct digit d = digit_choose(n, k, least, most);
    memset(start, 0, (size_t)d.buckets * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        start[digit(&d, &a[i])]++;
    for (int b = 0; b < d.buckets; b++) {
        int64_t count = start[b];
        start[b] = sum;
        end[b] = sum += count;
    }
    deal(a, d, start, end);
    for (int b = 0; b < d.buckets; b++) {
        int64_t first = b > 0 ? end[b - 1] : 0;
        sort(a + first, end[b] - first, k);
    }
}

void batch_sort_row(struct pfm_sounding *a, int64_t n)
{
    sort(a, n, 0);
}

/* ---- the batch ------------------------------------------------------------------ */

int batch_open(struct batch *b, int64_t bytes)
{
    int64_t one = sizeof *b->sounding;
    void *room = NULL;
    *b = (struct batch){.capacity = bytes < one ? 1 : bytes / one};
    int rc = buf_reserve(&room, b->capacity * one, "a batch of soundings");
    b->sounding = room;
    return rc;
}

int64_t batch_add(struct batch *b, const struct pfm_sounding *s, int64_t n)
{
    int64_t room = b->capacity - b->n, some = n < room ? n : room;
    memcpy(b->sounding + b->n, s, (size_t)some * sizeof *s);
    b->n += some;
    return some;
}

void batch_sort(struct batch *b)
{
    sort(b->sounding, b->n, 0);
}

int64_t batch_bin_end(const struct batch *b, int64_t i)
{
    int64_t bin = b->sounding[i].bin;
    while (i < b->n && b->sounding[i].bin == bin)
        i++;
    return i;
}

void batch_close(struct batch *b)
{
    buf_free(b->sounding);
    b->sounding = NULL;
}
