/* Figures of blocks, in addition to those of bytes that every program has. */
#include "block/block.h"

static int64_t blocks_of(const struct run *r, enum io_op op, int64_t bytes)
{
    const struct block *b = r->context;
    return b->order.sizes ? b->moved[op] : bytes / b->set.block;
}

static void add_iops(struct run *r, const char *name, int64_t blocks, double s)
{
    report_figure(r->report, name, "1/s", "higher",
                  "blocks of all ranks / slowest "
                  "rank's seconds, as in MB/s",
                  (double)blocks / s);
}

static void add_cpu(struct run *r, const char *name, int64_t blocks, int64_t cpu_ns)
{
    report_figure(r->report, name, "us", "lower",
                  "processor time of all ranks' processes during transfers and syncs / "
                  "blocks of all ranks",
                  (double)cpu_ns / 1e3 / (double)blocks);
}

void block_figures(struct run *r)
{
    const struct run_rates *t = &r->rates;
    int64_t cpu_ns[2] = {r->cpu_ns[ACT_WRITE] + r->cpu_ns[ACT_SYNC],
                         r->cpu_ns[ACT_READ]};
    world_reduce(r->world.comm, cpu_ns, 2, MPI_INT64_T, MPI_SUM);
    if (t->write_bytes) {
        int64_t blocks = blocks_of(r, IO_OP_WRITE, t->write_bytes);
        add_iops(r, "write_iops", blocks, t->write_s);
        add_cpu(r, "write_cpu_us", blocks, cpu_ns[0]);
    }
    if (t->read_bytes) {
        int64_t blocks = blocks_of(r, IO_OP_READ, t->read_bytes);
        add_iops(r, "read_iops", blocks, t->read_s);
        add_cpu(r, "read_cpu_us", blocks, cpu_ns[1]);
    }
}
