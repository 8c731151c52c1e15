/* Cells: the counts of one rank and one file. */
#include "base/mem.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void evidence_add(struct evidence *to, const struct evidence *from)
{
    if (from->calls == 0)
        return;
    if (to->calls == 0) {
        *to = *from;
        return;
    }
    to->calls += from->calls;
    log_sum(&to->bytes, from->bytes);
    log_sum(&to->ns, from->ns);
    if (from->first_ns < to->first_ns) {
        to->first_ns = from->first_ns;
        to->seq[0] = from->seq[0];
    }
    if (from->last_ns > to->last_ns) {
        to->last_ns = from->last_ns;
        to->seq[2] = from->seq[2];
    }
    if (from->longest_ns > to->longest_ns) {
        to->longest_ns = from->longest_ns;
        to->seq[1] = from->seq[1];
    }
}

static uint32_t cell_hash(uint32_t actor, uint32_t file)
{
    uint64_t h = ((uint64_t)actor << 32 | file) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static void cells_hash_again(struct findings *f)
{
    for (uint32_t i = 0; i < f->cells; i++) {
        uint32_t at = cell_hash(f->cell[i].actor, f->cell[i].file) % f->slots;
        while (f->slot[at])
            at = (at + 1) % f->slots;
        f->slot[at] = i + 1;
    }
}

static int cells_grow(struct findings *f)
{
    if (f->cells < f->cell_room)
        return 0;
    uint32_t room = f->cell_room ? 2 * f->cell_room : 64;
    struct cell *more = mem_grow(f->cell, room, sizeof *more, "the findings");
    if (more)
        f->cell = more;
    uint32_t *slot =
        more ? mem_new(2 * (int64_t)room, sizeof *slot, "the findings") : NULL;
    if (!slot)
        return f->memory = -ENOMEM;
    free(f->slot);
    f->slot = slot;
    f->slots = 2 * room;
    f->cell_room = room;
    cells_hash_again(f);
    return 0;
}

struct cell *cell_get(struct findings *f, uint32_t actor, uint32_t file)
{
    uint32_t at = f->slots ? cell_hash(actor, file) % f->slots : 0;
    for (; f->slots && f->slot[at]; at = (at + 1) % f->slots) {
        struct cell *c = &f->cell[f->slot[at] - 1];
        if (c->actor == actor && c->file == file)
            return c;
    }
    if (f->cells == CELLS_MAX || cells_grow(f))
        return NULL;
    struct file *x = &f->file[file];
    struct cell *c = &f->cell[f->cells++];
    *c = (struct cell){.actor = actor, .file = file, .next = x->cells};
    x->cells = f->cells;
    x->sharers++;
    at = cell_hash(actor, file) % f->slots;
    while (f->slot[at])
        at = (at + 1) % f->slots;
    f->slot[at] = f->cells;
    return c;
}

struct side *cell_side(struct findings *f, struct cell *c, int write)
{
    struct side **s = &c->side[write];
    if (!*s && (*s = mem_new(1, sizeof **s, "the findings")))
        (*s)->low = INT64_MAX;
    if (!*s)
        f->memory = -ENOMEM;
    return *s;
}

/* Returns the evidence of a rare kind; NULL: there is no memory. */
struct evidence *cell_rare(const struct context *c, enum rare kind)
{
    struct rarities **r = &c->cell->rarities;
    if (!*r)
        *r = mem_new(1, sizeof **r, "the findings");
    if (*r && !(*r)->v[kind])
        (*r)->v[kind] = mem_new(1, sizeof *(*r)->v[kind], "the findings");
    if (*r && (*r)->v[kind])
        return (*r)->v[kind];
    c->f->memory = -ENOMEM;
    return NULL;
}

struct bin *side_bin(struct findings *f, struct side *s, int64_t bytes, bool collective)
{
    uint8_t power = bytes > 0 ? (uint8_t)(63 - __builtin_clzll((uint64_t)bytes)) : 0;
    for (int i = 0; i < s->bins; i++)
        if (s->bin[i].power == power && s->bin[i].collective == collective)
            return &s->bin[i];
    struct bin *more = mem_grow(s->bin, s->bins + 1, sizeof *more, "the findings");
    if (!more) {
        f->memory = -ENOMEM;
        return NULL;
    }
    s->bin = more;
    more[s->bins] = (struct bin){.power = power, .collective = collective};
    return &more[s->bins++];
}

/* Classifies the next transfer. Nested loops have a few distances that come again and
 * again; random access does not. */
enum order order_next(struct order_state *o, int64_t offset, int64_t bytes)
{
    int64_t jump = offset - o->at;
    enum order order = ORDER_RANDOM;
    if (!o->begun || offset == o->end)
        order = ORDER_SEQUENTIAL;
    for (int i = 0; i < o->jumps && order == ORDER_RANDOM; i++)
        if (o->jump[i] == jump && (jump > bytes || -jump > bytes))
            order = ORDER_STRIDED;
    if (order == ORDER_RANDOM) {
        o->jump[o->next] = jump;
        o->next = (o->next + 1) % JUMPS;
        o->jumps += o->jumps < JUMPS;
    }
    o->begun = true;
    o->at = offset;
    o->end = offset + bytes;
    return order;
}

static void rarities_free(struct rarities *r)
{
    for (int i = 0; r && i < RARES; i++)
        free(r->v[i]);
    free(r);
}

void cells_free(struct findings *f)
{
    for (uint32_t i = 0; i < f->cells; i++) {
        for (int w = 0; w < 2; w++)
            if (f->cell[i].side[w]) {
                extents_free(&f->cell[i].side[w]->seen);
                free(f->cell[i].side[w]->bin);
                free(f->cell[i].side[w]);
            }
        rarities_free(f->cell[i].rarities);
    }
    free(f->cell);
    free(f->slot);
}

/* ---- blocks ---------------------------------------------------------------------- */

/* Blocks that only one client at a time may write, and the last client of each. */

#define BLOCKS_MAX (1 << 20)

struct block {
    uint64_t key; /* file and number, + 1; 0: free */
    uint32_t client;
    bool wrote;
    bool switched;
    int64_t end_ns;
};

struct blocks {
    struct block *b;
    uint32_t n, room;
    bool full;
    int64_t calls, ns; /* transfers without a switch */
};

static struct block *block_slot(struct blocks *t, uint64_t key)
{
    uint64_t at = key * 0x9e3779b97f4a7c15u >> 20;
    for (;; at++) {
        struct block *b = &t->b[at % t->room];
        if (b->key == key || !b->key)
            return b;
    }
}

static bool blocks_grow(struct blocks *t)
{
    if (2 * t->n < t->room)
        return true;
    if (t->room >= 2 * BLOCKS_MAX)
        return false;
    struct blocks old = *t;
    t->room = old.room ? 2 * old.room : 1024;
    t->b = calloc(t->room, sizeof *t->b);
    if (!t->b) {
        *t = old;
        return false;
    }
    for (uint32_t i = 0; i < old.room; i++)
        if (old.b[i].key)
            *block_slot(t, old.b[i].key) = old.b[i];
    free(old.b);
    return true;
}

/* Returns the client that holds a lock: the host, or the rank if that is asked for. */
uint32_t client_of(const struct findings *f, uint32_t actor)
{
    return !strcmp(f->ask.client, "rank") ? actor : f->actor[actor].client;
}

static bool block_touch(const struct context *c, struct blocks *t, int64_t number,
                        uint32_t client)
{
    const struct event *e = c->e;
    bool write = e->file_class == CLASS_WRITE;
    if (!blocks_grow(t)) {
        t->full = true;
        return false;
    }
    uint64_t key = ((uint64_t)c->cell->file << 40 | (uint64_t)number) + 1;
    struct block *b = block_slot(t, key);
    t->n += !b->key;
    bool other = b->key && b->client != client && (b->wrote || write) &&
                 (double)(e->start_ns - b->end_ns) < limit_of(LOCK_SOON);
    *b = (struct block){key, client, write || (b->wrote && b->client == client),
                        b->switched || other, e->start_ns + e->duration_ns};
    return other;
}

bool blocks_touch(const struct context *c, int64_t lock_bytes)
{
    const struct event *e = c->e;
    struct findings *f = c->f;
    if (!lock_bytes || e->bytes <= 0)
        return false;
    if (!f->blocks && !(f->blocks = mem_new(1, sizeof *f->blocks, "the findings"))) {
        f->memory = -ENOMEM;
        return false;
    }
    int64_t first = e->offset / lock_bytes;
    int64_t last = (e->offset + e->bytes - 1) / lock_bytes;
    uint32_t client = client_of(f, c->cell->actor);
    bool any = false;
    if (last - first > 4096) /* only the first and the last can be shared */
        last = first + 4096;
    for (int64_t i = first; i <= last; i++)
        any |= block_touch(c, f->blocks, i, client);
    if (!any) {
        f->blocks->calls++;
        log_sum(&f->blocks->ns, e->duration_ns);
    }
    return any;
}

double blocks_excess(const struct findings *f, const struct evidence *v)
{
    const struct blocks *t = f->blocks;
    if (!t || !t->calls)
        return 0;
    double alone = (double)t->ns / (double)t->calls * (double)v->calls;
    return alone < (double)v->ns ? (double)v->ns - alone : 0;
}

/* Returns the share of a file's blocks that have changed hands. */
double blocks_share(const struct findings *f, uint32_t file)
{
    int64_t all = 0, switched = 0;
    for (uint32_t i = 0; f->blocks && i < f->blocks->room; i++) {
        const struct block *b = &f->blocks->b[i];
        if (b->key && (b->key - 1) >> 40 == file) {
            all++;
            switched += b->switched;
        }
    }
    return all ? (double)switched / (double)all : 0;
}

void blocks_free(struct findings *f)
{
    if (f->blocks)
        free(f->blocks->b);
    free(f->blocks);
}
