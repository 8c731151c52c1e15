/* Blocks that only one client at a time may write, and the last client of each. */
#include "base/err.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX (1 << 20)
#define SOON_NS ((int64_t)10 * 1000000)

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
                 e->start_ns - b->end_ns < SOON_NS;
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
    if (!f->blocks && !(f->blocks = calloc(1, sizeof *f->blocks))) {
        f->memory = err_set(-ENOMEM, NULL, -1, "no memory for the findings");
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
