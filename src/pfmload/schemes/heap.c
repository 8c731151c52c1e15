#include "pfmload/schemes/heap.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "hydro/pfm_pack.h"
#include "pfmload/store/batch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int heap_open(struct heap *h, struct load *l, int64_t memory)
{
    *h = (struct heap){.l = l, .r = l->blocks.run};
    h->block = mem_new(2, l->head.block_bytes, "a block");
    h->record = mem_new(1, l->head.bin_bytes, "a block");
    if (!h->block || !h->record)
        return -ENOMEM;
    /* A bin's record is a third of a block: windows are sized accordingly. */
    int rc = pages_open(&h->blocks, &l->blocks, 0, memory - memory / 4);
    return rc ? rc : pages_open(&h->bins, &l->bins, 0, memory / 4);
}

void heap_close(struct heap *h)
{
    pages_close(&h->blocks);
    pages_close(&h->bins);
    free(h->block);
    free(h->record);
}

void heap_flush(struct heap *h)
{
    h->l->blocks_bytes = h->end;
    pages_flush(h->blocks);
    pages_flush(h->bins);
}

static int64_t record_at(const struct heap *h, int64_t bin)
{
    return h->l->head.header_bytes + bin * h->l->head.bin_bytes;
}

/* Fills up the last block of a bin, and, if soundings are left, continues its chain at
 * the end of the file. Returns the number of soundings stored. */
static int64_t fill_last(struct heap *h, const struct pfm_bin *bin,
                         const uint8_t *packed, int64_t n)
{
    const struct pfm_head *head = &h->l->head;
    int64_t place = bin->soundings % head->record_length;
    int64_t room = place ? head->record_length - place : 0;
    int64_t now = n < room ? n : room;
    if (!bin->soundings)
        return 0;
    pages_get(h->blocks, bin->last, head->block_bytes, h->block);
    pfm_copy_soundings(head, h->block, place, packed, 0, now);
    if (now < n)
        pfm_put_next(head, h->block, h->end);
    pages_put(h->blocks, bin->last, head->block_bytes, h->block);
    return now;
}

static void add_blocks(struct heap *h, struct pfm_bin *bin, const uint8_t *packed,
                       int64_t done, int64_t n)
{
    const struct pfm_head *head = &h->l->head;
    int64_t length = head->record_length;
    if (!bin->soundings)
        bin->first = h->end;
    for (; done < n; done += length) {
        int64_t now = n - done < length ? n - done : length;
        bin->last = h->end;
        h->end += head->block_bytes;
        memset(h->block, 0, (size_t)head->block_bytes);
        pfm_copy_soundings(head, h->block, 0, packed, done, now);
        if (done + now < n)
            pfm_put_next(head, h->block, h->end);
        pages_put(h->blocks, bin->last, head->block_bytes, h->block);
    }
}

/* Local. Adds n packed soundings of one bin. Failures are kept in the run. */
static void heap_add(struct heap *h, int64_t bin, const uint8_t *packed, int64_t n)
{
    const struct pfm_head *head = &h->l->head;
    struct pfm_bin b;
    pages_get(h->bins, record_at(h, bin), head->bin_bytes, h->record);
    if (h->r->failed)
        return;
    pfm_get_bin(head, h->record, &b);
    add_blocks(h, &b, packed, fill_last(h, &b, packed, n), n);
    b.soundings += n;
    if (pfm_bin_unfit(head, &b)) {
        h->r->failed = err_set(-ERANGE, h->l->bins.path, record_at(h, bin),
                               "%lld soundings in one bin, or the bytes of all "
                               "blocks, are too many for a PFM: take smaller bins",
                               (long long)b.soundings);
        return;
    }
    pfm_put_bin(head, h->record, &b);
    pages_put(h->bins, record_at(h, bin), head->bin_bytes, h->record);
}

int heap_add_each(struct heap *h, const struct pfm_sounding *s, int64_t n)
{
    uint8_t *packed = h->block + h->l->head.block_bytes; /* behind the block */
    for (int64_t i = 0; i < n && !h->r->failed; i++) {
        memset(packed, 0, (size_t)h->l->head.block_bytes);
        pfm_put_soundings(&h->l->head, packed, 0, &s[i], 1);
        heap_add(h, s[i].bin, packed, 1);
    }
    return h->r->failed;
}

/* ---- packets --------------------------------------------------------------------- */

enum {
    BATCH_MAX = 32 << 20, /* bytes; larger batches have hardly more soundings per bin */
    BIN_BYTES = 8,        /* in a packet: its bin, */
    COUNT_BYTES = 4,      /* its number of soundings, */
    HEAD_BYTES = BIN_BYTES + COUNT_BYTES,
    SOUNDINGS_MAX = 1024 /* and these: small enough to leave little room unused */
};

static int64_t batch_bytes(const struct load *l)
{
    return load_memory(l) < BATCH_MAX ? load_memory(l) : BATCH_MAX;
}

static int64_t packed_bytes(const struct pfm_head *h, int64_t n)
{
    return units_div_up(n * h->sounding_bits, 8);
}

/* ---- slave ---------------------------------------------------------------------- */

struct packer {
    struct load *l;
    struct channel channel;
    struct batch batch;
};

static void put_packet(struct packer *p, const struct pfm_sounding *s, int64_t n)
{
    const struct pfm_head *h = &p->l->head;
    int64_t bytes = HEAD_BYTES + packed_bytes(h, n);
    int32_t count = (int32_t)n;
    uint8_t *to = channel_take(&p->channel, bytes);
    memcpy(to, &s->bin, BIN_BYTES);
    memcpy(to + BIN_BYTES, &count, COUNT_BYTES);
    memset(to + HEAD_BYTES, 0, (size_t)(bytes - HEAD_BYTES));
    pfm_put_soundings(h, to + HEAD_BYTES, 0, s, n);
}

static void send_batch(struct packer *p)
{
    struct batch *b = &p->batch;
    batch_sort(b);
    for (int64_t i = 0, n; i < b->n; i += n) {
        n = batch_bin_end(b, i) - i;
        n = n < SOUNDINGS_MAX ? n : SOUNDINGS_MAX;
        put_packet(p, &b->sounding[i], n);
    }
    b->n = 0;
}

static int heap_pack(void *packer, const struct pfm_sounding *s, int64_t n)
{
    struct packer *p = packer;
    for (int64_t done = 0; done < n;) {
        done += batch_add(&p->batch, s + done, n - done);
        if (p->batch.n == p->batch.capacity)
            send_batch(p);
    }
    return 0;
}

void packets_slave(struct load *l, int64_t credits)
{
    struct packer p = {.l = l};
    int rc = channel_open(&p.channel, l, LOAD_IO_RANK);
    int opened = batch_open(&p.batch, batch_bytes(l));
    channel_limit(&p.channel, credits);
    if (load_ready(l, rc ? rc : opened)) {
        roles_slave(l, heap_pack, &p);
        if (!l->r->failed)
            send_batch(&p);
        channel_end(&p.channel);
    }
    batch_close(&p.batch);
    channel_close(&p.channel);
}

/* ---- I/O node ------------------------------------------------------------------- */

void packets_add(struct heap *h, const uint8_t *message, int64_t n)
{
    int64_t bin;
    int32_t count;
    for (int64_t at = 0; at < n && !h->r->failed;) {
        memcpy(&bin, message + at, BIN_BYTES);
        memcpy(&count, message + at + BIN_BYTES, COUNT_BYTES);
        heap_add(h, bin, message + at + HEAD_BYTES, count);
        at += HEAD_BYTES + packed_bytes(&h->l->head, count);
    }
}
