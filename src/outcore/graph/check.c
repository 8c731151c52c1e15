#include "outcore/graph/check.h"
#include "base/err.h"
#include "outcore/graph/slots.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct checking {
    struct search *q;
    struct check *c;
    struct run_stream *in;
    const char *piece;
    int64_t left;
    uint64_t *list; /* neighbours of what was visited, on their way to their owners */
    int64_t n;
};

/* Bytes of PARTITION are numbers of 8. Returns whether there is one more. */
static bool next_word(struct checking *k, uint64_t *word)
{
    if (!k->left && k->in)
        k->piece = run_stream_next(k->in, &k->left);
    if (!k->in || !k->piece || k->left < 8)
        return false;
    memcpy(word, k->piece, 8);
    k->piece += 8;
    k->left -= 8;
    k->c->read_bytes += 8;
    return true;
}

static void damaged(struct checking *k, int64_t at, const char *what)
{
    struct run_file *f = &k->q->s->partition;
    run_fail(f->run, err_set(-EIO, f->path, at, "the chunk here %s", what));
}

/* Adds a chunk's neighbours to what is to be looked up; false where it waits for room,
 * or there are no more chunks. */
static bool next_chunk(struct checking *k, uint64_t *neighbour, int64_t room)
{
    struct store *s = k->q->s;
    struct check *c = k->c;
    int64_t at = c->read_bytes;
    char head[CHUNK_HEAD];
    for (int i = 0; i < CHUNK_HEAD; i += 8) {
        uint64_t word;
        if (!next_word(k, &word))
            return false;
        memcpy(head + i, &word, 8);
    }
    struct chunk h = format_chunk(head);
    if ((int64_t)h.count > room) {
        damaged(k, at, "has more neighbours than an adjacency buffer");
        return false;
    }
    for (uint32_t i = 0; i < h.count; i++)
        if (!next_word(k, &neighbour[i])) {
            damaged(k, at, "is cut short");
            return false;
        }
    if (h.vertex >= s->vertices ||
        h.vertex % (uint64_t)s->r->world.size != (uint64_t)s->r->world.rank ||
        format_crc(h.vertex, h.count, neighbour) != h.crc) {
        damaged(k, at, "has another CRC-32 than it says, or is another rank's");
        return false;
    }
    format_turn(neighbour, h.count);
    c->chunks++;
    s->r->checked++;
    c->entries += h.count;
    for (uint32_t i = 0; i < h.count; i++)
        c->sum += 31 * h.vertex + neighbour[i];
    if (search_visited(k->q, h.vertex)) {
        c->reached += h.count;
        k->n += h.count;
    }
    return true;
}

static void look_up(struct checking *k)
{
    struct search *q = k->q;
    int64_t most = deal_most(&q->deal), done = 0;
    const uint64_t *came;
    do {
        int64_t part = k->n - done < most ? k->n - done : most;
        int64_t got = deal_round(&q->deal, k->list + done, part, &came);
        for (int64_t i = 0; i < got; i++)
            k->c->missed += came[i] >= q->s->vertices || !search_visited(q, came[i]);
        done += part;
    } while (deal_any(&q->deal, done < k->n));
}

/* The memory for it is that of the adjacency buffer: a chunk has at most as many. */
void check_files(struct search *q, struct check *c)
{
    struct store *s = q->s;
    struct checking k = {.q = q, .c = c, .list = s->memory};
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = s->bytes,
                                 .slot_bytes = s->request,
                                 .slots = graph_slots(s->r),
                                 .record = 8};
    bool more = true;
    *c = (struct check){.read_bytes = 0};
    run_stream_open(&k.in, &s->partition, &how);
    for (int i = 0; i < PARTITION_HEAD / 8 && more; i++) {
        uint64_t word;
        more = next_word(&k, &word);
    }
    while (deal_any(&q->deal, more)) {
        k.n = 0;
        while (more && k.n <= s->capacity)
            more = next_chunk(&k, k.list + k.n, s->capacity);
        look_up(&k);
    }
    run_stream_close(&k.in);
}
