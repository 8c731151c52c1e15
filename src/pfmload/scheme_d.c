/* Scheme D: slaves sort soundings by bins and pack them as the PFM has them; the I/O
 * node copies them into its blocks. */
#include "pfmload/packets.h"

static void take(void *heap, const uint8_t *buf, int64_t n, int from)
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
        receiver_run(&v, roles_slaves(l), take, &h);
    heap_flush(&h);
    heap_close(&h);
    receiver_close(&v);
}

static void load_d(struct load *l)
{
    int rank = l->r->world.rank;
    if (rank == LOAD_IO_RANK)
        io_node(l);
    else if (rank == LOAD_MASTER)
        roles_master(l);
    else
        packets_slave(l, CHANNEL_UNLIMITED);
}

const struct scheme scheme_d = {
    .name = "D", .ranks_min = 3, .reads_back = true, .load = load_d};
