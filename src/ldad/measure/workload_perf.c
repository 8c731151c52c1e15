/* ldad perf: options, memory and stamps for workloads/perf.c. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "ldad/measure/workload.h"
#include "ldad/workloads/workloads.h"
#include <string.h>

static struct {
    struct workload_options o;
    int64_t chunk, chunks, rounds;
    const char *decomp;
    bool paper;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Workload:"},
    {.kind = OPT_BYTES, .name = "chunk", .letter = 'c', .value = &set.chunk,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 8, .max = 1 << 30,
     .workload = true, .help = "bytes of one transfer, a multiple of 8"},
    {.kind = OPT_INT, .name = "chunks", .letter = 'n', .value = &set.chunks,
     .preset = "64", .arg = "N", .unit = "1", .min = 1, .max = 1e12, .workload = true,
     .help = "chunks that each rank writes, then reads"},
    {.kind = OPT_CHOICE, .name = "decomp", .value = &set.decomp, .preset = "cyclic",
     .arg = "WAY", .choices = "cyclic|slabs", .workload = true,
     .help = "where a rank's chunks are in the file: ranks take turns, or each has "
             "one slab",
     .text = "The part of the file that a rank writes.",
     .choice_text = {"ranks take turns in chunks", "each rank has one slab"}},
    {.kind = OPT_INT, .name = "rounds", .value = &set.rounds, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 1e12, .workload = true,
     .help = "with collective transfers: limit the run to this many chunks per rank; "
             "0: no limit",
     .text = "With MPI-IO's collective transfers: at most this many chunks per rank, "
             "in a shorter file, since collective transfers of small chunks may take "
             "forever. 0: no limit."},
    {.kind = OPT_FLAG, .name = "paper", .value = &set.paper, .preset = "no",
     .workload = true, .help = "the problem of Wang and Kaeli: one chunk of 1 MiB "
                               "per rank"},
    WORKLOAD_OPTIONS(set.o),
};
/* clang-format on */

/* ---- contents of a chunk --------------------------------------------------------- */

static const char *const role[] = {"perf"};
static struct ldad_workload w = {.options = &set.o, .role = role, .files = 1};
static struct perf perf;

/* All of the file is one block, so that a chunk in a wrong place is detected. */
static struct stamp stamp_of_file(void)
{
    return (struct stamp){.seed = w.run->seed, .rep = w.run->rep, .version = 1};
}

void perf_fill(const struct perf *p, MPI_Offset offset)
{
    struct stamp s = stamp_of_file();
    if (!w.run->verify)
        return;
    enum act before = workload_care_begin(&w);
    stamp_fill(p->buf, offset, p->chunk, &s);
    workload_care_end(&w, before);
}

void perf_check(const struct perf *p, MPI_Offset offset)
{
    struct stamp s = stamp_of_file();
    char why[384];
    if (!w.run->verify || w.run->failed)
        return;
    enum act before = workload_care_begin(&w);
    int64_t wrong = stamp_check(p->buf, offset, p->chunk, &s, why, sizeof why);
    workload_checked(&w, wrong < 0 ? offset : wrong, p->chunk, wrong < 0 ? NULL : why);
    buf_poison(p->buf, p->chunk); /* a later read must not pass with these bytes */
    workload_care_end(&w, before);
}

/* ---- the run --------------------------------------------------------------------- */

static int perf_write_all(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(&w, perf_write(&perf, r->world.comm, w.path[0], w.info));
}

static int perf_read_all(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(&w, perf_read(&perf, r->world.comm, w.path[0], w.info));
}

static int perf_lay_out(struct perf *p, int64_t ranks, int64_t *file_bytes)
{
    int64_t bytes;
    if (set.paper) {
        set.chunk = 1 << 20;
        set.chunks = 1;
    }
    bool capped = set.rounds && workload_collective(&w) && set.rounds < set.chunks;
    *p = (struct perf){.chunk = set.chunk,
                       .count = capped ? set.rounds : set.chunks,
                       .slabs = !strcmp(set.decomp, "slabs")};
    if (set.chunk % 8)
        return err_usage("--chunk must be a multiple of 8 bytes");
    if (__builtin_mul_overflow(p->chunk, p->count, &bytes) ||
        __builtin_mul_overflow(bytes, ranks, &bytes))
        return err_usage("--chunk x --chunks x ranks exceeds 2^63 bytes");
    *file_bytes = bytes;
    return p->slabs ? ldad_plan_blocks(&w.plan, ranks, 0, bytes, p->chunk)
                    : ldad_plan_cyclic(&w.plan, ranks, 0, bytes, p->chunk);
}

static int perf_plan(struct run *r, struct run_need *n)
{
    int64_t bytes = 0;
    w.run = r;
    int rc = perf_lay_out(&perf, r->world.size, &bytes);
    n->order = set.decomp;
    n->memory_bytes = n->buffer_bytes = perf.chunk;
    n->write_bytes = n->read_bytes = bytes;
    return workload_plan(&w, rc, bytes, n);
}

static int perf_open_all(struct run *r)
{
    perf.buf = r->buffer;
    return workload_open(r);
}

int workload_perf(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = workload_begin},
                                          {.phase = "write", .body = perf_write_all},
                                          {.phase = "read", .body = perf_read_all},
                                          {.body = NULL}};
    static const struct workload benchmark = {
        .name = "ldad perf",
        .line = "",
        .about = "Every rank writes chunks to a file, then reads its own chunks back.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.o.run,
        .context = &w,
        .plan = perf_plan,
        .open = perf_open_all,
        .stages = stages,
        .close = workload_close,
        WORKLOAD_HOOKS};
    return workload_main(&benchmark, argc, argv);
}
