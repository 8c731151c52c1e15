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

enum { DEPTH_MAX = 1024, STAGE_VERIFY = 2 };

static struct {
    struct run_options run;
    int64_t bytes, block, depth, misalign;
    const char *pattern, *order;
    bool pass; /* blocks are checked in a pass of their own */
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
    RUN_TIME(set.run),
    RUN_LANES(set.run),
    RUN_RANK_SHIFT(set.run),
    RUN_OPTIONS(set.run),
};
/* clang-format on */

static struct layout layout;
static bool random_order; /* --pattern=RANDOM */
static int64_t written;   /* of each worker's blocks, in this repetition */

/* What all lanes do in a phase. */
struct work {
    enum io_op op;
    bool checks; /* what is read */
    bool untimed;
    double limit_s; /* 0: none */
    int64_t total;  /* of a worker's blocks */
};

struct lane_work {
    struct run *r;
    const struct work *w;
};

/* The number of block i of the worker that wrote it; the same in all phases. */
static int64_t block_at(const struct run *r, int64_t i)
{
    if (!random_order)
        return i;
    return shuffle(i, layout.blks, r->seed * 8191 + (uint64_t)r->file->place);
}

static struct io_req request(const void *lane_work, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    struct run *r = l->r;
    int64_t block = block_at(r, i);
    struct extent e = layout_at(&layout, r->file->place, 0, block);
    struct io_req req = {.op = l->w->op,
                         .buf = r->buffer + slot * set.block,
                         .offset = e.offset,
                         .bytes = e.bytes};
    if (req.op == IO_OP_WRITE)
        run_stamp(r, req.buf, req.bytes, (int)block, 1);
    else if (l->w->checks)
        run_poison(r, req.buf, req.bytes);
    return req;
}

static void check_block(void *lane_work, const struct io_req *req, int64_t i, int slot)
{
    struct run *r = ((const struct lane_work *)lane_work)->r;
    (void)slot;
    run_check(r->file, req->buf, req->offset, req->bytes, (int)block_at(r, i), 1);
}

/* Up to the limit, or what is left to do. */
static void transfer_blocks(struct run *r, void *work)
{
    struct io_req req[DEPTH_MAX];
    struct lane_work l = {r, work};
    bool writes = l.w->op == IO_OP_WRITE;
    struct run_queue q = {.make = request,
                          .done = l.w->checks ? check_block : NULL,
                          .context = &l,
                          .from = r->made,
                          .total = l.w->total - r->made,
                          .limit_s = l.w->limit_s,
                          .untimed = l.w->untimed,
                          .all_visible = r->verify && (writes || l.w->checks)};
    run_queue(r->file, req, &q);
}

static void transfer(struct run *r, struct work *w)
{
    run_lanes(r, transfer_blocks, w);
    if (!w->limit_s)
        return;
    w->total = run_wear_out(r);
    w->limit_s = 0;
    run_lanes(r, transfer_blocks, w);
}

static int write_all(struct run *r, void *context)
{
    struct work w = {
        .op = IO_OP_WRITE, .limit_s = set.run.time_s, .total = layout.blks};
    (void)context;
    transfer(r, &w);
    written = w.total;
    return 0;
}

static int read_all(struct run *r, void *context)
{
    struct work w = {.op = IO_OP_READ,
                     .checks = r->verify && !set.pass,
                     .limit_s = set.run.time_s,
                     .total = written};
    (void)context;
    transfer(r, &w);
    return 0;
}

/* --verify=pass: no time of transfers, so that these have all of theirs. */
static int check_all(struct run *r, void *context)
{
    struct work w = {
        .op = IO_OP_READ, .checks = true, .untimed = true, .total = written};
    (void)context;
    transfer(r, &w);
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

static struct stage stages[] = {
    {.phase = "write", .body = write_all, .flags = IO_WRITE | IO_CREATE},
    {.phase = "read", .body = read_all, .flags = IO_READ},
    [STAGE_VERIFY] = {.phase = "verify",
                      .body = check_all,
                      .flags = IO_READ,
                      .aside = true},
    {.body = NULL}};

/* A limit needs a file whose layout does not depend on it, and ranks that need not meet
 * in each transfer. */
static int check_time(const struct run *r)
{
    if (!set.run.time_s)
        return 0;
    if (set.run.collective)
        return err_usage("--time: collective transfers must be as many on every rank, "
                         "and by time they are not: leave out one of the two");
    if (opt_find(r->program, "BYTES")->from == OPT_DEFAULT)
        return err_usage("--time needs BYTES, too: the most that each rank may write "
                         "until then, for which there is room");
    return 0;
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
    int rc = check_time(r);
    return rc ? rc : layout_check(&layout);
}

static int plan(struct run *r, struct run_need *n)
{
    bool interleaved = !strcmp(set.order, "INTERLEAVED");
    random_order = !strcmp(set.pattern, "RANDOM");
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
    set.pass = r->verify && !strcmp(set.run.verify_how, "pass");
    if (!set.pass)
        stages[STAGE_VERIFY].body = NULL;
    n->steps = (2 + set.pass) * layout.blks;
    n->buffer_bytes = set.depth * set.block;
    n->write_bytes = set.run.time_s ? -1 : layout.ranks * layout.blks * set.block;
    n->read_bytes = set.run.time_s ? -1 : (1 + set.pass) * n->write_bytes;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct workload blocktransfer = {
        .name = "blocktransfer",
        .line = "[BYTES]",
        .about = "Sequential or random writes, then reads, of whole blocks by every "
                 "rank: the yardstick for what the other programs reach.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = (RUN_TAKES_ALL & ~RUN_TAKES_VERIFY) | RUN_TAKES_PASS,
        .plan = plan,
        .stages = stages,
        .figures = add_figures,
    };
    return run_main(&blocktransfer, argc, argv);
}
