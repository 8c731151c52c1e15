/* Scheme E: slaves send complete blocks of one bin each; the I/O node sets their
 * pointers, and writes each of them once, in large requests one after another.
 *
 * A chain begins with the latest block: a new block points to the one that came before
 * it, whose place is known by then. The end of a chain, the bin's oldest block and
 * perhaps one after it that is not full, is known only at the end. So the oldest block
 * of each bin is kept in memory, and its place in the file is reserved: in extents,
 * which are written when all blocks have come. */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "hydro/pfm_pack.h"
#include "pfmload/schemes/packet.h"
#include "pfmload/schemes/roles.h"
#include "pfmload/store/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT_MAX = 1 << 20 }; /* bytes */

/* An extent: a range of the .ndx whose blocks are kept in memory. */
struct kept {
    int64_t at; /* offset in the file */
    uint8_t *memory;
};

struct node {
    struct load *l;
    struct receiver receiver;
    struct run_stream *blocks;
    /* For each bin of the grid; until the end, `last` is the number of its oldest block
     * among the kept ones. */
    struct load_bin *bin;
    int64_t memory;       /* bytes allocated for bins and their kept blocks */
    int64_t blocks_of;    /* blocks in an extent; the last one, made at the end, may
                           * have fewer */
    int64_t kept, places; /* kept blocks, and places for them in extents */
    struct kept *extent;
    int64_t extents;
    /* A ring of the latest packets. At the end they fill the empty places of the last
     * extent, so that its length need not be known before. */
    uint8_t *waiting;
    int64_t oldest, waits;
    bool keep_all; /* at the end: all waiting blocks are kept */
};

/* Counts the memory needed; -ENOMEM with a sentence if it is too much. */
static int need(struct node *v, int64_t bytes)
{
    v->memory += bytes;
    if (v->memory <= load_memory(v->l))
        return 0;
    return err_set(-ENOMEM, NULL, -1,
                   "scheme E keeps a block of each bin and %zu bytes of all bins of "
                   "the grid in memory, and --memory=%lld is too little for that: use "
                   "F, or raise --memory",
                   sizeof *v->bin, (long long)v->l->set->memory);
}

static int node_open(struct node *v, struct load *l)
{
    int64_t bins = l->head.width * l->head.height, bytes = load_memory(l) / 16;
    *v = (struct node){.l = l};
    bytes = bytes < EXTENT_MAX ? bytes : EXTENT_MAX;
    v->blocks_of = units_div_up(bytes, l->head.block_bytes);
    int64_t ring = v->blocks_of * packet_bytes(&l->head);
    int rc = need(v, bins * (int64_t)sizeof *v->bin + ring);
    if (rc)
        return rc;
    v->bin = mem_new(bins, sizeof *v->bin, "bins");
    v->extent = mem_new(bins / v->blocks_of + 2, sizeof *v->extent, "bins");
    v->waiting = mem_new(ring, 1, "bins");
    if (!v->bin || !v->extent || !v->waiting)
        return -ENOMEM;
    rc = receiver_open(&v->receiver, l);
    return rc ? rc : writer_stream(&v->blocks, &l->blocks);
}

static void node_close(struct node *v)
{
    for (int64_t i = 0; i < v->extents; i++)
        buf_free(v->extent[i].memory);
    free(v->extent);
    free(v->bin);
    free(v->waiting);
    receiver_close(&v->receiver);
    run_stream_close(&v->blocks);
}

/* ---- blocks --------------------------------------------------------------------- */

/* Reserves places for n more blocks, here in the file. */
static int scheme_e_extend(struct node *v, int64_t n)
{
    int64_t bytes = n * v->l->head.block_bytes;
    void *memory = NULL;
    int rc = need(v, bytes);
    if (!rc)
        rc = buf_alloc(&memory, bytes, "blocks of bins");
    if (rc)
        return rc;
    v->extent[v->extents++] =
        (struct kept){.at = run_stream_at(v->blocks), .memory = memory};
    v->places += n;
    run_stream_seek(v->blocks, run_stream_at(v->blocks) + bytes);
    return 0;
}

static uint8_t *kept_block(const struct node *v, int64_t kept)
{
    return v->extent[kept / v->blocks_of].memory +
           kept % v->blocks_of * v->l->head.block_bytes;
}

/* Places a block, and copies it to byte *at. If `kept` is not NULL, the block stays in
 * memory, with the number *kept. Returns its memory, or NULL after a failure, which is
 * kept in the run. */
static uint8_t *scheme_e_place(struct node *v, const uint8_t *block, int64_t *at,
                               int64_t *kept)
{
    size_t bytes = (size_t)v->l->head.block_bytes;
    int64_t number = v->kept;
    if (!kept && !v->keep_all) {
        *at = run_stream_at(v->blocks);
        return memcpy(writer_take(v->blocks, (int64_t)bytes), block, bytes);
    }
    if (v->kept == v->places)
        load_fail(v->l, scheme_e_extend(v, v->blocks_of));
    if (v->l->r->failed)
        return NULL;
    v->kept++;
    if (kept)
        *kept = number;
    *at = v->extent[number / v->blocks_of].at + number % v->blocks_of * (int64_t)bytes;
    return memcpy(kept_block(v, number), block, bytes);
}

/* Adds a full block when the bin's first one is at byte 0. No pointer can lead there,
 * as 0 means none, so the chain must begin there: the new block takes that place, and
 * the old one moves. */
static void add_full_at_0(struct node *v, struct load_bin *b, const uint8_t *block)
{
    const struct pfm_head *h = &v->l->head;
    uint8_t *zero = kept_block(v, 0);
    int64_t at, *kept = b->last ? NULL : &b->last;
    if (!scheme_e_place(v, zero, &at, kept))
        return;
    memcpy(zero, block, (size_t)h->block_bytes);
    pfm_put_next(h, zero, at);
}

static void add_full(struct node *v, struct load_bin *b, const uint8_t *block)
{
    int64_t at;
    uint8_t *to = scheme_e_place(v, block, &at, b->soundings ? NULL : &b->last);
    if (!to)
        return;
    if (b->soundings)
        pfm_put_next(&v->l->head, to, b->first);
    b->first = at;
}

/* Adds a block that is not full, the last one of its bin. */
static void add_part(struct node *v, struct load_bin *b, const uint8_t *block)
{
    int64_t at;
    if (!scheme_e_place(v, block, &at, NULL))
        return;
    if (b->soundings)
        pfm_put_next(&v->l->head, kept_block(v, b->last), at);
    else
        b->first = at;
}

static void scheme_e_add(struct node *v, const uint8_t *packet)
{
    struct load_bin *b = &v->bin[packet_bin(packet)];
    const uint8_t *block = packet_block(packet);
    int64_t n = packet_soundings(&v->l->head, packet);
    if (n < v->l->head.record_length)
        add_part(v, b, block);
    else if (b->soundings && !b->first)
        add_full_at_0(v, b, block);
    else
        add_full(v, b, block);
    b->soundings += n;
}

/* Takes packets; the one that has waited longest makes room for a new one. */
static void scheme_e_take(void *node, const uint8_t *buf, int64_t n, int from)
{
    struct node *v = node;
    int64_t bytes = packet_bytes(&v->l->head);
    const uint8_t *end = buf + n;
    (void)from;
    for (; buf < end && !v->l->r->failed; buf += bytes) {
        uint8_t *slot = v->waiting + (v->oldest + v->waits) % v->blocks_of * bytes;
        if (v->waits == v->blocks_of) {
            scheme_e_add(v, slot);
            v->oldest = (v->oldest + 1) % v->blocks_of;
        } else {
            v->waits++;
        }
        memcpy(slot, buf, (size_t)bytes);
    }
}

/* ---- the end -------------------------------------------------------------------- */

/* Places all waiting packets in the last extent, and in one more that is just
 * long enough. */
static int add_waiting(struct node *v)
{
    const struct pfm_head *h = &v->l->head;
    int64_t room = v->places - v->kept;
    int rc = v->waits > room ? scheme_e_extend(v, v->waits - room) : 0;
    v->keep_all = true;
    for (int64_t i = 0; i < v->waits && !rc; i++)
        scheme_e_add(v, v->waiting + (v->oldest + i) % v->blocks_of * packet_bytes(h));
    v->l->blocks_bytes = run_stream_at(v->blocks);
    if (!rc && v->l->blocks_bytes > INT64_C(1) << h->pointer_bits)
        rc = err_set(-ERANGE, v->l->blocks.path, v->l->blocks_bytes,
                     "the bytes of all blocks are too many for a PFM: take smaller "
                     "bins");
    return rc;
}

static void write_extents(struct node *v)
{
    size_t bytes = (size_t)v->l->head.block_bytes;
    for (int64_t i = 0; i < v->kept; i++) {
        if (i % v->blocks_of == 0)
            run_stream_seek(v->blocks, v->extent[i / v->blocks_of].at);
        memcpy(writer_take(v->blocks, (int64_t)bytes), kept_block(v, i), bytes);
    }
    run_stream_flush(v->blocks);
}

/* The end of a chain: a block that is not full, to which the bin's oldest one points,
 * or else the oldest one. */
static int64_t last_of(const struct node *v, const struct load_bin *b)
{
    if (b->soundings < v->l->head.record_length)
        return b->first;
    int64_t next = pfm_get_next(&v->l->head, kept_block(v, b->last));
    if (next)
        return next;
    return v->extent[b->last / v->blocks_of].at +
           b->last % v->blocks_of * v->l->head.block_bytes;
}

/* Gives the bins to the recompute pass, which writes each once: they are not
 * written yet. */
static void hand_over_bins(struct node *v)
{
    struct load *l = v->l;
    int64_t bins = l->head.width * l->head.height;
    for (int64_t i = 0; i < bins; i++)
        if (v->bin[i].soundings)
            v->bin[i].last = last_of(v, &v->bin[i]);
    l->known = v->bin;
    v->bin = NULL;
}

static void scheme_e_finish(struct node *v)
{
    struct load *l = v->l;
    if (!l->r->failed)
        load_fail(l, add_waiting(v));
    if (!l->r->failed)
        write_extents(v);
    if (!l->r->failed)
        hand_over_bins(v);
}

static void scheme_e_io_node(struct load *l)
{
    struct node v;
    if (load_ready(l, node_open(&v, l))) {
        receiver_run(&v.receiver, roles_slaves(l), scheme_e_take, &v);
        scheme_e_finish(&v);
    }
    node_close(&v);
}

static void load_e(struct load *l)
{
    roles_play(l, scheme_e_io_node, grouper_slave);
}

const struct scheme scheme_e = {
    .name = "E", .ranks_min = 3, .reads_back = true, .load = load_e};
