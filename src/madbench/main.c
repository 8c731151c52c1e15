/* madbench: MADbench2 for today's machines. Combines the parts; the phases are in
 * full.c and iomode.c. */
#include "base/units.h"
#include "madbench/bench.h"
#include "madbench/busy.h"
#include "madbench/full.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- measurements by several passes ---------------------------------------------- */

/* Measurements by several passes over the phases: the overlap of I/O and computation,
 * and the computation from which on I/O is hidden. Timed passes do not check blocks, as
 * checking would hide I/O, too; one pass before them, of each kind of I/O, is checked
 * if --verify is on. */

#define POOR 0.8 /* below this part of the possible overlap the report says why */
#define HIDDEN 0.9

static void figure(struct bench *b, const char *phase, const char *name,
                   const char *unit, const char *better, const char *formula,
                   double value)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", phase, name);
    report_figure(b->run->report, full, unit, better, formula, value);
}

/* The overlap that a pipeline of this many stages allows: filling and draining do
 * not overlap. */
static double bound(const struct bench *b, enum bench_phase phase)
{
    int64_t stages = phase == PHASE_S ? b->settings->nbin : b->plan.groups;
    if (phase == PHASE_C && b->plan.full)
        stages = b->plan.groups * (b->plan.groups + 1) / 2;
    return 1 - 1 / (double)stages;
}

/* ---- hidden I/O ------------------------------------------------------------------ */

/* Asynchronous I/O without computation, and its reduction by computation; sums over
 * phases of the slowest rank's seconds. */
struct hiding {
    double alone_s; /* I/O that the program saw, without computation */
    double left_s;  /* I/O that the program saw, with computation */
    double most_s;  /* I/O that this computation could hide */
    double bound_s; /* I/O that any computation could hide */
};

static void hide(struct hiding *h, const struct report_rate *alone,
                 const struct report_rate *both, double compute_s, double bound)
{
    h->alone_s += alone->visible_s;
    h->left_s += both->visible_s;
    h->most_s += fmin(alone->visible_s, compute_s) * bound;
    h->bound_s += alone->visible_s * bound;
}

static double hidden(const struct hiding *h)
{
    return 1 - h->left_s / h->alone_s;
}

#define HIDDEN_FORMULA                                                                 \
    "1 - visible seconds of I/O beside computation / of the same I/O without, both "   \
    "ASYNC"
#define MOST_FORMULA                                                                   \
    "min(visible seconds of I/O without computation, seconds of computation) x (1 - "  \
    "1 / stages of the pipeline) / visible seconds of I/O without computation"

/* ---- --overlap ----------------------------------------------------------------- */

enum { ALONE_IO, ALONE_COMPUTE, BOTH, PARTS };
typedef struct report_rate rates[PARTS][PHASES];

/* The cause of the seconds by which both together took longer than the longer
 * one alone. */
static const char *cause(const struct report_rate *io, const struct report_rate *comp,
                         const struct report_rate *both, double *s)
{
    const double unhidden = fmax(0, io->work_s - comp->work_s);
    const struct {
        double s;
        const char *what;
    } parts[] = {
        {both->submit_s,
         "in the calls that start transfers: the library blocks in them, "
         "or has no room for more"},
        {both->sync_s, "in the sync at the end of the phase: what had been written was "
                       "not yet on the device"},
        {both->wait_s - unhidden, "waiting, although there was enough to compute: "
                                  "transfers did not go on meanwhile"},
        {both->compute_s - comp->compute_s, "in a computation that took longer beside "
                                            "the I/O, which uses the same cores"}};
    int worst = 0;
    for (int i = 1; i < 4; i++)
        if (parts[i].s > parts[worst].s)
            worst = i;
    *s = parts[worst].s;
    return parts[worst].what;
}

static void explain(struct bench *b, enum bench_phase p, const rates r, double overlap)
{
    const struct report_rate *io = &r[ALONE_IO][p], *comp = &r[ALONE_COMPUTE][p];
    char code[32];
    double s;
    snprintf(code, sizeof code, "poor_overlap_%s", bench_phase_name[p]);
    if (io->work_s < 1e-3 || comp->work_s < 0.01 * io->work_s)
        report_warning(b->run->report, code,
                       "phase %s: %.4f s of I/O and %.4f s of computation: too little "
                       "of one of them to tell what overlaps; set BWEXP or NPIX",
                       bench_phase_name[p], io->work_s, comp->work_s);
    else if (overlap < POOR * bound(b, p)) {
        const char *what = cause(io, comp, &r[BOTH][p], &s);
        report_warning(b->run->report, code,
                       "phase %s: of I/O and computation only %.0f %% overlap, of "
                       "%.0f %% that %lld bins allow; %.4f s went %s",
                       bench_phase_name[p], 100 * overlap, 100 * bound(b, p),
                       (long long)b->settings->nbin, s, what);
    }
}

static void add_overlap(struct bench *b, enum bench_phase p, const rates r)
{
    const char *name = bench_phase_name[p];
    const char *formula =
        "slowest rank's seconds of computing, communicating, reading, "
        "writing and syncing";
    double io = r[ALONE_IO][p].work_s, comp = r[ALONE_COMPUTE][p].work_s;
    double both = r[BOTH][p].work_s, overlap = (io + comp - both) / fmin(io, comp);
    if (!r[BOTH][p].read_bytes && !r[BOTH][p].write_bytes)
        return;
    figure(b, name, "t_io_s", "s", "lower", formula, io);
    figure(b, name, "t_comp_s", "s", "lower", formula, comp);
    figure(b, name, "t_both_s", "s", "lower", formula, both);
    figure(b, name, "overlap", "1", "higher",
           "(t_io + t_comp - t_both) / min(t_io, t_comp)", overlap);
    figure(b, name, "overlap_bound", "1", "higher",
           "1 - 1 / stages of the pipeline that reads, computes and writes",
           bound(b, p));
    struct hiding h = {0};
    hide(&h, &r[ALONE_IO][p], &r[BOTH][p], comp, bound(b, p));
    figure(b, name, "hidden", "1", "higher", HIDDEN_FORMULA, hidden(&h));
    figure(b, name, "hidden_most", "1", "higher", MOST_FORMULA, h.most_s / h.alone_s);
    explain(b, p, r, overlap);
}

/* **Collective.** Make one repetition, with `call` and `arg` as for bench_pass; return
 * the agreed verdict.
 *
 * overlap: makes the I/O alone, the computation alone, then both; for each phase
 *     overlap = (t_io + t_comp - t_both) / min(t_io, t_comp)
 * where a time is the slowest rank's seconds of computing, communicating, reading,
 * writing and syncing. A pipeline of n stages allows 1 - 1/n. If it is poor, a warning
 * tells the cause.
 *
 * alphas: for each ALPHA, makes asynchronous I/O without computation, with it, then
 * synchronous I/O. The effective rate is bytes divided by visible seconds of I/O (slide
 * 17).
 *
 * In both, "hidden" is the part that computation takes off the visible seconds of
 * asynchronous I/O, with as many transfers in flight:
 *     hidden      = 1 - visible / visible without computation
 *     hidden_most = min(1, t_comp / visible without computation) (1 - 1/n)
 * The gain of several transfers in flight over one is not part of it (concurrency). At
 * the critical ALPHA, hidden is 90 % of what the pipeline allows. */
static int passes_overlap(struct bench *b, int (*call)(void *), void *arg)
{
    static const struct pass parts[PARTS] = {
        [ALONE_IO] = {.suffix = "-io", .mode = RUN_ASYNC},
        [ALONE_COMPUTE] = {.suffix = "-comp", .mode = RUN_NONE, .work = true},
        [BOTH] = {.suffix = "", .mode = RUN_ASYNC, .work = true}};
    static const struct pass checked = {
        .suffix = "-check", .mode = RUN_ASYNC, .work = true, .verify = true};
    rates r;
    int rc = 0;
    if (b->settings->run.verify && b->run->rep == 1)
        rc = bench_pass(b, &checked, call, arg);
    for (int i = 0; i < PARTS && !rc; i++) {
        rc = bench_pass(b, &parts[i], call, arg);
        memcpy(r[i], b->rate, sizeof r[i]);
    }
    for (int p = 0; p < PHASES && !rc; p++)
        add_overlap(b, p, (const struct report_rate(*)[PHASES])r);
    return rc;
}

/* ---- --alpha-sweep --------------------------------------------------------------- */

#define RATE_FORMULA                                                                   \
    "bytes read and written by all ranks / sum over phases of the slowest rank's "     \
    "visible seconds (read, write, sync) / 1e6"

struct point { /* a point of the curve: sums over phases */
    double alpha, sync_s, compute_s, bytes;
    struct hiding io;
};

enum { ALONE, ASYNC, SYNC, KINDS };

static const struct pass kinds[KINDS] = {
    [ALONE] = {.suffix = "-io", .mode = RUN_ASYNC},
    [ASYNC] = {.suffix = "-async", .mode = RUN_ASYNC, .work = true},
    [SYNC] = {.suffix = "-sync", .mode = RUN_SYNC, .work = true}};

/* Measures a point. I/O without computation comes next to the same I/O with it: a
 * device's rate may drift in a long sweep. */
static int measure(struct bench *b, struct point *at, int (*call)(void *), void *arg)
{
    struct report_rate rate[KINDS][PHASES];
    int rc = 0;
    for (int i = 0; i < KINDS && !rc; i++) {
        rc = bench_pass(b, &kinds[i], call, arg);
        memcpy(rate[i], b->rate, sizeof rate[i]);
    }
    if (rc)
        return rc;
    *at = (struct point){.alpha = b->alpha};
    for (int p = 0; p < PHASES; p++) {
        const struct report_rate *sync = &rate[SYNC][p];
        at->sync_s += sync->visible_s;
        at->compute_s += sync->compute_s;
        at->bytes += (double)(sync->read_bytes + sync->write_bytes);
        hide(&at->io, &rate[ALONE][p], &rate[ASYNC][p], sync->compute_s, bound(b, p));
    }
    return 0;
}

static void add_point(struct bench *b, const struct point *p)
{
    const struct {
        const char *name, *unit, *better, *formula;
        double value;
    } rows[] = {
        {"compute_s", "s", "lower",
         "sum over phases of the slowest rank's seconds, SYNC", p->compute_s},
        {"sync_MBps", "MB/s", "higher", RATE_FORMULA, p->bytes / p->sync_s / 1e6},
        {"alone_MBps", "MB/s", "higher", RATE_FORMULA ", ASYNC without computation",
         p->bytes / p->io.alone_s / 1e6},
        {"async_MBps", "MB/s", "higher", RATE_FORMULA, p->bytes / p->io.left_s / 1e6},
        {"concurrency", "1", "higher",
         "visible seconds with SYNC / with ASYNC without computation",
         p->sync_s / p->io.alone_s},
        {"hidden", "1", "higher", HIDDEN_FORMULA, hidden(&p->io)},
        {"hidden_most", "1", "higher", MOST_FORMULA ", both summed over phases",
         p->io.most_s / p->io.alone_s}};
    const struct report_at at = {.name = "alpha", .value = p->alpha};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_figure_at(b->run->report, rows[i].name, &at, rows[i].unit,
                         rows[i].better, rows[i].formula, rows[i].value);
}

/* The hidden part at a point, as a share of its goal: 1 reaches it. */
static double reached(const struct point *p)
{
    return hidden(&p->io) / (HIDDEN * p->io.bound_s / p->io.alone_s);
}

/* Interpolates linearly between the last alpha that hides less than the goal and the
 * first that reaches it; NAN: none does. */
static double critical(const struct point *p, int n)
{
    for (int i = 0; i < n; i++) {
        if (reached(&p[i]) < 1)
            continue;
        if (i == 0)
            return p[0].alpha;
        double below = reached(&p[i - 1]),
               part = (1 - below) / (reached(&p[i]) - below);
        return p[i - 1].alpha + part * (p[i].alpha - p[i - 1].alpha);
    }
    return NAN;
}

static void add_critical(struct bench *b, const struct point *p, int n)
{
    double alpha = critical(p, n);
    report_figure(
        b->run->report, "alpha_critical", "1", "lower",
        "ALPHA from which on 90 % of the I/O that the pipeline allows to hide "
        "is hidden, by linear interpolation",
        alpha);
    if (isnan(alpha))
        report_warning(b->run->report, "io_not_hidden",
                       "at no ALPHA up to %g was 90 %% of the I/O hidden that the "
                       "pipeline allows to hide: there is no critical ALPHA within the "
                       "sweep",
                       p[n - 1].alpha);
    else if (reached(p) >= 1)
        report_warning(b->run->report, "io_hidden_at_first",
                       "the I/O was hidden at the first ALPHA already: the critical "
                       "one may be below %g",
                       p->alpha);
}

/* Makes one checked pass of each kind of I/O. */
static int bench_check(struct bench *b, int (*call)(void *), void *arg)
{
    int rc = 0;
    for (int i = ASYNC; i <= SYNC && !rc; i++) {
        struct pass checked = kinds[i];
        checked.verify = true;
        rc = bench_pass(b, &checked, call, arg);
    }
    return rc;
}

static int passes_alphas(struct bench *b, int (*call)(void *), void *arg)
{
    const struct alphas *a = &b->plan.alphas;
    static struct point curve[MADBENCH_ALPHAS_MOST];
    int rc = 0;
    b->run->at.name = "alpha";
    for (int i = 0; i < a->n && !rc; i++) {
        b->alpha = b->run->at.value = a->first + i * a->step;
        if (i == 0 && b->run->rep == 1 && b->settings->run.verify)
            rc = bench_check(b, call, arg);
        if (!rc)
            rc = measure(b, &curve[i], call, arg);
        if (!rc)
            add_point(b, &curve[i]);
    }
    b->run->at.name = NULL;
    if (!rc)
        add_critical(b, curve, a->n);
    return rc;
}

/* Local. The number of passes with I/O in all repetitions. */
static int64_t passes_with_io(const struct plan *p, const struct settings *s)
{
    int64_t each = p->alphas.n ? KINDS * p->alphas.n : s->overlap ? PARTS - 1 : 1;
    int64_t checked = p->alphas.n ? 2 : s->overlap; /* in the first repetition */
    return each * s->run.repeat + checked * s->run.verify;
}

/* Local. The number of passes in one repetition, including the checked ones. */
static int passes_count(const struct plan *p, const struct settings *s)
{
    if (p->alphas.n)
        return KINDS * p->alphas.n + 2 * s->run.verify;
    return s->overlap ? PARTS + s->run.verify : 1;
}

/* ---- the program ----------------------------------------------------------------- */

static struct plan plan;
static struct bench bench = {.gang = MPI_COMM_NULL};
static struct full *full; /* NULL in I/O mode */

/* Notes the grid and other choices that the options do not show. */
static void madbench_describe(struct run *r)
{
    const struct plan *p = &plan;
    char gangs[64] = "";
    if (p->gangs > 1)
        snprintf(gangs, sizeof gangs, "; %d gang%s of %d x %d", p->gangs,
                 units_s(p->gangs), p->small.rows, p->small.cols);
    report_note(r->report, "mode", "%s",
                p->full ? "full: S, D, W, C with ScaLAPACK"
                        : "I/O: S, W, C with busy work");
    report_note(r->report, "grid", "%d x %d, blocks of %lld x %lld%s", p->big.rows,
                p->big.cols, (long long)p->big.block, (long long)p->big.block, gangs);
}

static int make_plan(struct run *r, struct run_need *n)
{
    int rc = plan_make(&plan, &settings, r->world.rank, r->world.size);
    r->own_text = original_asked(&settings);
    r->latencies = true;
    if (rc)
        return rc;
    plan_need(&plan, passes_with_io(&plan, &settings), n);
    n->steps = plan_steps(&plan, &settings) * passes_count(&plan, &settings);
    return 0;
}

static void madbench_print_plan(const struct run *r, const struct run_need *n)
{
    (void)r;
    plan_print(&plan, &settings, n);
}

static void prepare_iomode(struct run *r)
{
    double rate = busy_calibrate();
    report_result(r->report, "busy_flops_per_s", &rate, 1);
    iomode_prepare(&bench);
}

static int madbench_prepare(struct run *r)
{
    madbench_describe(r);
    int rc = bench_open(&bench, r, &settings, &plan);
    if (!rc && r->own_text)
        original_head(&bench);
    if (!rc && plan.full)
        rc = full_open(&full, &bench);
    else if (!rc)
        prepare_iomode(r);
    return rc;
}

/* Makes one pass over the phases, or several if their overlap is measured. */
static int phases(struct run *r, void *unused)
{
    int (*call)(void *) = plan.full ? full_phases : iomode_phases;
    void *arg = plan.full ? (void *)full : (void *)&bench;
    const struct pass plain = {
        .suffix = "", .mode = run_mode_asked(r->options), .work = true, .verify = true};
    (void)unused;
    return settings.alpha_sweep ? passes_alphas(&bench, call, arg)
           : settings.overlap   ? passes_overlap(&bench, call, arg)
                                : bench_pass(&bench, &plain, call, arg);
}

/* Prints the last line of MADbench2's output, which other programs look for. */
static void print_first(double dc)
{
    if (original_asked(&settings))
        original_result(dc);
    else
        printf("dC[0] = %.12e\n", dc);
}

/* Reports the number of operations, to be compared with the seconds of busy work. */
static void report_flops(const struct run *r)
{
    double flops = bench.flops;
    world_reduce(r->world.comm, &flops, 1, MPI_DOUBLE, MPI_SUM);
    report_result(r->report, "busy_flops", &flops, 1);
}

static int results(struct run *r, int rc)
{
    double first = 0; /* as MADbench2 prints in I/O mode */
    if (!rc && plan.full) {
        first = full_dc(full)[0];
        report_result(r->report, "dC", full_dc(full), (int)settings.nbin);
    } else if (!rc)
        report_flops(r);
    rc = run_report_close(r, rc);
    if (!rc && (plan.full || original_asked(&settings)) && !r->world.rank &&
        !r->output_taken)
        print_first(first);
    return rc;
}

static void madbench_release(struct run *r)
{
    (void)r;
    full_close(&full);
    bench_close(&bench);
}

int main(int argc, char **argv)
{
    static const struct stage stages[] = {{.body = phases}, {.body = NULL}};
    const struct workload madbench = {
        .name = "madbench",
        .mat_is = "matrix",
        .line = "NPIX NBIN [NGANG [SBLOCKSIZE [FBLOCKSIZE [RMOD [WMOD]]]]]",
        .about = "Out-of-core matrices, as in MADbench2. Phase S writes NBIN "
                 "matrices, D builds and inverts a matrix in memory, W reads, "
                 "multiplies and writes each matrix, and C reads them in pairs. "
                 "MADbench2's environment variables work too; the command line "
                 "overrides them.",
        .table = settings_table,
        .options = settings_count,
        .run = &settings.run,
        .takes = (RUN_TAKES_ALL & ~RUN_TAKES_LANES) | RUN_TAKES_COMPARE,
        .plan = make_plan,
        .plan_print = madbench_print_plan,
        .open = madbench_prepare,
        .stages = stages,
        .results = results,
        .close = madbench_release,
    };
    return run_main(&madbench, argc, argv);
}
