/* Divides the result into parts. Parts begin at records that are known of every chunk
 * or, in memory, at some of all records. For a run, only the chunk in which it reaches
 * such a record is known, not the place. */
#include "base/mem.h"
#include "extsort/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 256 }; /* samples of a section in memory */

#define RADIX(name) splits_##name
#define RADIX_TYPE struct split
#define RADIX_WORD(c, p, k) split_word(c, p, k)
#define RADIX_BEFORE(c, p, q) split_before(c, p, q)

static inline uint64_t split_word(const int *words, const struct split *p, int k)
{
    if (k < *words)
        return p->word[k];
    return (uint64_t)(k == *words ? p->source : p->place);
}

static inline bool split_before(const int *words, const struct split *p,
                                const struct split *q)
{
    for (int k = 0; k < *words + 2; k++) {
        uint64_t x = split_word(words, p, k), y = split_word(words, q, k);
        if (x != y)
            return x < y;
    }
    return false;
}

#include "sort/radix.h"

/* ---- samples --------------------------------------------------------------------- */

static int64_t samples_of(const struct extsort *s, int64_t source)
{
    if (s->runs.n)
        return extsort_chunks(s, &s->runs.run[source]);
    int64_t n = sections_held(s, source)->n;
    return n < SAMPLES ? n : SAMPLES;
}

/* Returns a sample. Those of a section in memory are made here. */
static struct split sample_of(const struct extsort *s, int64_t source, int64_t i,
                              uint64_t *made)
{
    if (s->runs.n)
        return (struct split){extsort_sample(s, &s->runs.run[source], i) + 1, source,
                              i * s->d.chunk};
    const struct lane *l = sections_held(s, source);
    int64_t place = l->n * i / samples_of(s, source);
    for (int k = 0; k < extsort_sample_words(s); k++)
        made[k] = sort_word(&s->how.order, sections_record(s, l, place), k);
    return (struct split){made, source, place};
}

static int64_t collect_samples(const struct extsort *s, struct split *all,
                               uint64_t *made)
{
    int64_t n = 0;
    for (int64_t x = 0; x < extsort_sources(s); x++)
        for (int64_t i = 0; i < samples_of(s, x); i++, n++)
            all[n] = sample_of(s, x, i, made + (made ? n * SAMPLE : 0));
    return n;
}

/* ---- splits ---------------------------------------------------------------------- */

static void choose_splits(struct extsort *s, struct split *all)
{
    int64_t n = collect_samples(s, all, s->sample);
    int words = extsort_sample_words(s);
    splits_sort(all, n, 0, &words);
    for (int i = 1; i < s->parts; i++)
        s->split[i - 1] = all[n * i / s->parts];
}

int split_make(struct extsort *s)
{
    int64_t n = 0;
    for (int64_t x = 0; x < extsort_sources(s); x++)
        n += samples_of(s, x);
    if (s->parts < 2 || !n)
        return 0;
    struct split *all = mem_new(n, sizeof *all, "dividing the merge");
    s->split = mem_new(s->parts, sizeof *s->split, "dividing the merge");
    s->sample =
        s->runs.n ? NULL : mem_new(n, SAMPLE * sizeof *s->sample, "dividing the merge");
    bool there = all && s->split && (s->sample || s->runs.n);
    if (there)
        choose_splits(s, all);
    free(all);
    return there ? 0 : -ENOMEM;
}

void split_free(struct extsort *s)
{
    free(s->split);
    free(s->sample);
    s->split = NULL;
    s->sample = NULL;
}

/* ---- in sources ------------------------------------------------------------------ */

/* Returns the first chunk that begins at the split or after it. */
static int64_t chunk_after(const struct extsort *s, int64_t i,
                           const struct split *split)
{
    const struct sorted_run *run = &s->runs.run[i];
    int64_t low = 0, high = extsort_chunks(s, run);
    int words = extsort_sample_words(s);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        /* keys that were cut short: equal ones all count as behind */
        struct split at = *split;
        at.word = extsort_sample(s, run, middle) + 1;
        if (extsort_exact(s)) {
            at.source = i;
            at.place = middle * s->d.chunk;
        }
        if (split_before(&words, &at, split))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void split_chunks(const struct extsort *s, int64_t i, const struct split *from,
                  const struct split *until, int64_t *begin, int64_t *end)
{
    *begin = 0;
    *end = extsort_chunks(s, &s->runs.run[i]);
    if (until)
        *end = chunk_after(s, i, until);
    if (!from)
        return;
    int64_t after = chunk_after(s, i, from);
    bool there = extsort_exact(s) && i == from->source;
    *begin = after - (after > 0 && !there);
}

int64_t split_place(const struct extsort *s, int64_t source, const struct split *split)
{
    const struct lane *l = sections_held(s, source);
    int64_t low = 0, high = l->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const void *record = sections_record(s, l, middle);
        uint64_t first[2];
        sort_first_words(&s->how.order, record, first);
        bool before = merge_before(s, first, record, source, split);
        if (source == split->source && extsort_exact(s))
            before = middle < split->place;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
