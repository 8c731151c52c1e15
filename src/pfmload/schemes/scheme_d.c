/* Scheme D: slaves sort soundings by bins and pack them in the PFM's form; the I/O node
 * copies them into its blocks. */
#include "pfmload/schemes/packets.h"

static void scheme_d_take(void *heap, const uint8_t *buf, int64_t n, int from)
{
    (void)from;
    packets_add(heap, buf, n);
}

static void io_node(struct load *l)
{
    struct receiver v;
    struct heap h;
    int rc = receiver_open(&v, l), opened = heap_open(&h, l, load_memory(l));
    if (load_ready(l, rc ? rc : opened))
        receiver_run(&v, roles_slaves(l), scheme_d_take, &h);
    heap_flush(&h);
    heap_close(&h);
    receiver_close(&v);
}

static void slave(struct load *l)
{
    packets_slave(l, CHANNEL_UNLIMITED);
}

static void load_d(struct load *l)
{
    roles_play(l, io_node, slave);
}

const struct scheme scheme_d = {
    .name = "D", .ranks_min = 3, .reads_back = true, .load = load_d};
