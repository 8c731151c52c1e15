#include "outcore/graph/check.h"
#include "base/err.h"
#include "outcore/graph/csr.h"
#include "outcore/graph/slots.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct run_stream *in;
    const char *piece;
    int64_t left;
};

struct checking {
    struct search *q;
    struct check *c;
    struct reader lists, places;
    int64_t row;          /* in a file of rows: the next one, */
    uint64_t entry, next; /* the next entry, and the beginning of the next row */
    uint64_t *list; /* neighbours of visited vertices, on their way to their owners */
    int64_t n, room;
};

/* Reads the next number of 8 bytes. Returns false at the end. */
static bool next_of(struct reader *f, struct check *c, uint64_t *word)
{
    if (!f->left && f->in)
        f->piece = run_stream_next(f->in, &f->left);
    if (!f->in || !f->piece || f->left < 8)
        return false;
    memcpy(word, f->piece, 8);
    f->piece += 8;
    f->left -= 8;
    c->read_bytes += 8;
    return true;
}

static bool next_word(struct checking *k, uint64_t *word)
{
    return next_of(&k->lists, k->c, word);
}

static void damaged(struct checking *k, int64_t at, const char *what)
{
    struct run_file *f = &k->q->s->partition;
    run_fail(f->run, err_set(-EIO, f->path, at, "the chunk here %s", what));
}

/* Adds a chunk's neighbours to the list to be looked up; false if it waits for room, or
 * there are no more chunks. */
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
        damaged(k, at, "has more neighbours than --adjacency-buffer");
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
    uint64_t sum = 31 * h.vertex * h.count;
    for (uint32_t i = 0; i < h.count; i++)
        sum += neighbour[i];
    c->sum += sum;
    if (search_visited(k->q, h.vertex)) {
        c->reached += h.count;
        c->reached_sum += sum;
        k->n += h.count;
    }
    return true;
}

/* Reads the next row's offset, which must not be below the previous one. */
static bool next_row(struct checking *k)
{
    struct store *s = k->q->s;
    uint64_t next;
    if (!next_of(&k->places, k->c, &next))
        return false;
    format_turn(&next, 1);
    if (next < k->next || (!k->row && next) || next > (uint64_t)s->entries) {
        run_fail(s->r, err_set(-EIO, s->pif.path, CSR_HEAD + 8 * k->row,
                               "a row begins with entry %llu, the one before it with "
                               "%llu, of %lld: the file is damaged",
                               (unsigned long long)next, (unsigned long long)k->next,
                               (long long)s->entries));
        return false;
    }
    k->c->chunks += k->row > 0 && next > k->next;
    k->next = next;
    k->row++;
    return true;
}

/* Reads the next entry of a file of rows, as next_chunk. */
static bool next_entry(struct checking *k)
{
    struct store *s = k->q->s;
    struct check *c = k->c;
    uint64_t neighbour, ranks = (uint64_t)s->r->world.size;
    while (k->row <= store_vertices(s) && (!k->row || k->next == k->entry))
        if (!next_row(k))
            return false;
    if (!next_word(k, &neighbour))
        return false;
    format_turn(&neighbour, 1);
    uint64_t vertex = (uint64_t)(k->row - 2) * ranks + (uint64_t)s->r->world.rank;
    k->entry++;
    c->entries++;
    c->sum += 31 * vertex + neighbour;
    if (search_visited(k->q, vertex)) {
        k->list[k->n++] = neighbour;
        c->reached++;
        c->reached_sum += 31 * vertex + neighbour;
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

static bool next_part(struct checking *k)
{
    struct store *s = k->q->s;
    bool more = true;
    k->n = 0;
    if (s->layout == &store_csr)
        while (more && k->n < k->room)
            more = next_entry(k);
    else
        while (more && k->n <= s->capacity)
            more = next_chunk(k, k->list + k->n, s->capacity);
    return more;
}

/* Opens a file, and reads its head, which has the same length in all files. */
static void open_reader(struct checking *k, struct reader *f, struct run_file *file,
                        int64_t bytes, int slots)
{
    uint64_t word;
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = bytes,
                                 .slot_bytes = k->q->s->request,
                                 .slots = slots,
                                 .record = 8};
    run_stream_open(&f->in, file, &how);
    for (int i = 0; i < PARTITION_HEAD / 8; i++)
        if (!next_of(f, k->c, &word))
            return;
}

/* Checks the files in the memory of the adjacency buffer, which is enough for
 * any chunk. */
void check_files(struct search *q, struct check *c)
{
    struct store *s = q->s;
    bool rows = s->layout == &store_csr, more = !s->r->failed;
    struct checking k = {.q = q, .c = c, .list = s->memory, .room = s->capacity};
    if (rows)
        k.list = csr_room(s, &k.room);
    *c = (struct check){.read_bytes = 0};
    open_reader(&k, &k.lists, &s->partition, s->bytes, graph_slots(s->r));
    if (rows)
        open_reader(&k, &k.places, &s->pif, s->layout->places_bytes(s), 1);
    while (deal_any(&q->deal, more)) {
        more = more && next_part(&k);
        look_up(&k);
    }
    run_stream_close(&k.lists.in);
    run_stream_close(&k.places.in);
    s->r->checked += rows ? c->chunks : 0;
}
