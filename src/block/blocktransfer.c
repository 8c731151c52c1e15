/* blocktransfer: plain sequential and random transfers, after the block-transfer
 * benchmark of Ulmer's flash-memory report (2008, section 2.1). The suite's worked
 * example: what a program is when layout, io and report do the rest.
 *
 * Memory of a rank: lanes x depth x block size. Nothing grows with the number of
 * blocks. */
#include "base/err.h"
#include "base/units.h"
#include "block/shuffle.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <string.h>

enum { DEPTH_MAX = 1024 };

static struct {
    struct run_options run;
    int64_t bytes, block, depth, misalign;
    const char *pattern, *order;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Transfers:"},
    {.kind = OPT_BYTES, .name = "BYTES", .value = &set.bytes, .preset = "64M",
     .unit = "B", .min = 1, .max = 9e18, .workload = true,
     .help = "bytes that each rank (with --threads: each thread of it) writes, then "
     "reads; rounded up to whole blocks"},
    {.kind = OPT_BYTES, .name = "block-size", .letter = 'b', .value = &set.block,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 1, .max = 9e18,
     .workload = true, .help = "bytes of one transfer"},
    {.kind = OPT_CHOICE, .name = "pattern", .letter = 'p', .value = &set.pattern,
     .preset = "SEQUENTIAL", .arg = "PATTERN", .choices = "SEQUENTIAL|RANDOM",
     .workload = true,
     .help = "RANDOM visits every block once, in an order that --seed "
     "fixes"},
    {.kind = OPT_CHOICE, .name = "layout", .value = &set.order, .preset = "SEGMENTED",
     .arg = "LAYOUT", .choices = "SEGMENTED|INTERLEAVED", .workload = true,
     .help = "where a rank's blocks are in a shared file"},
    {.kind = OPT_INT, .name = "depth", .letter = 'd', .value = &set.depth,
     .preset = "1", .arg = "N", .unit = "1", .min = 1, .max = DEPTH_MAX,
     .workload = true,
     .help = "queue depth: transfers under way at once"},
    {.kind = OPT_BYTES, .name = "misalign", .value = &set.misalign, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 1e12, .workload = true,
     .help = "shift every transfer by so many bytes in the file"},
    RUN_LANES(set.run),
    RUN_RANK_SHIFT(set.run),
    RUN_OPTIONS(set.run),
};
/* clang-format on */

static struct layout layout;
static enum io_op writes = IO_OP_WRITE, reads = IO_OP_READ;

/* What a lane transfers in a phase. */
struct sequence {
    struct run *r;
    enum io_op op;
};

/* This worker's block number i; the same in every phase of a run. */
static int64_t block_at(const struct run *r, int64_t i)
{
    if (!strcmp(set.pattern, "SEQUENTIAL"))
        return i;
    return shuffle(i, layout.blks, r->seed * 8191 + (uint64_t)r->worker);
}

static struct io_req request(const void *sequence, int64_t i, int slot)
{
    const struct sequence *s = sequence;
    const struct run *r = s->r;
    struct extent e = layout_at(&layout, r->file->place, 0, block_at(r, i));
    return (struct io_req){.op = s->op,
                           .buf = r->buffer + slot * set.block,
                           .offset = e.offset,
                           .bytes = e.bytes};
}

/* Blocks i to i + n - 1, all under way at once. */
static void batch(const struct sequence *s, struct io_req *req, int64_t i, int n)
{
    struct run *r = s->r;
    for (int k = 0; k < n; k++) {
        req[k] = request(s, i + k, k);
        if (s->op == IO_OP_WRITE)
            run_stamp(r, req[k].buf, req[k].bytes, (int)block_at(r, i + k), 1);
        else
            run_poison(r, req[k].buf, req[k].bytes);
    }
    run_transfer(r->file, req, n);
    for (int k = 0; k < n && s->op == IO_OP_READ; k++)
        run_check(r->file, req[k].buf, req[k].offset, req[k].bytes,
                  (int)block_at(r, i + k), 1);
    progress_step(&r->progress, n, r->phase->name);
}

/* Stamping and checking while transfers go on would hide part of their time; and
 * collective ones must come in the same order on every rank. */
static bool in_batches(const struct run *r)
{
    return r->verify || set.run.collective;
}

static int say_how(struct run *r)
{
    if (!r->queues || set.depth == 1)
        return 0;
    if (!in_batches(r))
        report_note(r->report, "queue",
                    "kept full: where transfers are done, as many are started");
    else
        report_note(r->report, "queue", "drained between batches of %lld, %s",
                    (long long)set.depth,
                    r->verify ? "as blocks are verified"
                              : "as transfers are collective");
    return 0;
}

/* A phase: all blocks of a worker, `depth` of them under way at a time. */
static int transfer(struct run *r, void *op)
{
    struct io_req req[DEPTH_MAX];
    struct sequence s = {r, *(const enum io_op *)op};
    int64_t blks = layout.blks;
    struct run_queue q = {.make = request, .context = &s, .total = blks};
    if (!in_batches(r))
        run_queue(r->file, req, &q);
    else
        for (int64_t i = 0; i < blks; i += set.depth)
            batch(&s, req, i, (int)(blks - i < set.depth ? blks - i : set.depth));
    return 0;
}

static void add_iops(struct run *r, const char *name, int64_t bytes, double s)
{
    report_figure(r->report, name, "1/s", "higher",
                  "blocks of all ranks / slowest "
                  "rank's seconds, as in MB/s",
                  (double)(bytes / set.block) / s);
}

static void add_cpu(struct run *r, const char *name, int64_t bytes, int64_t cpu_ns)
{
    report_figure(r->report, name, "us", "lower",
                  "processor time of all ranks' processes during transfers and syncs / "
                  "blocks of all ranks",
                  (double)cpu_ns / 1e3 / (double)(bytes / set.block));
}

static void add_figures(struct run *r)
{
    const struct run_rates *t = &r->rates;
    int64_t cpu_ns[2] = {r->cpu_ns[ACT_WRITE] + r->cpu_ns[ACT_SYNC],
                         r->cpu_ns[ACT_READ]};
    MPI_Allreduce(MPI_IN_PLACE, cpu_ns, 2, MPI_INT64_T, MPI_SUM, r->world.comm);
    if (!t->write_bytes)
        return;
    add_iops(r, "write_iops", t->write_bytes, t->write_s);
    add_iops(r, "read_iops", t->read_bytes, t->read_s);
    add_cpu(r, "write_cpu_us", t->write_bytes, cpu_ns[0]);
    add_cpu(r, "read_cpu_us", t->read_bytes, cpu_ns[1]);
}

static int check(const struct run *r, int64_t *memory_bytes)
{
    if (layout.blks > INT32_MAX)
        return err_usage(
            "BYTES / --block-size makes %lld blocks for each rank, more than "
            "2^31: take larger blocks",
            (long long)layout.blks);
    if (__builtin_mul_overflow(r->lanes * set.depth, set.block, memory_bytes))
        return err_usage("--threads x --depth x --block-size exceeds 2^63 bytes");
    if (!strcmp(set.run.cache, "direct") &&
        (set.block | set.misalign) % IO_DIRECT_ALIGN)
        return err_usage("--cache=direct moves multiples of %d bytes: --block-size and "
                         "--misalign must be such",
                         IO_DIRECT_ALIGN);
    return layout_check(&layout);
}

static int plan(struct run *r, struct run_need *n)
{
    bool interleaved = !strcmp(set.order, "INTERLEAVED");
    layout = (struct layout){.order = !r->shared    ? LAYOUT_UNIQUE
                                      : interleaved ? LAYOUT_INTERLEAVED
                                                    : LAYOUT_RANK_MAJOR,
                             .ranks = r->workers,
                             .mats = 1,
                             .start = set.misalign,
                             .blks = units_div_up(set.bytes, set.block),
                             .slot_bytes = set.block};
    int rc = check(r, &n->memory_bytes);
    if (rc)
        return rc;
    r->latencies = true;
    n->layout = &layout;
    n->role = "blocks";
    n->depth = (int)set.depth;
    n->steps = 2 * layout.blks;
    n->buffer_bytes = set.depth * set.block;
    n->write_bytes = n->read_bytes = layout.ranks * layout.blks * set.block;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct stage stages[] = {{.phase = "write",
                                           .body = transfer,
                                           .context = &writes,
                                           .flags = IO_WRITE | IO_CREATE,
                                           .lanes = true},
                                          {.phase = "read",
                                           .body = transfer,
                                           .context = &reads,
                                           .flags = IO_READ,
                                           .lanes = true},
                                          {.body = NULL}};
    static const struct workload blocktransfer = {
        .name = "blocktransfer",
        .line = "[BYTES]",
        .about = "Sequential or random writes, then reads, of whole blocks by every "
                 "rank: the yardstick for what the other programs reach.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_ALL,
        .plan = plan,
        .open = say_how,
        .stages = stages,
        .figures = add_figures,
    };
    return run_main(&blocktransfer, argc, argv);
}
