/* outcore knn: finds the k nearest neighbours of some vectors by scanning a file of
 * many; after the flash-memory report (Ulmer 2008, section 2.1). The number of queries
 * in a pass sets the balance of I/O and computing.
 *
 * Bytes, with B = vectors x bytes of one: phase make writes B, each phase scan reads B
 * (with direct I/O, sections in whole blocks), merge moves none. Memory of a rank:
 * lanes x (slots x buffer + queries x (k x 16 + 4) + some vectors) + 2 x queries x
 * bytes of a vector. */
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include "io/io.h"
#include "outcore/commands.h"
#include "outcore/data/records.h"
#include "outcore/knn/format.h"
#include "outcore/knn/scan.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

enum { TOLD = 1000 }; /* most numbers of a result */

static struct {
    struct run_options run;
    int64_t vectors, dim, queries, total, k, buffer, slots, classes, check, memory;
    const char *input, *format, *labels, *sweep;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Neighbours:"},
    {.kind = OPT_BYTES, .name = "VECTORS", .value = &set.vectors, .preset = "1M",
     .unit = "1", .min = 1, .max = 9e18, .workload = true,
     .help = "vectors in the generated file; 64M is 2^26"},
    {.kind = OPT_INT, .name = "dim", .letter = 'd', .value = &set.dim, .preset = "32",
     .arg = "D", .unit = "1", .min = 1, .max = DATA_ROW_MAX / 4, .workload = true,
     .help = "components of a vector, 32-bit numbers",
     .text = "Components of a vector, 32-bit floating-point numbers."},
    {.kind = OPT_INT, .name = "queries", .letter = 'n', .value = &set.queries,
     .preset = "16", .arg = "Q", .unit = "1", .min = 1, .max = INT32_MAX,
     .workload = true,
     .help = "queries per pass over the file"},
    {.kind = OPT_INT, .name = "total-queries", .value = &set.total, .preset = "0",
     .arg = "N", .unit = "1", .min = 0, .max = 9e15, .workload = true,
     .help = "queries in total, in N / Q passes; 0: one pass",
     .text = "Total number of queries, in N/_Q_ passes; figures then belong to a "
             "pass (*at*, \"pass\"). 0: one pass."},
    {.kind = OPT_INT, .name = "k", .letter = 'k', .value = &set.k, .preset = "10",
     .arg = "K", .unit = "1", .min = 1, .max = 10000, .workload = true,
     .help = "neighbours to find per query; ties go to lower numbers",
     .text = "Neighbours to find per query, at most the number of vectors."},
    {.kind = OPT_TEXT, .name = "sweep-queries", .value = &set.sweep, .arg = "LIST",
     .workload = true,
     .help = "make a pass with each of these numbers of queries, for example "
             "1,2,4..256 (A..B doubles from A to B), and report the number above "
             "which a pass takes longer",
     .text = "Make one pass for each of these numbers of queries; _A_*..*_B_ is "
             "_A_, 2 _A_, 4 _A_ and so on, up to _B_. Each repetition starts with a "
             "different number. Figures belong to a number of queries (*at*, "
             "\"queries\"). The report says at how many queries a pass takes 1.1 "
             "times as long as with the fewest, by linear interpolation between "
             "the fastest passes, and the device's rate with the fewest queries."},
    {.kind = OPT_TEXT, .name = "input", .value = &set.input, .arg = "FILE",
     .workload = true,
     .help = "read these vectors instead of generating some; FILE is never changed"},
    {.kind = OPT_CHOICE, .name = "format", .value = &set.format, .preset = "raw",
     .arg = "FORMAT", .choices = FORMAT_CHOICES, .workload = true,
     .help = "format of --input",
     .choice_help = {"raw: only 32-bit numbers",
                     "fvecs: the dimension before each vector",
                     "npy: NumPy version 1, <f4 in C order"},
     .text = "Format of that file: *raw* has 32-bit little-endian numbers, one "
             "vector after the other, as NumPy's tofile writes them; *fvecs* has "
             "the dimension, a 32-bit integer, before each vector; *npy* is "
             "NumPy's format, version 1, with <f4 in C order."},
    {.kind = OPT_TEXT, .name = "labels", .value = &set.labels, .arg = "FILE",
     .workload = true,
     .help = "classify by the labels in FILE, one or two bytes per vector",
     .text = "Give each query the label of most of its neighbours; of equally "
             "frequent labels, that of the nearest one. The file has the label of "
             "each vector, in one byte or in two (little endian)."},
    {.kind = OPT_INT, .name = "classes", .value = &set.classes, .preset = "0",
     .arg = "C", .unit = "1", .min = 0, .max = LABELS_MOST, .workload = true,
     .help = "classify by C generated labels; 0: do not classify",
     .text = "Classify by C labels generated from the seed. 0: do not classify."},
    {.kind = OPT_BYTES, .name = "buffer", .letter = 'b', .value = &set.buffer,
     .preset = "1M", .arg = "BYTES", .unit = "B", .min = 512, .max = 1e12,
     .workload = true, .help = "bytes per read",
     .text = "Bytes per read, at least those of a vector."},
    {.kind = OPT_INT, .name = "slots", .value = &set.slots, .preset = "2", .arg = "S",
     .unit = "1", .min = 1, .max = RUN_LIST_MOST, .workload = true,
     .help = "buffers per thread; with IOMODE=ASYNC one is computed on while the "
             "others are being filled"},
    {.kind = OPT_INT, .name = "check", .value = &set.check, .preset = "10000",
     .arg = "N", .unit = "1", .min = 0, .max = 9e15, .workload = true,
     .help = "check N further vectors per rank, untimed, for neighbours that the "
             "answer missed; the answer itself is always checked",
     .text = "Compare this many vectors of each rank, from 16 places in its part "
             "of the file, again with all queries, untimed, to find missed "
             "neighbours. The answer itself is always recomputed."},
    {.kind = OPT_BYTES, .name = "memory", .value = &set.memory, .preset = "0",
     .arg = "BYTES", .unit = "B", .min = 0, .max = 9e18,
     .help = "refuse to run if a rank needs more memory than this; 0: than is "
             "available",
     .text = "Refuse the run if a rank needs more memory than this; 0: "
             "than is available."},
    RUN_LANES(set.run),
    RUN_OPTIONS_WITH(set.run, "SHARED", "no"),
    {.kind = OPT_NOTE, .name = "threads",
     .text = "Each lane scans a section of the file."},
    {.kind = OPT_NOTE, .name = "iomode",
     .text = "*SYNC* reads a buffer, computes on it, and reads the next one; "
             "*ASYNC* fills the other buffers meanwhile."},
    {.kind = OPT_NOTE, .name = "cache",
     .text = "Cached pages of the file are dropped before each pass. *direct* "
             "needs a --buffer that is a multiple of 4096, or of the device's "
             "sectors (512, for example)."},
    {.kind = OPT_NOTE, .name = "seed",
     .text = "It is also that of queries and labels."},
};
/* clang-format on */

static struct scan scan;
static struct vectors vectors;
static struct classify classify;
static struct sweep sweep;
static struct {
    int64_t first, distances, nans;
    double id_sum; /* over all queries; with a sweep, those of the largest pass */
    bool known;    /* an earlier pass has found the nearest of query 0 */
    uint64_t nearest;
    double ids[TOLD], d2[TOLD], label[TOLD];
    int told, labels;
} answer;

/* ---- figures --------------------------------------------------------------------- */

static void knn_add_figures(struct run *r, int64_t cpu_ns)
{
    const struct report_rate *last = &r->last;
    int64_t sum[2] = {cpu_ns, 0};
    double queries = (double)scan.packed.n;
    double bytes = (double)scan.rows.n * (double)scan.format.stride;
    double operations = 3 * (double)scan.rows.n * (double)scan.format.dim * queries;
    for (int i = 0; i < r->lanes; i++)
        sum[1] += scan.lane[i].cpu_ns;
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    run_figure(r, "scan", "queries_per_s", "1/s", "higher",
               "queries of the pass / slowest rank's seconds of reading and computing",
               queries / last->work_s);
    run_figure(r, "scan", "gflops_per_cpu_s", "GFLOP/s", "higher",
               "3 x vectors x components x queries / processor seconds of all ranks / "
               "1e9",
               operations / (double)sum[0]);
    run_figure(r, "scan", "distances_MBps", "MB/s", "higher",
               "bytes of all vectors / processor seconds of all ranks in distances / "
               "1e6",
               bytes / ((double)sum[1] / 1e9) / 1e6);
}

/* Adds the overlap. The pass with the fewest queries gives the time of the reads. */
static void knn_add_overlap(struct run *r, double few_s, const struct report_rate *pass)
{
    double less = few_s < pass->compute_s ? few_s : pass->compute_s;
    run_figure(
        r, "scan", "overlap", "1", "higher",
        "(t_io + t_comp - t_both) / min(t_io, t_comp), t_io: seconds of the pass "
        "with the fewest queries",
        (few_s + pass->compute_s - pass->work_s) / less);
}

/* ---- a pass ---------------------------------------------------------------------- */

/* Counts NaN distances, which each lane has counted itself; only lane 0's lists are
 * the answer. */
static void count_nans(struct run *r)
{
    answer.nans = 0;
    for (int i = 0; i < r->lanes; i++)
        answer.nans += scan.lane[i].nearest.nans;
    world_reduce(r->world.comm, &answer.nans, 1, MPI_INT64_T, MPI_SUM);
}

static void keep_told(int64_t first)
{
    if (first)
        return;
    answer.told = answer.labels = 0;
    for (int64_t i = 0; i < scan.packed.n * scan.k && i < TOLD; i++) {
        const struct neighbour *n = scan_answer(&scan, 0) + i;
        answer.ids[answer.told] = n->id == NEAREST_NONE ? -1 : (double)n->id;
        answer.d2[answer.told++] = n->id == NEAREST_NONE ? -1 : (double)n->d2;
    }
    for (int64_t q = 0; q < scan.packed.n && q < TOLD && classify_asked(&classify); q++)
        answer.label[answer.labels++] = (double)classify.label[q];
}

/* Keeps the answer. The first query is the same in all repetitions, and in all passes
 * of a sweep. */
static int keep_answer(struct run *r, int64_t first)
{
    uint64_t nearest = scan_answer(&scan, 0)->id;
    for (int64_t i = 0; i < scan.packed.n * scan.k; i++) {
        const struct neighbour *n = scan_answer(&scan, 0) + i;
        answer.id_sum += n->id == NEAREST_NONE ? 0 : (double)n->id;
    }
    if (r->world.rank == 0)
        keep_told(first);
    if (first)
        return 0;
    if (answer.known && nearest != answer.nearest)
        return err_set(-EIO, scan.data.path, -1,
                       "the nearest of query 0 is vector %llu, and was %llu in an "
                       "earlier pass",
                       (unsigned long long)nearest, (unsigned long long)answer.nearest);
    answer.known = true;
    answer.nearest = nearest;
    return 0;
}

static int knn_pass(struct run *r, int64_t first, int64_t queries)
{
    int64_t cpu_ns, distances = 0;
    scan_queries(&scan, first, queries);
    int rc = scan_pass(r, &scan, &cpu_ns);
    if (rc)
        return rc;
    knn_add_figures(r, cpu_ns);
    struct report_rate scanned = r->last;
    rc = scan_merge(r, &scan);
    if (!rc)
        rc = check_answer(r, &scan, set.check, &distances);
    if (!rc && classify_asked(&classify))
        rc = classify_answer(r, &classify, &scan);
    r->last = scanned;
    answer.distances += distances;
    count_nans(r);
    return rc ? rc : keep_answer(r, first);
}

static void at_queries(struct run *r, int i)
{
    r->at = (struct report_at){.name = "queries", .value = (double)sweep.queries[i]};
}

/* Makes a sweep. Each repetition begins with another number of queries, so that drifts
 * of the machine do not affect always the same one. */
static int swept(struct run *r)
{
    struct report_rate last[SWEEP_MOST];
    int rc = 0;
    for (int j = 0; j < sweep.n && !rc; j++) {
        int i = (j + r->rep - 1) % sweep.n;
        double sum = answer.id_sum;
        at_queries(r, i);
        answer.id_sum = 0;
        rc = knn_pass(r, 0, sweep.queries[i]);
        if (i < sweep.n - 1)
            answer.id_sum = sum;
        last[i] = r->last;
        if (!rc)
            sweep_add(&sweep, i, r->last.work_s, report_rate_read_MBps(&r->last));
    }
    for (int i = 1; i < sweep.n && !rc; i++) {
        at_queries(r, i);
        knn_add_overlap(r, last[0].work_s, &last[i]);
    }
    return rc;
}

static int64_t all_queries(void)
{
    return set.total ? set.total : set.queries;
}

static int passes(struct run *r)
{
    int64_t all = all_queries();
    int rc = 0;
    answer.id_sum = 0;
    for (int64_t first = 0; first < all && !rc; first += set.queries) {
        int64_t left = all - first;
        if (all > set.queries)
            r->at = (struct report_at){.name = "pass",
                                       .value = (double)(first / set.queries + 1)};
        rc = knn_pass(r, first, left < set.queries ? left : set.queries);
    }
    return rc;
}

static int knn_repetition(struct run *r, void *context)
{
    (void)context;
    r->samples_only = false;
    data_name(r, &scan.data, "vectors", set.buffer, (int)set.slots);
    int rc = data_make(r, &scan.data, &scan.rows);
    if (!rc)
        rc = sweep.n ? swept(r) : passes(r);
    r->samples_only = true; /* each pass has its own figures */
    r->at.name = NULL;
    return rc;
}

static int knn_put_away(struct run *r, int rc)
{
    (void)rc;
    r->at.name = NULL;
    return data_remove(r, &scan.data);
}

/* ---- report ---------------------------------------------------------------------- */

static void tell_crossover(struct run *r)
{
    double crossover = sweep_crossover(&sweep);
    if (crossover > 0) {
        run_result(r, "crossover_queries", crossover);
        run_result(r, "crossover_device_MBps", sweep.MBps[0]);
        report_note(r->report, "crossover",
                    "from %.1f queries on a pass takes %g times as long as with %lld, "
                    "which read %.0f MB/s",
                    crossover, SWEEP_LONGER, (long long)sweep.queries[0],
                    sweep.MBps[0]);
    } else
        report_note(r->report, "crossover",
                    "none: a pass with %lld queries does not take %g times as long as "
                    "with %lld, which read %.0f MB/s",
                    (long long)sweep.queries[sweep.n - 1], SWEEP_LONGER,
                    (long long)sweep.queries[0], sweep.MBps[0]);
}

static int knn_results(struct run *r, int rc)
{
    run_result(r, "vectors", (double)scan.rows.n);
    run_result(r, "distances_checked", (double)answer.distances);
    if (answer.nans)
        report_warning(r->report, "nan_vectors",
                       "%lld of the %lld vectors have a component that is no number "
                       "(NaN): they are nobody's neighbours",
                       (long long)answer.nans, (long long)scan.rows.n);
    if (rc)
        return rc;
    run_result(r, "nan_vectors", (double)answer.nans);
    run_result(r, "id_sum", answer.id_sum);
    report_result(r->report, "ids", answer.ids, answer.told);
    report_result(r->report, "d2", answer.d2, answer.told);
    if (answer.labels)
        report_result(r->report, "labels", answer.label, answer.labels);
    if (sweep.n)
        tell_crossover(r);
    data_again(r, &scan.data);
    return 0;
}

/* ---- the plan -------------------------------------------------------------------- */

static int knn_check_options(struct run *r)
{
    const char *const made[] = {"VECTORS", "format"};
    bool asked[2];
    for (int i = 0; i < 2; i++)
        asked[i] = opt_find(r->program, made[i])->from == OPT_COMMAND_LINE;
    if (set.input && asked[0])
        return err_usage("VECTORS with --input: the file says how many there are");
    if (!set.input && asked[1])
        return err_usage("--format without --input: what is made is raw");
    if (set.labels && set.classes)
        return err_usage("--labels and --classes: take one of the two");
    if (set.sweep && set.total)
        return err_usage("--sweep-queries makes one pass of each number of queries: "
                         "leave out --total-queries");
    if (set.buffer < scan.format.stride || set.buffer > INT_MAX)
        return err_usage(
            "--buffer=%lld: it must hold a vector, of %lld bytes, and have "
            "less than 2^31",
            (long long)set.buffer, (long long)scan.format.stride);
    return run_direct_fits(r, set.input ? set.input : set.run.dir, set.buffer)
               ? 0
               : run_refuse_direct(r, "--buffer must be one");
}

/* Examines the input before it is opened; its own description is read later. */
static int knn_look_at_input(struct run *r)
{
    int rc = data_given(r, &scan.data, set.input, 1, true);
    if (rc)
        return rc;
    if (!strcmp(set.format, "raw"))
        return format_of(&scan.format, set.format, set.input, NULL, 0, scan.data.bytes,
                         set.dim);
    scan.format = format_raw(set.dim, 0);
    scan.format.skip = strcmp(set.format, "fvecs") ? 0 : (int64_t)sizeof(int32_t);
    scan.format.stride += scan.format.skip;
    scan.format.rows = scan.data.bytes / scan.format.stride;
    return 0;
}

static int look_at_labels(struct run *r)
{
    struct io_input is;
    classify = (struct classify){.path = set.labels, .classes = set.classes};
    if (!set.labels)
        return 0;
    int rc = run_input(r, set.labels, &is, false);
    classify.bytes = is.bytes;
    return rc;
}

static void settle_rows(void)
{
    scan.rows = (struct data_rows){.bytes = scan.format.stride,
                                   .n = scan.format.rows,
                                   .make = vectors_rows,
                                   .context = &vectors};
}

static int check_sizes(const struct run *r, int64_t *bytes)
{
    int64_t all;
    if (set.k > scan.rows.n)
        return err_usage("--k=%lld: there are %lld vectors, and none has more "
                         "neighbours",
                         (long long)set.k, (long long)scan.rows.n);
    if (__builtin_mul_overflow(scan.rows.n, scan.rows.bytes, bytes) ||
        __builtin_mul_overflow(*bytes, r->workers, &all))
        return err_usage("%lld vector%s of %lld bytes are too many",
                         (long long)scan.rows.n, units_s(scan.rows.n),
                         (long long)scan.rows.bytes);
    if (__builtin_mul_overflow(scan.most, set.k * 64 + set.dim * 8, &all))
        return err_usage("%lld queries are too many", (long long)scan.most);
    return 0;
}

static void knn_fill_need(struct run *r, struct run_need *n, int64_t bytes)
{
    int64_t aside = check_memory(&scan), made = r->lanes * (int64_t)DATA_MAKE_MEMORY;
    int64_t count = sweep.n ? sweep.n : units_div_up(all_queries(), set.queries);
    if (classify_asked(&classify))
        aside += classify_memory(&scan);
    if (!set.input && aside < made)
        aside = made;
    n->order = "by number";
    n->depth = r->queues ? (int)set.slots : 1;
    n->steps = count * (scan.rows.n / r->workers);
    n->memory_bytes = scan_memory(r, &scan) + aside;
    n->files = !set.input;
    n->write_bytes = n->disk_bytes = set.input ? 0 : bytes;
    n->read_bytes = count * bytes;
}

static int check_memory_limit(const struct run_need *n)
{
    if (!set.memory || n->memory_bytes <= set.memory)
        return 0;
    return err_usage("--memory=%lld: a rank needs %lld bytes: take fewer queries, or "
                     "less of --k, --buffer, --slots or --threads",
                     (long long)set.memory, (long long)n->memory_bytes);
}

static int knn_plan(struct run *r, struct run_need *n)
{
    int64_t bytes = 0;
    int rc = sweep_parse(&sweep, set.sweep);
    scan = (struct scan){.buffer = set.buffer,
                         .slots = set.slots,
                         .k = set.k,
                         .kernel = kernel_best(),
                         .format = format_raw(set.dim, set.vectors)};
    if (!rc)
        rc = knn_check_options(r);
    int64_t all = all_queries();
    scan.most = set.queries < all ? set.queries : all;
    if (sweep.n)
        scan.most = sweep.queries[sweep.n - 1];
    if (!rc && set.input)
        rc = knn_look_at_input(r);
    settle_rows();
    if (!rc)
        rc = check_sizes(r, &bytes);
    if (!rc && !set.input)
        rc = data_planned(r, &scan.data, &scan.rows);
    if (!rc)
        rc = look_at_labels(r);
    if (rc)
        return rc;
    r->io_shares = true;
    knn_fill_need(r, n, bytes);
    return check_memory_limit(n);
}

/* ---- the run --------------------------------------------------------------------- */

/* Reads the input's description of itself. */
static int knn_read_head(struct run *r)
{
    static char head[FORMAT_HEAD];
    struct run_file f;
    struct io_req req = {.op = IO_OP_READ, .buf = head, .bytes = FORMAT_HEAD};
    if (scan.data.bytes < req.bytes)
        req.bytes = scan.data.bytes;
    entries_file(&f, r, scan.data.path, FORMAT_HEAD);
    if (!run_file_open(&f, IO_READ))
        run_transfer(&f, &req, 1);
    run_file_close(&f, false);
    if (r->failed)
        return r->failed;
    return format_of(&scan.format, set.format, scan.data.path, head, req.bytes,
                     scan.data.bytes, set.dim);
}

static int knn_open_all(struct run *r)
{
    int rc = data_say(r, &scan.data);
    if (!rc && set.input && strcmp(set.format, "raw"))
        rc = knn_read_head(r);
    settle_rows();
    vectors = (struct vectors){rng_key(r->seed, RNG_VECTORS), set.dim};
    scan.key = rng_key(r->seed, RNG_QUERIES);
    report_note(r->report, "distances", "%s, %d queries and %d vector%s at once",
                scan.kernel->name, scan.kernel->block, scan.kernel->rows,
                units_s(scan.kernel->rows));
    if (!rc && set.k > scan.rows.n)
        rc = err_usage("--k=%lld: there are %lld vectors", (long long)set.k,
                       (long long)scan.rows.n);
    if (!rc && classify_asked(&classify))
        rc = classify_open(&classify, &scan);
    return rc ? rc : scan_open(r, &scan);
}

static void knn_close_all(struct run *r)
{
    scan_close(r, &scan);
    classify_close(&classify);
    data_free(&scan.data);
}

int outcore_knn(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = knn_repetition}, {.body = NULL}};
    static const struct workload knn = {
        .name = "outcore knn",
        .line = "[VECTORS]",
        .about = "Finds the nearest neighbours of some vectors by scanning a file of "
                 "many.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.run,
        .takes = RUN_TAKES_SHARED | RUN_TAKES_DIRECT | RUN_TAKES_LANES |
                 RUN_TAKES_ASYNC | RUN_TAKES_COMPARE,
        .plan = knn_plan,
        .open = knn_open_all,
        .stages = stages,
        .put_away = knn_put_away,
        .results = knn_results,
        .close = knn_close_all,
    };
    argv[0] = (char *)knn.name;
    return run_main(&knn, argc, argv);
}
