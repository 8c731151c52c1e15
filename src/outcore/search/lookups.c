#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "outcore/search/search.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- records fetched ------------------------------------------------------------- */

struct fetching {
    struct fetch *f;
    struct run_file *file;
    int64_t first[FETCH_DEPTH_MOST]; /* of each slot */
};

int64_t fetch_slot_bytes(const struct pages *p)
{
    int64_t row = FETCH_IN_A_ROW * p->record_bytes;
    int64_t most = units_round_up(row, p->align) + p->align;
    int64_t page = pages_most(p);
    return units_round_up(page > most ? page : most, IO_DIRECT_ALIGN);
}

/* Local. The request for `read`, into a slot of slot_bytes. Makes a request; with
 * direct I/O for whole blocks, except at the end of the file. */
static struct io_req fetch_request(const struct run_file *f,
                                   const struct pages_read *read, int slot,
                                   int64_t slot_bytes)
{
    bool direct = f->run->io_flags & IO_DIRECT;
    int64_t bytes = direct ? read->whole : read->bytes;
    return (struct io_req){.op = IO_OP_READ,
                           .buf = f->run->buffer + slot * slot_bytes,
                           .offset = read->offset,
                           .bytes = bytes,
                           .least = read->bytes < bytes ? read->bytes : 0};
}

static struct io_req lookups_request(const void *context, int64_t i, int slot)
{
    struct fetching *c = *(struct fetching *const *)context;
    struct fetch_records w = c->f->want(c->f->context, i, slot);
    struct pages_read read = pages_read_records(c->f->pages, w.first, w.n);
    c->first[slot] = w.first;
    c->f->bytes += read.bytes;
    return fetch_request(c->file, &read, slot, fetch_slot_bytes(c->f->pages));
}

static void done(void *context, const struct io_req *req, int64_t i, int slot)
{
    struct fetching *c = *(struct fetching *const *)context;
    int64_t at = c->first[slot] * c->f->pages->record_bytes - req->offset;
    const struct fetched is = {.data = req->buf,
                               .offset = req->offset,
                               .bytes = req->done,
                               .records = (const char *)req->buf + at};
    c->f->have(c->f->context, &is, i, slot);
}

void fetch_run(struct fetch *f, struct run_file *file, struct io_req *req)
{
    struct fetching c = {.f = f, .file = file}, *context = &c;
    struct run_queue q = {.make = lookups_request,
                          .done = done,
                          .context = &context,
                          .total = f->n,
                          .ordered = f->ordered,
                          .untimed = f->untimed};
    f->bytes = 0;
    run_queue(file, req, &q);
}

/* ---- look-ups -------------------------------------------------------------------- */

/* Local. An answer as a number. */
static inline int64_t lookup_answer(struct found f)
{
    return 2 * f.position + f.equal;
}

int lookups_open(struct lookups *l, int lanes, int depth)
{
    l->lane = mem_new(lanes, sizeof *l->lane, "look-ups");
    for (int i = 0; l->lane && i < lanes; i++) {
        struct lookups_lane *of = &l->lane[i];
        of->req = mem_new(depth, sizeof *of->req, "look-ups");
        of->slot = mem_new(depth, sizeof *of->slot, "look-ups");
        if (!of->req || !of->slot)
            return -ENOMEM;
    }
    return l->lane ? 0 : -ENOMEM;
}

void lookups_close(struct lookups *l, int lanes)
{
    for (int i = 0; l->lane && i < lanes; i++) {
        free(l->lane[i].req);
        free(l->lane[i].slot);
    }
    free(l->lane);
    l->lane = NULL;
}

void lookups_begin(struct lookups *l, int lanes)
{
    for (int i = 0; i < lanes; i++) {
        l->lane[i].reads = l->lane[i].bytes = l->lane[i].longest_ns = 0;
        memset(l->lane[i].hist, 0, sizeof l->lane[i].hist);
    }
}

struct looking { /* state of a lane */
    struct lookups *all;
    struct lookups_lane *l;
    struct run_file *file;
    int64_t slot_bytes;
};

/* Takes the next key. */
static bool lookups_take(const struct looking *c, struct lookup *s)
{
    struct lookups *all = c->all;
    s->number = atomic_fetch_add_explicit(&all->next, 1, memory_order_relaxed);
    if (s->number >= all->n)
        return false;
    finding_begin(&s->finding, all->order, all->index, all->from, all->end,
                  all->keys + s->number * all->key_bytes);
    return true;
}

static struct io_req lookups_make(const void *context, int64_t i, int slot)
{
    const struct looking *c = context;
    struct lookup *s = &c->l->slot[slot];
    (void)i;
    if (!s->going_on && !lookups_take(c, s))
        return (struct io_req){.bytes = -1};
    struct pages_read read = pages_read_page(c->all->pages, s->finding.page);
    c->l->bytes += read.bytes;
    c->l->reads++;
    return fetch_request(c->file, &read, slot, c->slot_bytes);
}

static void lookups_refuse(const struct looking *c, const struct io_req *req)
{
    run_fail(c->file->run,
             err_set(-EIO, c->file->path, req->offset,
                     "what is in this block is not where the index has it: the file "
                     "is not sorted, or was changed"));
}

static void lookups_done(void *context, const struct io_req *req, int64_t i, int slot)
{
    const struct looking *c = context;
    const struct lookups *all = c->all;
    struct lookup *s = &c->l->slot[slot];
    struct pages_read read = pages_read_page(all->pages, s->finding.page);
    (void)i;
    s->start_ns = s->going_on ? s->start_ns : req->start_ns;
    enum finding_next next = finding_look(&s->finding, all->order, all->pages,
                                          (const char *)req->buf + read.skip);
    s->going_on = next == FINDING_READ;
    if (next == FINDING_UNSORTED)
        lookups_refuse(c, req);
    if (next != FINDING_DONE)
        return;
    int64_t ns = req->end_ns - s->start_ns;
    c->l->longest_ns = ns > c->l->longest_ns ? ns : c->l->longest_ns;
    c->l->hist[hist_bucket(ns)]++;
    all->answer[s->number] = lookup_answer(s->finding.is);
}

void lookups_run(struct run *r, void *lookups)
{
    struct lookups *all = lookups;
    struct looking c = {.all = all,
                        .l = &all->lane[r->lane],
                        .file = &all->of[r->lane],
                        .slot_bytes = fetch_slot_bytes(all->pages)};
    struct run_queue q = {
        .make = lookups_make, .done = lookups_done, .context = &c, .total = -1};
    if (r->lane >= all->lanes || all->from == all->end)
        return;
    memset(c.l->slot, 0, (size_t)c.file->depth * sizeof *c.l->slot);
    run_queue(c.file, c.l->req, &q);
}

/* ---- keys ------------------------------------------------------------------------ */

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

static char *lookups_key_of(const struct filling *f, int64_t q)
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
    memcpy(lookups_key_of(f, f->number[slot]), is->records,
           (size_t)f->w->keys->key_bytes);
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
            make_row(k, !hit, hit ? keys_record(k, q) : q, lookups_key_of(&f, q));
    }
    struct fetch fetch = {.pages = k->pages,
                          .want = want,
                          .have = have,
                          .context = &f,
                          .n = k->read ? keys_hits(k, end) - keys_hits(k, f.next) : 0,
                          .untimed = true};
    fetch_run(&fetch, &w->of[r->lane], w->req[r->lane]);
}
