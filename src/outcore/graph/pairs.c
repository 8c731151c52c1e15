#include "outcore/graph/pairs.h"
#include <stdbool.h>
#include <string.h>

/* Buckets of a pass: few enough for their ends to stay in the first cache. */
enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

static bool is_sorted(const uint64_t *key, int64_t n, uint64_t *most)
{
    bool sorted = true;
    *most = n ? key[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        sorted &= key[i - 1] <= key[i];
        *most = key[i] > *most ? key[i] : *most;
    }
    return sorted;
}

static void pass(const struct pairs *from, struct pairs *to, int64_t n, int shift)
{
    int64_t at[BUCKETS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++)
        at[from->key[i] >> shift & (BUCKETS - 1)]++;
    for (int b = 0; b < BUCKETS; b++) {
        int64_t count = at[b];
        at[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t place = at[from->key[i] >> shift & (BUCKETS - 1)]++;
        to->key[place] = from->key[i];
        to->value[place] = from->value[i];
    }
}

void pairs_sort(struct pairs *of, struct pairs *other, int64_t n)
{
    uint64_t most;
    if (is_sorted(of->key, n, &most))
        return;
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        pass(of, other, n, shift);
        struct pairs swap = *of;
        *of = *other;
        *other = swap;
    }
}
