#include "outcore/sort/sections.h"
#include <string.h>

enum {
    SAMPLES = 32,          /* of each rank, for each rank */
    SAMPLES_MOST = 1 << 18 /* over all ranks */
};

void splitters_start(struct splitters *s, const struct sort_order *of, int ranks)
{
    *s = (struct splitters){.order = *of, .key_at = of->key_at, .ranks = ranks};
    s->order.key_at = 0;
    s->order.bytes = of->key_bytes + (int64_t)sizeof(int64_t);
}

int64_t splitters_sample_bytes(const struct splitters *s)
{
    return s->order.bytes;
}

int64_t splitters_bytes(const struct splitters *s)
{
    return (s->ranks - 1) * s->order.bytes;
}

int64_t splitters_samples(int ranks, int64_t n)
{
    int64_t all = (int64_t)SAMPLES * ranks * ranks;
    int64_t samples = all < SAMPLES_MOST ? all / ranks : SAMPLES_MOST / ranks;
    samples = samples < SAMPLES ? SAMPLES : samples;
    return samples < n ? samples : n;
}

int64_t splitters_place(int ranks, int64_t n, int rank, int64_t i)
{
    int64_t samples = splitters_samples(ranks, n);
    __int128 number = 2 * ((__int128)rank * samples + i) + 1;
    return (int64_t)(number * n / (2 * (__int128)ranks * samples));
}

void splitters_sample(const struct splitters *s, const void *key, int64_t place,
                      void *sample)
{
    memcpy(sample, key, (size_t)s->order.key_bytes);
    memcpy((char *)sample + s->order.key_bytes, &place, sizeof place);
}

static int64_t splitters_place_of(const struct splitters *s, const char *sample)
{
    int64_t place;
    memcpy(&place, sample + s->order.key_bytes, sizeof place);
    return place;
}

/* Chooses splitters. Samples come in the order of their places, and stay in it if keys
 * are equal. */
void splitters_choose(struct splitters *s, const void *samples, int64_t n,
                      struct sort_entry *e)
{
    int64_t bytes = s->order.bytes;
    sort_index(&s->order, samples, n, e);
    for (int k = 1; k < s->ranks; k++) {
        int64_t place = e[(int64_t)((__int128)n * k / s->ranks)].place;
        memcpy(s->splitter + (k - 1) * bytes, (const char *)samples + place * bytes,
               (size_t)bytes);
    }
}

/* True if the record is at or above a splitter. */
static bool reaches(const struct splitters *s, int k, const char *key, int64_t place)
{
    const char *splitter = s->splitter + k * s->order.bytes;
    int above = sort_compare(&s->order, key, splitter);
    return above ? above > 0 : place >= splitters_place_of(s, splitter);
}

int splitters_rank(const struct splitters *s, const void *record, int64_t place)
{
    const char *key = (const char *)record + s->key_at;
    int low = 0, high = s->ranks - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (reaches(s, middle, key, place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
