/* ldad fft: options, memory, arithmetic and answers for workloads/fft.c. */
#include "base/buf.h"
#include "base/err.h"
#include "base/stamp.h"
#include "base/units.h"
#include "ldad/measure/fft_math.h"
#include "ldad/measure/workload.h"
#include "ldad/workloads/workloads.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    struct workload_options o;
    int64_t points, chunk;
    const char *precision;
    bool paper;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TITLE, .help = "Workload:"},
    {.kind = OPT_INT, .name = "points", .letter = 'n', .value = &set.points,
     .preset = "65536", .arg = "N", .unit = "1", .min = 4, .max = 1e15,
     .workload = true, .help = "complex numbers to transform, a power of two"},
    {.kind = OPT_CHOICE, .name = "precision", .value = &set.precision,
     .preset = "single", .arg = "WHICH", .choices = "single|double", .workload = true,
     .help = "precision of a complex number: 8 bytes (single) or 16 (double)"},
    {.kind = OPT_BYTES, .name = "chunk", .letter = 'c', .value = &set.chunk,
     .preset = "16M", .arg = "BYTES", .unit = "B", .min = 1, .max = 1 << 30,
     .workload = true,
     .help = "bytes of columns in memory at once, rounded down to a power of two of "
             "columns, at least one"},
    {.kind = OPT_FLAG, .name = "paper", .value = &set.paper, .preset = "no",
     .workload = true,
     .help = "the problem of Wang and Kaeli: 2^20 numbers in single precision, files "
             "of 8 MiB"},
    WORKLOAD_OPTIONS(set.o),
    {.kind = OPT_NOTE, .name = "cache",
     .text = "*flush* also acts between the passes."},
};
/* clang-format on */

enum { INPUT, FIRST, SECOND, RESULT, FILES };
static const char *const role[FILES] = {"input", "first", "second", "result"};
static struct ldad_workload w = {.options = &set.o, .role = role, .files = FILES};
static struct fft fft;
static const struct fft_math *math;
static void *roots;
static struct {
    double *values;   /* this rank's part of the answer, re and im */
    void *all;        /* on rank 0: the answer */
    double magnitude; /* root of the mean square */
    double error;     /* largest error of this rank's numbers, relative to it */
} answer;

/* ---- arithmetic ------------------------------------------------------------------ */

/* Returns part 0 or 1 of number j of the input. It is in [-1, 1), and the same in both
 * precisions. */
static double input(int64_t j, int part)
{
    uint64_t x = (uint64_t)(2 * j + part + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(int32_t)(x >> 40) / 8388608.0 - 1;
}

void fft_fill(const struct fft *p, MPI_Offset first, MPI_Offset count)
{
    for (int64_t i = 0; i < count; i++)
        math->put(p->lines, i, input(first + i, 0), input(first + i, 1));
}

void fft_lines(const struct fft *p, MPI_Offset first, MPI_Offset rows,
               MPI_Offset columns, enum fft_work work)
{
    math->transpose(p->lines, p->panel, rows, columns);
    if (work != FFT_NOTHING)
        math->lines(p->lines, columns, rows, roots, p->n1);
    if (work == FFT_TWIDDLE)
        math->twiddle(p->lines, first, columns, rows, p->n1 * p->n2);
}

/* ---- the answer ------------------------------------------------------------------ */

static double tolerance(void)
{
    return math == &fft_single ? 1e-5 : 1e-12;
}

/* Computes all numbers on rank 0. Returns 0 or -errno with a sentence. */
static int compute_answer(int64_t n)
{
    double *z = answer.all, sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int part = 0; part < 2; part++)
            z[2 * j + part] = input(j, part);
    int rc = fft_answer(z, n);
    for (int64_t j = 0; j < 2 * n; j++)
        sum += z[j] * z[j];
    answer.magnitude = sqrt(sum / (double)n);
    return rc;
}

/* **Collective.** Gives each rank its part of the answer. */
static int make_answer(int64_t n)
{
    MPI_Comm comm = w.run->world.comm;
    int64_t share = n / w.run->world.size;
    void *values = NULL;
    int rc = buf_alloc(&values, share * 16, "the answer");
    answer.values = values;
    if (!rc && w.run->world.rank == 0)
        rc = buf_alloc(&answer.all, n * 16, "the answer");
    if (!rc && w.run->world.rank == 0)
        rc = compute_answer(n);
    rc = err_agree(comm, rc);
    if (rc)
        return rc;
    MPI_Bcast(&answer.magnitude, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatter(answer.all, (int)(2 * share), MPI_DOUBLE, values, (int)(2 * share),
                MPI_DOUBLE, 0, comm);
    return 0;
}

void fft_check(const struct fft *p, MPI_Offset first, MPI_Offset count)
{
    int64_t share = p->n1 * p->n2 / w.run->world.size;
    const double *right = answer.values + 2 * (first - w.run->world.rank * share);
    double worst = 0;
    char why[320];
    if (!w.run->verify || w.run->failed)
        return;
    enum act before = workload_care_begin(&w);
    for (int64_t i = 0; i < count; i++) {
        double re, im;
        math->get(p->lines, i, &re, &im);
        double off = hypot(re - right[2 * i], im - right[2 * i + 1]) / answer.magnitude;
        worst = off <= worst ? worst : off; /* also if it is not a number */
    }
    snprintf(
        why, sizeof why,
        "a number is off by %.3g of their root mean square, more than %g; " STAMP_WRONG,
        worst, tolerance());
    workload_checked(&w, first * p->element, count * p->element,
                     worst <= tolerance() ? NULL : why);
    answer.error = worst <= answer.error ? answer.error : worst;
    buf_poison(p->lines, count * p->element);
    workload_care_end(&w, before);
}

/* ---- the run --------------------------------------------------------------------- */

static int write_input(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(&w, fft_input(&fft, r->world.comm, w.path[INPUT], w.info));
}

/* A pass from a file into the next one, which has rows where the first has columns. */
struct step {
    int from;
    enum fft_work work;
};

static int transpose(struct run *r, void *step)
{
    const struct step *s = step;
    bool turned = s->from == FIRST;
    int failed =
        fft_pass(&fft, r->world.comm, w.path[s->from], turned ? fft.n2 : fft.n1,
                 turned ? fft.n1 : fft.n2, s->work, w.path[s->from + 1], w.info);
    return workload_called(&w, failed);
}

static int read_result(struct run *r, void *unused)
{
    (void)unused;
    return workload_called(&w, fft_result(&fft, r->world.comm, w.path[RESULT], w.info));
}

static bool is_power(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Returns the bytes of a panel, at least a line of either length. */
static int64_t panel_bytes(const struct fft *p)
{
    return set.points / w.run->world.size / p->panels * p->element;
}

static int fft_lay_out(struct fft *p)
{
    int64_t ranks = w.run->world.size, n2 = 1;
    if (set.paper) {
        set.points = 1 << 20;
        set.precision = "single";
    }
    math = strcmp(set.precision, "single") ? &fft_double : &fft_single;
    if (!is_power(set.points))
        return err_usage("--points: %lld is not a power of two", (long long)set.points);
    if (!is_power(ranks))
        return err_usage("fft needs a power of two of ranks, and there are %lld",
                         (long long)ranks);
    while (4 * n2 * n2 <= set.points)
        n2 *= 2;
    *p = (struct fft){
        .n1 = set.points / n2, .n2 = n2, .element = math->element, .panels = 1};
    if (n2 < ranks)
        return err_usage("--points: %lld make a matrix of %lld x %lld, too small for "
                         "%lld rank%s",
                         (long long)set.points, (long long)p->n1, (long long)n2,
                         (long long)ranks, units_s(ranks));
    while (panel_bytes(p) > set.chunk && panel_bytes(p) > p->n1 * p->element)
        p->panels *= 2;
    if (panel_bytes(p) > 1 << 30 || (w.run->verify && set.points / ranks > INT_MAX / 2))
        return err_usage("--points: this many need more ranks, or --no-verify");
    return ldad_plan_blocks(&w.plan, ranks, 0, set.points * p->element,
                            set.points / ranks * p->element);
}

/* Returns the memory that a rank needs. The answer is made on rank 0, so its node has
 * it once. */
static int64_t memory_of(const struct fft *p)
{
    int64_t answers =
        set.points / w.run->world.size * 16 + set.points * 16 / w.run->world.node_ranks;
    return 2 * panel_bytes(p) + p->n1 / 2 * p->element + (w.run->verify ? answers : 0);
}

static int fft_plan(struct run *r, struct run_need *n)
{
    w.run = r;
    int rc = fft_lay_out(&fft);
    int64_t bytes = set.points * fft.element; /* each file is written and read once */
    n->order = "slabs";
    n->buffer_bytes = rc ? 0 : 2 * panel_bytes(&fft);
    n->memory_bytes = rc ? 0 : memory_of(&fft);
    n->write_bytes = n->read_bytes = rc ? 0 : FILES * bytes;
    return workload_plan(&w, rc, bytes, n);
}

static int fft_prepare(struct run *r)
{
    int rc = workload_open(r);
    if (!rc)
        rc = buf_alloc(&roots, fft.n1 / 2 * fft.element, "roots of unity");
    rc = err_agree(r->world.comm, rc);
    if (!rc && r->verify) {
        report_note(r->report, "answer", "compared with %s", fft_answer_by());
        rc = make_answer(set.points);
    }
    if (rc)
        return rc;
    if (r->partitioned && r->options->node_dirs)
        report_note(r->report, "disks",
                    "all ranks read the columns of one row at a time, which one rank "
                    "wrote: only its disk reads then");
    fft.panel = r->buffer;
    fft.lines = r->buffer + panel_bytes(&fft);
    math->roots(roots, fft.n1);
    return 0;
}

static int report_answer_error(struct run *r, int rc)
{
    MPI_Allreduce(MPI_IN_PLACE, &answer.error, 1, MPI_DOUBLE, MPI_MAX, r->world.comm);
    if (!rc && r->verify)
        report_result(r->report, "error", &answer.error, 1);
    return rc;
}

static void fft_release(struct run *r)
{
    buf_free(roots);
    buf_free(answer.values);
    buf_free(answer.all);
    workload_close(r);
}

int workload_fft(int argc, char **argv)
{
    static struct step columns = {INPUT, FFT_TWIDDLE}, rows = {FIRST, FFT_LINES},
                       order = {SECOND, FFT_NOTHING};
    static const struct stage stages[] = {
        {.body = workload_begin},
        {.phase = "write", .body = write_input},
        {.phase = "columns", .body = transpose, .context = &columns},
        {.phase = "rows", .body = transpose, .context = &rows},
        {.phase = "order", .body = transpose, .context = &order},
        {.phase = "read", .body = read_result},
        {.body = NULL}};
    static const struct workload transform = {
        .name = "ldad fft",
        .line = "",
        .about = "Transforms the numbers in a file (FFT) out of core, by the "
                 "six-step method. Files hold the transposed data.",
        .table = table,
        .options = WORKLOAD_COUNT(table),
        .run = &set.o.run,
        .context = &w,
        .plan = fft_plan,
        .open = fft_prepare,
        .stages = stages,
        .results = report_answer_error,
        .close = fft_release,
        WORKLOAD_HOOKS};
    return workload_main(&transform, argc, argv);
}
