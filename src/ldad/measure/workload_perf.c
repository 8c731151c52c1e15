/* ldad perf: options, memory and stamps for workloads/perf.c. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "ldad/measure/workload.h"
#include "ldad/measure/workloads.h"
#include "ldad/workloads/perf.h"
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
     .help = "where a rank's chunks are in the file: ranks take turns, or each has a "
             "slab of its own"},
    {.kind = OPT_INT, .name = "rounds", .value = &set.rounds, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 1e12, .workload = true,
     .help = "with collective transfers, at most so many chunks of each rank; 0: all "
             "of them"},
    {.kind = OPT_FLAG, .name = "paper", .value = &set.paper, .preset = "no",
     .workload = true, .help = "one chunk of 1 MiB for each rank, as Wang and Kaeli"},
    WORKLOAD_OPTIONS(set.o),
};
/* clang-format on */

static const struct opt_program program = {
    .name = "ldad perf",
    .line = "",
    .about = "Every rank writes chunks in a file, and reads its own back.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

/* ---- what a chunk holds ---------------------------------------------------------- */

static struct workload w; /* the workload's calls come back without it */

/* All of the file is one block, so that a chunk in a wrong place is found out. */
static struct stamp stamp_of_file(void)
{
    return (struct stamp){.seed = w.run.seed, .rep = w.run.rep, .version = 1};
}

void perf_fill(const struct perf *p, MPI_Offset offset)
{
    struct stamp s = stamp_of_file();
    if (!w.run.verify)
        return;
    enum act before = workload_care_begin(&w);
    stamp_fill(p->buf, offset, p->chunk, &s);
    workload_care_end(&w, before);
}

void perf_check(const struct perf *p, MPI_Offset offset)
{
    struct stamp s = stamp_of_file();
    char why[384];
    if (!w.run.verify || w.run.failed)
        return;
    enum act before = workload_care_begin(&w);
    int64_t wrong = stamp_check(p->buf, offset, p->chunk, &s, why, sizeof why);
    workload_checked(&w, wrong < 0 ? offset : wrong, p->chunk, wrong < 0 ? NULL : why);
    buf_poison(p->buf, p->chunk); /* no later read passes for this one */
    workload_care_end(&w, before);
}

/* ---- the run --------------------------------------------------------------------- */

static int phases(const void *v, workload_path *path)
{
    const struct perf *p = v;
    MPI_Comm comm = w.run.world.comm;
    workload_phase_begin(&w, "write");
    int rc = workload_phase_end(&w, perf_write(p, comm, path[0], w.info));
    if (rc)
        return rc;
    workload_phase_begin(&w, "read");
    return workload_phase_end(&w, perf_read(p, comm, path[0], w.info));
}

static int plan(struct perf *p, int64_t *file_bytes)
{
    int64_t ranks = w.run.world.size, bytes;
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

int workload_perf(int argc, char **argv)
{
    struct perf p = {0};
    void *buf = NULL;
    int64_t bytes = 0;
    int status;
    bool done = true;
    if (!workload_start(&w, &program, &set.o, argc, argv, &status))
        return status;
    int rc = w.run.failed;
    if (!rc) {
        rc = plan(&p, &bytes);
        struct workload_need need = {.memory_bytes = p.chunk,
                                     .files = 1,
                                     .file_bytes = bytes,
                                     .write_bytes = bytes,
                                     .read_bytes = bytes,
                                     .layout = set.decomp};
        rc = workload_ready(&w, rc, &need, &done);
    }
    if (!rc && !done)
        rc = err_agree(w.run.world.comm, buf_alloc(&buf, p.chunk, "a chunk"));
    p.buf = buf;
    if (!rc && !done) {
        run_noise(&w.run, buf, p.chunk); /* all there is without --verify */
        rc = workload_repeat(&w, 1, (const char *const[]){"perf"}, phases, &p);
    }
    buf_free(buf);
    return workload_finish(&w, rc);
}
