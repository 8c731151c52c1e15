/* Groups of records in memory. Records that are handed out in groups are not moved
 * before: their places are sorted, by counting, into the room that is left behind them.
 * So records that came in order of the rest of the key, as soundings of surveys do,
 * cost a count and a copy. */
#include "extsort/inside.h"
#include <string.h>

enum { AHEAD = 16 }; /* records that are prefetched */

static inline int64_t record_number(const char *record)
{
    int64_t number;
    memcpy(&number, record, sizeof number);
    return number;
}

/* Returns the bucket of a record. Groups are numbered from the least on; several share
 * a bucket if there is not one for each. */
static inline int64_t bucket_of(const struct groups *g, const char *record)
{
    return (int64_t)(((uint64_t)record_number(record) - (uint64_t)g->least) >>
                     g->shift);
}

static void choose_buckets(struct groups *g, int64_t most_buckets)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t number = record_number(g->records + i * g->bytes);
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    g->least = least;
    g->shift = 0;
    uint64_t range = (uint64_t)most - (uint64_t)least;
    while (range >> g->shift >= (uint64_t)most_buckets)
        g->shift++;
    g->buckets = (int64_t)(range >> g->shift) + 1;
}

/* Counts the records of each bucket. Returns how many the largest has. */
static int64_t count_buckets(struct groups *g)
{
    int64_t most = 0, sum = 0;
    memset(g->end, 0, (size_t)g->buckets * sizeof *g->end);
    for (int64_t i = 0; i < g->n; i++)
        g->end[bucket_of(g, g->records + i * g->bytes)]++;
    for (int64_t b = 0; b < g->buckets; b++) {
        int64_t n = g->end[b];
        most = n > most ? n : most;
        g->end[b] = (uint32_t)sum;
        sum += n;
    }
    return most;
}

bool groups_make(struct groups *g, const struct sort_order *o, const char *records,
                 int64_t n, int64_t room)
{
    char *left = (char *)(uintptr_t)records + n * o->bytes;
    int64_t bytes = room - n * o->bytes - n * (int64_t)sizeof *g->place;
    *g = (struct groups){.records = records, .n = n, .bytes = o->bytes};
    int64_t most_buckets = bytes / 2 / (int64_t)sizeof *g->end;
    if (n < 1 || n > UINT32_MAX || most_buckets < 1)
        return false;
    g->place = (uint32_t *)(void *)left;
    g->end = g->place + n;
    choose_buckets(g, most_buckets < n ? most_buckets : n);
    char *gathered = (char *)(g->end + g->buckets);
    g->gathered = gathered + (-(uintptr_t)gathered & 63);
    if (count_buckets(g) * o->bytes > records + room - g->gathered)
        return false;
    for (int64_t i = 0; i < n; i++)
        g->place[g->end[bucket_of(g, records + i * o->bytes)]++] = (uint32_t)i;
    return true;
}

/* Gathers the records of the next bucket that has any; at the end there are none. */
static void gather_bucket(struct groups *g, const struct sort_order *o)
{
    int64_t first = g->taken, end = first;
    while (end == first && g->bucket < g->buckets)
        end = g->end[g->bucket++];
    char *to = g->gathered;
    for (int64_t i = first; i < end; i++, to += o->bytes) {
        if (i + AHEAD < g->n)
            __builtin_prefetch(g->records + g->place[i + AHEAD] * o->bytes);
        extsort_copy(to, g->records + g->place[i] * o->bytes, o->bytes);
    }
    o->sort(g->gathered, end - first);
    g->at = g->gathered;
    g->gathered_end = to;
    g->taken = end;
}

const void *groups_next(struct groups *g, const struct sort_order *o, int64_t *n)
{
    if (g->at == g->gathered_end)
        gather_bucket(g, o);
    const char *first = g->at, *at = first;
    int64_t number = first < g->gathered_end ? record_number(first) : 0;
    while (at < g->gathered_end && record_number(at) == number)
        at += o->bytes;
    g->at = at;
    *n = (at - first) / o->bytes;
    return first;
}
