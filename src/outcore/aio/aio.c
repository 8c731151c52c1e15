/* outcore aio: a file as a stream of sets of operations, two sets in flight; after
 * the experiments with asynchronous interfaces of Ulmer's flash-memory report
 * (2008, section 2.2). One run compares several engines.
 *
 * Bytes, with W = lanes of all ranks x BYTES, for each engine: phase write W, phase
 * read W; with --op=read phase make W once instead of write, with --op=write phase
 * verify W. Memory of a rank: lanes x sets x set bytes, and one set more if sets
 * are copied. */
#include "base/err.h"
#include "base/units.h"
#include "io/io.h"
#include "outcore/aio/flow.h"
#include "outcore/commands.h"
#include "run/workload.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SETTLE_MS = 5000, /* glibc's threads end after a second without work */
    NAME_SIZE = 32,
    LISTED = 512
};

static struct {
    struct run_options run;
    int64_t bytes, set, set_bytes, sets;
    const char *mode, *op, *consume, *engines;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Stream:"},
    {.kind = OPT_BYTES, .name = "BYTES", .value = &set.bytes, .preset = "64M",
     .unit = "B", .min = 1, .max = 9e18, .workload = true,
     .help = "bytes that each rank (with --threads: each of its threads) streams"},
    {.kind = OPT_INT, .name = "set", .letter = 'n', .value = &set.set, .preset = "4",
     .arg = "N", .unit = "1", .min = 1, .max = RUN_LIST_MOST, .workload = true,
     .help = "operations per set, started together"},
    {.kind = OPT_BYTES, .name = "set-bytes", .letter = 'b', .value = &set.set_bytes,
     .preset = "256k", .arg = "BYTES", .unit = "B", .min = 1, .max = 1e12,
     .workload = true, .help = "bytes per set, a multiple of N",
     .text = "Bytes per set, a multiple of _N_; an operation has BYTES/_N_."},
    {.kind = OPT_INT, .name = "sets", .value = &set.sets, .preset = "2", .arg = "S",
     .unit = "1", .min = 1, .max = RUN_LIST_MOST, .workload = true,
     .help = "sets in flight, each with its own buffers",
     .text = "Sets in flight. With *1* nothing is in flight while a set is used. S "
             "x _N_ is at most 1024."},
    {.kind = OPT_CHOICE, .name = "mode", .value = &set.mode, .preset = "set",
     .arg = "MODE", .choices = "set|queue", .workload = true,
     .choice_help = {"set: waits for a whole set before starting it again",
                     "queue: keeps sets x N operations in flight, and replaces each "
                     "as soon as it completes"},
     .text = "*set* is described above. *queue* keeps _S_ x _N_ operations in "
             "flight and replaces each as soon as it completes, as "
             "*blocktransfer*(1)."},
    {.kind = OPT_CHOICE, .name = "op", .value = &set.op, .preset = "both",
     .arg = "OP", .choices = "read|write|both", .workload = true,
     .choice_help = {"read: all engines read one file, which is made untimed",
                     "write: the data is read back untimed for checking",
                     "both: writes, then reads"},
     .text = "*both* writes the stream and reads it. With *read* all engines read "
             "one file, created before. With *write* the file is read back "
             "afterwards for checking."},
    {.kind = OPT_TEXT, .name = "consume", .value = &set.consume, .preset = "checksum",
     .arg = "HOW", .workload = true,
     .help = "what to do with each set that was read: checksum, copy, none, or "
             "sleep:US microseconds",
     .text = "The use of a set before its buffers are used again: *checksum* (the "
             "sum of its 64-bit words), *copy*, *none* or *sleep:*_US_ "
             "microseconds for each set."},
    {.kind = OPT_TEXT, .name = "engines", .value = &set.engines, .arg = "LIST",
     .help = "I/O engines to run in turn in each repetition, instead of --iomethod, "
             "for example posix,aio:descriptors=4,uring; all: every usable one of "
             "posix, aio, libaio, threads, uring and mmap",
     .text = "I/O engines, separated by commas, instead of --iomethod. Options "
             "follow a colon, as in *posix,aio:descriptors=4,threads=8,uring*. "
             "*all* stands for posix, aio, libaio, threads, uring and mmap as far "
             "as they can be used here; the report says which are left out, and "
             "why. Naming an unusable engine ends the run."},
    RUN_LANES(set.run),
    RUN_OPTIONS(set.run),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "Each lane has its own stream, descriptor, sets and buffers."},
    {.kind = OPT_NOTE, .name = "filetype",
     .text = "In a shared file one stream follows the other."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*direct* is for operations and _BYTES_ that are multiples of 4096, "
             "or of the device's sectors (512, for example). *libaio* is "
             "asynchronous with *direct* only."},
    {.kind = OPT_NOTE, .name = "keep",
     .text = "Files of each engine are kept."},
    {.kind = OPT_NOTE, .name = "repeat",
     .text = "All engines run once in each repetition."},
    {.kind = OPT_NOTE, .name = "verify",
     .text = "Written data is stamped. While other sets are in flight, the checks "
             "count as transfer time, and the report says how much it was."},
};
/* clang-format on */

static struct flow flow;
static struct engines engines;
static struct layout layout;
static bool named;         /* the files have names */
static bool reads, writes; /* phases to be measured */
static int threads_before; /* threads of the process before any transfer */
static uint64_t checksum;  /* of this repetition, over all lanes */
static bool summed;        /* an engine has computed it */

static bool several(void)
{
    return engines.n > 1;
}

/* ---- files ----------------------------------------------------------------------- */

/* Names the files: each engine's own, or one that all read. `role` must live as long as
 * the files. */
static void name_files(struct run *r, int engine)
{
    static char role[NAME_SIZE];
    const char *spec = engine < 0 ? "" : engines.spec[engine];
    if (engine < 0 || !several())
        snprintf(role, sizeof role, "stream");
    else
        snprintf(role, sizeof role, "stream%d.%.*s", engine + 1,
                 (int)strcspn(spec, ":"), spec);
    for (int i = 0; i < r->lanes; i++)
        run_file_name(&r->file[i], run_lane_of(r, i), role, &layout, flow.sets.op_bytes,
                      flow.in_flight * (int)flow.sets.per_set);
    named = true;
}

/* Sets the engine, also for files that are already named. */
static int use_engine(struct run *r, const char *spec)
{
    int rc = run_engine(r, spec);
    for (int i = 0; i < r->lanes; i++)
        r->file[i].engine = spec;
    return rc;
}

static int remove_files(struct run *r)
{
    bool there = named;
    named = false;
    return there ? run_file_remove_lanes(r->file, r->lanes) : 0;
}

/* ---- figures --------------------------------------------------------------------- */

static void aio_add_figures(struct run *r, const char *phase, int64_t cpu_ns)
{
    int64_t most[2] = {0, flow.lane[0].threads - threads_before + 1};
    int64_t sum[2] = {cpu_ns, 0};
    double workers = r->workers;
    for (int i = 0; i < r->lanes; i++) {
        const struct flow_lane *l = &flow.lane[i];
        most[0] = l->end_ns - l->begin_ns > most[0] ? l->end_ns - l->begin_ns : most[0];
        sum[1] += l->late_sets;
    }
    world_reduce(r->world.comm, most, 2, MPI_INT64_T, MPI_MAX);
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    run_figure(r, phase, "stream_MBps", "MB/s", "higher",
               "bytes of all ranks / slowest rank's seconds from its first operation "
               "until the last one's bytes were used, without any sync / 1e6",
               workers * (double)set.bytes / ((double)most[0] / 1e9) / 1e6);
    run_figure(r, phase, "cpu_us", "us", "lower",
               "processor time of all ranks' processes in that time / operations",
               (double)sum[0] / 1e3 / (workers * (double)flow.sets.ops));
    if (threads_before)
        run_figure(r, phase, "threads", "1", "lower",
                   "threads of the process while operations were in flight, less those "
                   "before the first phase, + 1; on the rank with most",
                   (double)most[1]);
    if (!flow.queue)
        run_figure(
            r, phase, "out_of_order", "%", "lower",
            "sets that were complete after the set that was started next / sets x "
            "100",
            100 * (double)sum[1] / (workers * (double)flow.sets.sets));
}

/* Compares the checksums of the engines, which must all have read the same bytes. */
static int compare_sums(struct run *r, const char *spec)
{
    uint64_t sum = 0;
    if (flow.consume.how != CONSUME_CHECKSUM || !r->verify)
        return 0;
    for (int i = 0; i < r->lanes; i++)
        sum += flow.lane[i].checksum;
    world_reduce(r->world.comm, &sum, 1, MPI_UINT64_T, MPI_SUM);
    uint64_t first = summed ? checksum : sum;
    checksum = sum;
    summed = true;
    if (sum == first)
        return 0;
    return err_set(-EIO, NULL, -1,
                   "the checksum of what %s read is %016llx, and that of the engine "
                   "before it %016llx",
                   spec, (unsigned long long)sum, (unsigned long long)first);
}

/* ---- phases ---------------------------------------------------------------------- */

/* Runs the flow on all lanes. Returns the processor time of this process. */
static int64_t flow_lanes(struct run *r)
{
    int64_t begin_ns = clock_cpu_ns();
    run_lanes(r, flow_run, &flow);
    return clock_cpu_ns() - begin_ns;
}

/* Makes one transfer of everything; the verdict is agreed. */
static int transfer(struct run *r, const char *phase, enum io_op op, int64_t *cpu_ns)
{
    bool out = op == IO_OP_WRITE;
    flow.op = op;
    flow.checks = r->verify && !out;
    run_phase_begin(r, phase);
    int rc =
        run_file_open_lanes(r->file, r->lanes, out ? IO_WRITE | IO_CREATE : IO_READ);
    *cpu_ns = rc ? 0 : flow_lanes(r);
    run_file_close_lanes(r->file, r->lanes, out);
    rc = run_phase_end(r);
    int64_t bytes = r->workers * set.bytes;
    return rc ? rc : run_moved(r, phase, NULL, out ? 0 : bytes, out ? bytes : 0);
}

static int aio_measure(struct run *r, const char *phase, enum io_op op)
{
    int64_t cpu_ns;
    int rc = transfer(r, phase, op, &cpu_ns);
    if (!rc)
        aio_add_figures(r, phase, cpu_ns);
    return rc;
}

/* Makes a transfer outside of the work: without figures, and not part of wall_s. */
static int aside(struct run *r, const char *phase, enum io_op op)
{
    int64_t cpu_ns;
    struct consume how = flow.consume;
    r->aside = r->samples_only = true;
    flow.consume.how = CONSUME_NONE;
    int rc = use_engine(r, "posix");
    if (!rc)
        rc = transfer(r, phase, op, &cpu_ns);
    flow.consume = how;
    r->aside = r->samples_only = false;
    return rc;
}

/* Waits for the previous engine's threads to end, so that each is seen to have only its
 * own. Threads that stay are not waited for again. */
static void settle_threads(void)
{
    const struct timespec t = {.tv_nsec = 10000000};
    int ms = 0;
    for (; ms < SETTLE_MS && flow_threads() > threads_before; ms += 10)
        nanosleep(&t, NULL);
    if (ms >= SETTLE_MS)
        threads_before = flow_threads();
}

static int engine_phases(struct run *r, const char *spec)
{
    int rc = writes ? aio_measure(r, "write", IO_OP_WRITE) : 0;
    if (!rc && reads)
        rc = aio_measure(r, "read", IO_OP_READ);
    if (!rc && reads)
        rc = compare_sums(r, spec);
    if (!rc)
        run_rep_end(r);
    if (!rc && !reads && r->verify)
        rc = aside(r, "verify", IO_OP_READ);
    return rc;
}

static int engine_turn(struct run *r, int engine)
{
    const char *spec = engines.spec[engine];
    if (several()) {
        settle_threads();
        r->at = (struct report_at){.name = "engine", .text = spec};
    }
    if (writes)
        name_files(r, engine);
    int rc = err_agree(r->world.comm, use_engine(r, spec));
    if (!rc)
        rc = engine_phases(r, spec);
    int removed = writes ? remove_files(r) : 0;
    r->at.name = NULL;
    return rc ? rc : removed;
}

static int aio_repetition(struct run *r, void *context)
{
    int rc = 0;
    (void)context;
    summed = false;
    if (!writes) {
        name_files(r, -1);
        rc = engines_store(&engines) ? aside(r, "make", IO_OP_WRITE) : 0;
    }
    for (int i = 0; i < engines.n && !rc; i++)
        rc = engine_turn(r, engines_turn(&engines, r->rep, i));
    r->samples_only = true; /* each engine has its own figures */
    return rc;
}

static int begin_repetition(struct run *r, void *context)
{
    (void)context;
    r->samples_only = false;
    return 0;
}

static int aio_put_away(struct run *r, int rc)
{
    (void)rc;
    r->at.name = NULL;
    return remove_files(r);
}

/* ---- report ---------------------------------------------------------------------- */

static const char *list_engines(char out[LISTED])
{
    size_t n = 0;
    for (int i = 0; i < engines.n && n < LISTED; i++)
        n += (size_t)snprintf(out + n, LISTED - n, "%s%s", i ? "," : "",
                              engines.spec[i]);
    return out;
}

/* Describes all engines in one line of the report. */
static void tell_engines(struct run *r)
{
    char text[LISTED];
    struct report_io io = {.engine = list_engines(text),
                           .version = "",
                           .io_layer = "several",
                           .mode = "sync",
                           .chosen_because = "--engines",
                           .cache = r->options->cache,
                           .sync = r->flush ? "phase" : "none",
                           .depth = flow.in_flight * (int)flow.sets.per_set,
                           .timeout_s = r->options->io_timeout};
    report_io(r->report, &io);
    r->described = true;
}

static void aio_tell(struct run *r)
{
    const struct sets *s = &flow.sets;
    report_note(
        r->report, "stream",
        "%lld operation%s of %lld bytes in %lld set%s of %lld, %d set%s in flight",
        (long long)s->ops, units_s(s->ops), (long long)s->op_bytes, (long long)s->sets,
        units_s(s->sets), (long long)s->per_set, flow.in_flight,
        units_s(flow.in_flight));
    if (engines.absent[0])
        report_note(r->report, "left out", "%s", engines.absent);
    if (several())
        tell_engines(r);
}

static int aio_results(struct run *r, int rc)
{
    const struct sets *s = &flow.sets;
    double halves[2] = {(double)(checksum >> 32), (double)(checksum & UINT32_MAX)};
    run_result(r, "operations", (double)s->ops);
    run_result(r, "operation_bytes", (double)s->op_bytes);
    run_result(r, "last_operation_bytes", (double)(sets_op(s, s->ops - 1).bytes));
    run_result(r, "sets", (double)s->sets);
    run_result(r, "last_set_operations", (double)(sets_count(s, s->sets - 1)));
    if (summed)
        report_result(r->report, "checksum", halves, 2);
    return rc;
}

static int aio_open_all(struct run *r)
{
    int rc = run_files_make(r);
    if (rc)
        return rc;
    threads_before = flow_threads();
    aio_tell(r);
    return flow_open(&flow, r->lanes);
}

static void aio_close_all(struct run *r)
{
    flow_close(&flow, r->lanes);
}

/* ---- the plan -------------------------------------------------------------------- */

static int aio_check_direct(struct run *r)
{
    return run_direct_fits(r, set.run.dir, flow.sets.op_bytes | set.bytes)
               ? 0
               : run_refuse_direct(r, "BYTES, and --set-bytes / --set, must be such");
}

static int aio_check(struct run *r, int64_t *all)
{
    if (set.sets * set.set > RUN_LIST_MOST)
        return err_usage(
            "--sets x --set is %lld operations in flight, and %d are the most",
            (long long)set.sets * set.set, RUN_LIST_MOST);
    if (flow.sets.ops > INT_MAX)
        return err_usage("BYTES makes %lld operation%s, more than 2^31: take larger "
                         "sets, or fewer operations in each",
                         (long long)flow.sets.ops, units_s(flow.sets.ops));
    if (__builtin_mul_overflow(set.bytes, r->workers, all))
        return err_usage("BYTES of all ranks exceed 2^63");
    if (set.engines && opt_find(r->program, "iomethod")->from == OPT_COMMAND_LINE)
        return err_usage("--engines and --iomethod both say what transfers: leave out "
                         "one of the two");
    return aio_check_direct(r);
}

/* The stacks of glibc's helpers, which are as small as it can make them: one for each
 * descriptor with operations in flight. */
static int64_t helper_bytes(const struct run *r)
{
    int64_t depth = flow.in_flight * flow.sets.per_set, most = 0;
    for (int i = 0; i < engines.n; i++) {
        const char *asked = strstr(engines.spec[i], "descriptors=");
        int64_t n = asked ? strtoll(asked + strlen("descriptors="), NULL, 10) : 1;
        n = n < depth ? n : depth;
        if (!strncmp(engines.spec[i], "aio", 3) && n > most)
            most = n;
    }
    return r->lanes * most * (int64_t)sysconf(_SC_THREAD_STACK_MIN);
}

static void aio_fill_need(const struct run *r, struct run_need *n, int64_t all)
{
    int64_t sets = set.sets + (flow.consume.how == CONSUME_COPY);
    int64_t of_engines = engines.n * all;
    bool made = !writes && engines_store(&engines);
    int kept = set.run.keep && writes ? engines.n : 1;
    n->order = layout_text(layout.order);
    n->depth = several() ? 1 : flow.in_flight * (int)flow.sets.per_set;
    n->files = kept;
    n->disk_bytes = kept * all;
    n->steps = flow.sets.ops * (engines.n * (1 + (reads && writes)) +
                                (made ? 1 : writes && !reads && r->verify));
    n->buffer_bytes = set.sets * set.set_bytes;
    n->memory_bytes = r->lanes * sets * set.set_bytes + helper_bytes(r);
    n->write_bytes = writes ? of_engines : made ? all : 0;
    n->read_bytes = reads || r->verify ? of_engines : 0;
}

static int aio_plan(struct run *r, struct run_need *n)
{
    int64_t all = 0;
    int rc = engines_parse(&engines, r, set.engines);
    reads = strcmp(set.op, "write");
    writes = strcmp(set.op, "read");
    flow =
        (struct flow){.in_flight = (int)set.sets, .queue = !strcmp(set.mode, "queue")};
    if (!rc)
        rc = consume_parse(&flow.consume, set.consume);
    if (!rc)
        rc = sets_make(&flow.sets, set.bytes, set.set_bytes, set.set);
    if (!rc)
        rc = aio_check(r, &all);
    if (rc)
        return rc;
    layout = (struct layout){.order = r->shared ? LAYOUT_RANK_MAJOR : LAYOUT_UNIQUE,
                             .ranks = r->workers,
                             .mats = 1,
                             .blks = 1,
                             .slot_bytes = set.bytes};
    r->latencies = true;
    aio_fill_need(r, n, all);
    return layout_check(&layout);
}

int outcore_aio(int argc, char **argv)
{
    static const struct stage stages[] = {
        {.body = begin_repetition}, {.body = aio_repetition}, {.body = NULL}};
    static const struct workload aio = {
        .name = "outcore aio",
        .line = "[BYTES]",
        .about = "Streams a file in sets of operations, as double-buffered programs "
                 "do, with one I/O engine or with several in turn.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_DIRECT |
                 RUN_TAKES_NULL | RUN_TAKES_LANES | RUN_TAKES_VERIFY |
                 RUN_TAKES_COMPARE,
        .plan = aio_plan,
        .open = aio_open_all,
        .stages = stages,
        .put_away = aio_put_away,
        .results = aio_results,
        .close = aio_close_all,
    };
    argv[0] = (char *)aio.name;
    return run_main(&aio, argc, argv);
}
