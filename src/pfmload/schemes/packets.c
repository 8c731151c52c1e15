#include "pfmload/schemes/packets.h"
#include "base/units.h"
#include "hydro/pfm_pack.h"
#include "pfmload/store/batch.h"
#include <string.h>

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

static int pack(void *packer, const struct pfm_sounding *s, int64_t n)
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
        roles_slave(l, pack, &p);
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
