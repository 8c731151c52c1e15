/* Scheme F: slaves as in scheme E; the I/O node keeps all packets until the last has
 * come, sorted by bins, in scratch files beyond its memory, and then writes each bin's
 * blocks contiguously. */
#include "base/err.h"
#include "hydro/pfm_pack.h"
#include "pfmload/schemes/packet.h"
#include "pfmload/schemes/roles.h"
#include "pfmload/store/writer.h"

/* State of the I/O node. --canonical needs an order within bins, which packets lack:
 * then soundings are kept instead of packets. */
struct node {
    struct load *l;
    struct receiver receiver;
    struct extsort *packets;
    struct extsort *soundings;
    struct writer writer;
};

static void take_packets(void *node, const uint8_t *buf, int64_t n, int from)
{
    struct node *v = node;
    (void)from;
    load_fail(v->l, extsort_add(v->packets, buf, n / packet_bytes(&v->l->head)));
}

static void take_soundings(void *node, const uint8_t *buf, int64_t n, int from)
{
    struct node *v = node;
    const struct pfm_head *h = &v->l->head;
    const uint8_t *end = buf + n;
    struct pfm_sounding s[PFM_LENGTH_MAX];
    (void)from;
    for (; buf < end && !v->l->r->failed; buf += packet_bytes(h)) {
        int64_t some = packet_soundings(h, buf);
        pfm_get_soundings(h, packet_block(buf), 0, s, some, packet_bin(buf));
        load_fail(v->l, extsort_add(v->soundings, s, some));
    }
}

static int node_open(struct node *v, struct load *l)
{
    char scratch[PFM_PATH];
    *v = (struct node){.l = l};
    int rc = writer_open(&v->writer, &l->head, &l->blocks, &l->bins, l->cover);
    int opened = receiver_open(&v->receiver, l);
    load_scratch(l, "runs", scratch);
    if (rc || opened)
        return rc ? rc : opened;
    if (l->set->canonical)
        return sorted_soundings(&v->soundings, load_sorter_memory(l, 0, 1), scratch,
                                &l->sorted_io);
    return sorted_packets(&v->packets, packet_bytes(&l->head), load_memory(l), scratch,
                          &l->sorted_io);
}

static void node_close(struct node *v)
{
    extsort_close(&v->packets);
    extsort_close(&v->soundings);
    receiver_close(&v->receiver);
    writer_close(&v->writer);
}

static int write_packets(struct node *v)
{
    const struct pfm_head *h = &v->l->head;
    const uint8_t *p;
    int rc = extsort_finish(v->packets);
    while (!rc && (p = extsort_record(v->packets, 0)))
        rc = writer_add_block(&v->writer, packet_bin(p), packet_block(p),
                              packet_soundings(h, p));
    load_count_scratch(v->l, v->packets);
    return rc ? rc : v->l->r->failed;
}

static int write_soundings(struct node *v)
{
    int rc = writer_add_sorted(&v->writer, v->soundings);
    load_count_scratch(v->l, v->soundings);
    return rc;
}

/* Writes everything, after all packets have come. */
static void scheme_f_write_all(struct node *v)
{
    struct load *l = v->l;
    writer_begin(&v->writer, 0, 0);
    int rc = v->packets ? write_packets(v) : write_soundings(v);
    load_fail(l, rc ? rc : writer_end(&v->writer));
    l->blocks_bytes = run_stream_at(v->writer.blocks);
    l->extremes = v->writer.bins.extremes;
}

static void scheme_f_io_node(struct load *l)
{
    struct node v;
    if (load_ready(l, node_open(&v, l))) {
        receiver_run(&v.receiver, roles_slaves(l),
                     v.packets ? take_packets : take_soundings, &v);
        if (!l->r->failed)
            scheme_f_write_all(&v);
    }
    node_close(&v);
}

static void load_f(struct load *l)
{
    roles_play(l, scheme_f_io_node, grouper_slave);
}

const struct scheme scheme_f = {
    .name = "F", .ranks_min = 3, .ordered = true, .load = load_f};
