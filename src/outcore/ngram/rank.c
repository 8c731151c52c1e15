#include "outcore/ngram/rank.h"
#include <stdlib.h>
#include <string.h>

/* Memory: for each gram its row, from 1 on, or 0; then rows with the rank in each
 * language, from 1 on, or 0. */
static int64_t first_of(const struct languages *m, int l, int64_t ranks)
{
    int64_t n = m->first[l + 1] - m->first[l];
    return n < ranks ? n : ranks;
}

int64_t rank_memory(const struct languages *m, int64_t ranks)
{
    int64_t rows = 1;
    for (int l = 0; l < m->languages; l++)
        rows += first_of(m, l, ranks);
    return grams_all(m->n) * (int64_t)sizeof(uint32_t) +
           rows * m->languages * (int64_t)sizeof(uint16_t);
}

static uint16_t *rows_of(void *memory, int n)
{
    return (uint16_t *)((uint32_t *)memory + grams_all(n));
}

void rank_fill(const struct languages *m, int64_t ranks, void *to)
{
    uint32_t *row = to, rows = 0;
    uint16_t *rank = rows_of(to, m->n);
    for (int l = 0; l < m->languages; l++)
        for (int64_t i = 0; i < first_of(m, l, ranks); i++) {
            uint32_t gram = m->gram[m->first[l] + i].gram;
            row[gram] = row[gram] ? row[gram] : ++rows;
            rank[(int64_t)row[gram] * m->languages + l] = (uint16_t)(i + 1);
        }
}

/* ---- a text ---------------------------------------------------------------------- */

int64_t ranking_memory(int n)
{
    return grams_all(n) * (int64_t)(sizeof(int64_t) + sizeof(uint32_t));
}

void ranking_open(struct ranking *k, int n, void *memory)
{
    *k = (struct ranking){.n = n, .count = memory};
    k->there = (uint32_t *)(k->count + grams_all(n));
}

void ranking_count(struct ranking *k, const uint32_t *gram, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!k->count[gram[i]]++)
            k->there[k->grams++] = gram[i];
}

static int by_count(const void *a, const void *b, void *count)
{
    const int64_t *of = count;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (of[x] != of[y])
        return of[x] > of[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void add_distances(struct ranking *k, const void *of_languages, int languages,
                          int64_t ranks, int64_t *distance)
{
    const uint32_t *row = of_languages;
    const uint16_t *rank = (const uint16_t *)(row + grams_all(k->n));
    for (int64_t i = 0; i < k->grams && i < ranks; i++) {
        const uint16_t *of = rank + (int64_t)row[k->there[i]] * languages;
        k->known |= row[k->there[i]] > 0;
        for (int l = 0; l < languages; l++)
            distance[l] += of[l] ? llabs(of[l] - 1 - i) : ranks;
    }
}

void ranking_end(struct ranking *k, const void *of_languages, int languages,
                 int64_t ranks, int64_t *distance)
{
    k->known = false;
    qsort_r(k->there, (size_t)k->grams, sizeof *k->there, by_count, k->count);
    add_distances(k, of_languages, languages, ranks, distance);
    for (int64_t i = 0; i < k->grams; i++)
        k->count[k->there[i]] = 0;
    k->grams = 0;
}
