/* blocktransfer: plain sequential and random transfers, after the block-transfer
 * benchmark of Ulmer's flash-memory report (2008, section 2.1). The suite's worked
 * example: what a program is when layout, io and report do the rest.
 *
 * Memory of a rank: depth x block size. Nothing grows with the number of blocks. */
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "block/shuffle.h"
#include "run/run.h"
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
     .help = "bytes that each rank writes, then "
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
    RUN_RANK_SHIFT(set.run),
    RUN_OPTIONS(set.run),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "blocktransfer",
    .line = "[BYTES]",
    .about = "Sequential or random writes, then reads, of whole blocks by every rank: "
             "the yardstick for what the other programs reach.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

static struct layout make_layout(const struct run *r)
{
    bool shared = strcmp(set.run.filetype, "UNIQUE");
    bool interleaved = !strcmp(set.order, "INTERLEAVED");
    return (struct layout){.order = !shared       ? LAYOUT_UNIQUE
                                    : interleaved ? LAYOUT_INTERLEAVED
                                                  : LAYOUT_RANK_MAJOR,
                           .ranks = r->world.size,
                           .mats = 1,
                           .start = set.misalign,
                           .blks = units_div_up(set.bytes, set.block),
                           .slot_bytes = set.block};
}

/* The transfers of a phase, one for each block of this rank. */
struct sequence {
    const struct run *r;
    const struct layout *l;
    enum io_op op;
    int rank;  /* that wrote the blocks */
    char *buf; /* depth blocks */
};

/* Block i of the sequence; the same for every phase of a run. */
static int64_t block_at(const struct sequence *s, int64_t i)
{
    if (!strcmp(set.pattern, "SEQUENTIAL"))
        return i;
    return shuffle(i, s->l->blks, s->r->seed * 8191 + (uint64_t)s->r->world.rank);
}

static struct io_req request(const void *sequence, int64_t i, int slot)
{
    const struct sequence *s = sequence;
    struct extent e = layout_at(s->l, s->rank, 0, block_at(s, i));
    return (struct io_req){.op = s->op,
                           .buf = s->buf + slot * set.block,
                           .offset = e.offset,
                           .bytes = e.bytes};
}

/* Blocks i to i + n - 1, all under way at once. */
static void batch(struct run_file *f, const struct sequence *s, struct io_req *req,
                  int64_t i, int n)
{
    struct run *r = f->run;
    for (int k = 0; k < n; k++) {
        req[k] = request(s, i + k, k);
        if (s->op == IO_OP_WRITE)
            run_stamp(r, req[k].buf, req[k].bytes, (int)block_at(s, i + k), 1);
        else
            run_poison(r, req[k].buf, req[k].bytes);
    }
    run_transfer(f, req, n);
    for (int k = 0; k < n && s->op == IO_OP_READ; k++)
        run_check(f, req[k].buf, req[k].offset, req[k].bytes, (int)block_at(s, i + k),
                  1);
    progress_step(&r->progress, n, r->phase->name);
}

/* Stamping and checking while transfers go on would hide part of their time; and
 * collective ones must come in the same order on every rank. */
static bool in_batches(const struct run *r)
{
    return r->verify || set.run.collective;
}

static void say_how(const struct run *r)
{
    if (!r->queues || set.depth == 1)
        return;
    if (!in_batches(r))
        report_note(r->report, "queue",
                    "kept full: where transfers are done, as many are started");
    else
        report_note(r->report, "queue", "drained between batches of %lld, %s",
                    (long long)set.depth,
                    r->verify ? "as blocks are verified"
                              : "as transfers are collective");
}

/* One phase: all blocks of this rank, `depth` of them under way at a time. */
static int transfer(struct run_file *f, const struct sequence *s)
{
    static struct io_req req[DEPTH_MAX];
    struct run *r = f->run;
    bool writing = s->op == IO_OP_WRITE;
    int64_t blks = s->l->blks;
    run_phase_begin(r, writing ? "write" : "read");
    run_file_of(f, s->rank);
    int rc = run_file_open(f, writing ? IO_WRITE | IO_CREATE : IO_READ);
    if (!rc && !in_batches(r))
        run_queue(f, req, blks, s->op, request, s);
    else
        for (int64_t i = 0; i < blks && !rc; i += set.depth)
            batch(f, s, req, i, (int)(blks - i < set.depth ? blks - i : set.depth));
    run_file_close(f, writing);
    return run_phase_end(r);
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

static int repetition(struct run *r, const struct layout *l, char *buf)
{
    struct run_file f;
    struct sequence writes = {
        .r = r, .l = l, .op = IO_OP_WRITE, .rank = r->world.rank, .buf = buf};
    struct sequence reads = {
        .r = r, .l = l, .op = IO_OP_READ, .rank = run_shifted(r, 1), .buf = buf};
    run_rep_begin(r);
    run_file_name(&f, r, "blocks", l, set.block, (int)set.depth);
    if (!r->verify)
        run_noise(r, buf, set.depth * set.block);
    int rc = transfer(&f, &writes);
    if (!rc)
        rc = transfer(&f, &reads);
    int removed = run_file_remove(&f);
    if (rc || removed)
        return rc ? rc : removed;
    run_rep_end(r);
    add_figures(r);
    return 0;
}

static int check(const struct layout *l)
{
    int64_t buffers;
    if (l->blks > INT32_MAX)
        return err_usage(
            "BYTES / --block-size makes %lld blocks for each rank, more than "
            "2^31: take larger blocks",
            (long long)l->blks);
    if (__builtin_mul_overflow(set.depth, set.block, &buffers))
        return err_usage("--depth x --block-size exceeds 2^63 bytes");
    if (!strcmp(set.run.cache, "direct") &&
        (set.block | set.misalign) % IO_DIRECT_ALIGN)
        return err_usage("--cache=direct moves multiples of %d bytes: --block-size and "
                         "--misalign must be such",
                         IO_DIRECT_ALIGN);
    int rc = run_check_shift(&set.run, (int)l->ranks);
    return rc ? rc : layout_check(l);
}

static int dry(const struct run *r, const struct layout *l)
{
    int64_t blocks = l->ranks * l->blks * l->slot_bytes;
    struct run_need need = {.memory_bytes = set.depth * set.block,
                            .files = 1,
                            .disk_bytes = layout_files(l) * layout_file_bytes(l),
                            .write_bytes = blocks,
                            .read_bytes = blocks,
                            .passes = set.run.repeat};
    return run_dry(r, &need);
}

static int run_all(struct run *r, int argc, char **argv)
{
    struct layout l = make_layout(r);
    void *buf = NULL;
    int rc = err_agree(r->world.comm, check(&l));
    if (!rc && set.run.dry_run)
        return dry(r, &l);
    run_plan(r, &l);
    if (!rc)
        rc = run_ready(r, argc, argv, set.depth * set.block,
                       layout_files(&l) * layout_file_bytes(&l), layout_text(l.order),
                       (int)set.depth, 2 * l.blks);
    if (!rc)
        rc = err_agree(r->world.comm,
                       buf_alloc(&buf, set.depth * set.block, "transfers"));
    if (!rc) {
        run_buffer(r, buf, set.depth * set.block);
        say_how(r);
    }
    for (int64_t i = 0; i < set.run.repeat && !rc; i++)
        rc = repetition(r, &l, buf);
    buf_free(buf);
    return rc;
}

int main(int argc, char **argv)
{
    struct run r;
    int status;
    if (!run_start(&r, &program, &set.run, &argc, &argv, &status))
        return status;
    return run_finish(&r, r.failed ? r.failed : run_all(&r, argc, argv));
}
