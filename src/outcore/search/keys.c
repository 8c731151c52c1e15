#include "outcore/search/keys.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/data/vectors.h"
#include "outcore/search/fetch.h"
#include <math.h>
#include <string.h>

enum { DIM = 32 }; /* of vectors */

void keys_prepare(struct keys *k, uint64_t seed)
{
    k->fresh_key = rng_key(seed, RNG_FRESH_KEYS);
    k->searched_key = rng_key(seed, RNG_SEARCHED);
    k->vectors = rng_key(seed, RNG_VECTORS);
    k->records[0] = (struct records){.key = rng_key(seed, RNG_RECORDS)};
    k->records[1] = (struct records){.key = k->fresh_key};
    records_prepare(&k->records[0]);
    records_prepare(&k->records[1]);
    if (k->skew > 0)
        zipf_prepare(&k->zipf, k->pages->records, k->skew);
}

/* The number of the first n look-ups that are for keys of the file. */
static int64_t keys_hits(const struct keys *k, int64_t n)
{
    return (int64_t)ceil((double)n * k->hit_rate);
}

static bool is_hit(const struct keys *k, int64_t q)
{
    return keys_hits(k, q + 1) > keys_hits(k, q);
}

/* The record, or row, of look-up q, which is a hit. A skew selects the draw: the same
 * records come again. */
static int64_t keys_record(const struct keys *k, int64_t q)
{
    uint64_t draw = (uint64_t)q;
    if (k->skew > 0)
        draw = (uint64_t)zipf_at(&k->zipf, rng_mix(k->searched_key), draw) - 1;
    return (int64_t)rng_below(k->searched_key, draw, (uint64_t)k->pages->records);
}

static void make_bytes(const struct keys *k, int64_t q, char *to)
{
    int64_t bytes = k->order->key_bytes, words = (bytes + 7) / 8;
    memset(to, 0, (size_t)k->order->key_at);
    to += k->order->key_at;
    for (int64_t at = 0; at < bytes; at += 8) {
        uint64_t word = rng_at(k->fresh_key, (uint64_t)(q * words + at / 8));
        memcpy(to + at, &word, bytes - at < 8 ? (size_t)(bytes - at) : 8);
    }
}

static void make_row(const struct keys *k, bool fresh, int64_t row, char *to)
{
    float vector[DIM];
    char record[RECORDS_BYTES];
    if (k->kind == KEYS_BYTES)
        make_bytes(k, row, to);
    else if (k->kind == KEYS_RECORDS) {
        records_make(&k->records[fresh], row, 1, record);
        memcpy(to, record, (size_t)k->key_bytes);
    } else {
        vectors_make(fresh ? k->fresh_key : k->vectors, DIM, row, 1, vector);
        memcpy(to, vector, (size_t)k->key_bytes);
    }
}

struct filling { /* a lane: first .. end - 1 */
    const struct keys_work *w;
    int64_t next;                     /* next key to read */
    int64_t number[FETCH_DEPTH_MOST]; /* of each slot */
};

static char *key_of(const struct filling *f, int64_t q)
{
    return f->w->to + (q - f->w->first) * f->w->keys->key_bytes;
}

static struct fetch_records want(void *context, int64_t i, int slot)
{
    struct filling *f = context;
    const struct keys *k = f->w->keys;
    (void)i;
    while (!is_hit(k, f->next))
        f->next++;
    f->number[slot] = f->next++;
    return (struct fetch_records){keys_record(k, f->number[slot]), 1};
}

static void have(void *context, const struct fetched *is, int64_t i, int slot)
{
    const struct filling *f = context;
    (void)i;
    memcpy(key_of(f, f->number[slot]), is->records, (size_t)f->w->keys->key_bytes);
}

void keys_fill(struct run *r, void *work)
{
    const struct keys_work *w = work;
    const struct keys *k = w->keys;
    struct filling f = {.w = w};
    int64_t end = w->first + units_part(w->n, r->lane + 1, r->lanes);
    f.next = w->first + units_part(w->n, r->lane, r->lanes);
    for (int64_t q = f.next; q < end; q++) {
        bool hit = is_hit(k, q);
        if (!hit || !k->read)
            make_row(k, !hit, hit ? keys_record(k, q) : q, key_of(&f, q));
    }
    struct fetch fetch = {.pages = k->pages,
                          .want = want,
                          .have = have,
                          .context = &f,
                          .n = k->read ? keys_hits(k, end) - keys_hits(k, f.next) : 0,
                          .untimed = true};
    fetch_run(&fetch, &w->of[r->lane], w->req[r->lane]);
}
