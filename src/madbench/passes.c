#include "madbench/passes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define POOR 0.8 /* of what the pipeline allows: below it, the report says why */
#define HIDDEN 0.9

static void figure(struct bench *b, const char *phase, const char *name,
                   const char *unit, const char *better, const char *formula,
                   double value)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", phase, name);
    report_figure(b->run->report, full, unit, better, formula, value);
}

/* What a pipeline of so many stages can overlap: it fills and drains alone. */
static double bound(const struct bench *b, enum bench_phase phase)
{
    int64_t stages = phase == PHASE_S ? b->settings->nbin : b->plan.groups;
    if (phase == PHASE_C && b->plan.full)
        stages = b->plan.groups * (b->plan.groups + 1) / 2;
    return 1 - 1 / (double)stages;
}

/* ---- --overlap ----------------------------------------------------------------- */

enum { ALONE_IO, ALONE_COMPUTE, BOTH, PARTS };
typedef struct report_rate rates[PARTS][PHASES];

/* Where the seconds went that both together took more than the longer one alone. */
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
    explain(b, p, r, overlap);
}

int passes_overlap(struct bench *b, int (*call)(void *), void *arg)
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

struct point { /* of the curve: sums over phases */
    double alpha, sync_s, async_s, compute_s;
    double bytes;
};

static const struct pass *pass_of(bool async, bool verify)
{
    static const struct pass p[2][2] = {
        {{.suffix = "-sync", .mode = RUN_SYNC, .work = true},
         {.suffix = "-sync", .mode = RUN_SYNC, .work = true, .verify = true}},
        {{.suffix = "-async", .mode = RUN_ASYNC, .work = true},
         {.suffix = "-async", .mode = RUN_ASYNC, .work = true, .verify = true}}};
    return &p[async][verify];
}

static double visible(const struct bench *b)
{
    double s = 0;
    for (int p = 0; p < PHASES; p++)
        s += b->rate[p].visible_s;
    return s;
}

static int measure(struct bench *b, struct point *at, int (*call)(void *), void *arg)
{
    int rc = bench_pass(b, pass_of(false, false), call, arg);
    at->sync_s = visible(b);
    at->bytes = at->compute_s = 0;
    for (int p = 0; p < PHASES; p++) {
        at->compute_s += b->rate[p].compute_s;
        at->bytes += (double)(b->rate[p].read_bytes + b->rate[p].write_bytes);
    }
    if (!rc)
        rc = bench_pass(b, pass_of(true, false), call, arg);
    at->async_s = visible(b);
    return rc;
}

static double hidden(const struct point *p)
{
    return 1 - p->async_s / p->sync_s;
}

static void add_point(struct bench *b, const struct point *p)
{
    struct report *r = b->run->report;
    const char *rate = "bytes read and written by all ranks / sum over phases of the "
                       "slowest rank's visible seconds (read, write, sync) / 1e6";
    report_figure_at(r, "compute_s", "alpha", p->alpha, "s", "lower",
                     "sum over phases of the slowest rank's seconds, SYNC",
                     p->compute_s);
    report_figure_at(r, "sync_MBps", "alpha", p->alpha, "MB/s", "higher", rate,
                     p->bytes / p->sync_s / 1e6);
    report_figure_at(r, "async_MBps", "alpha", p->alpha, "MB/s", "higher", rate,
                     p->bytes / p->async_s / 1e6);
    report_figure_at(r, "hidden", "alpha", p->alpha, "1", "higher",
                     "1 - visible seconds with ASYNC / with SYNC", hidden(p));
}

/* By linear interpolation between the last alpha that hides less than `goal` and the
 * first that does; NAN: none does. */
static double critical(const struct point *p, int n, double goal)
{
    for (int i = 0; i < n; i++) {
        if (hidden(&p[i]) < goal)
            continue;
        if (i == 0)
            return p[0].alpha;
        double below = hidden(&p[i - 1]),
               part = (goal - below) / (hidden(&p[i]) - below);
        return p[i - 1].alpha + part * (p[i].alpha - p[i - 1].alpha);
    }
    return NAN;
}

static void add_critical(struct bench *b, const struct point *p, int n)
{
    double goal = HIDDEN * bound(b, PHASE_W), alpha = critical(p, n, goal);
    report_figure(
        b->run->report, "alpha_critical", "1", "lower",
        "ALPHA from which on 90 % of the I/O that the pipeline allows to hide "
        "is hidden, by linear interpolation",
        alpha);
    if (isnan(alpha))
        report_warning(b->run->report, "io_not_hidden",
                       "at no ALPHA up to %g was %.0f %% of the I/O hidden: there is "
                       "no critical ALPHA within the sweep",
                       p[n - 1].alpha, 100 * goal);
}

int passes_alphas(struct bench *b, int (*call)(void *), void *arg)
{
    const struct alphas *a = &b->plan.alphas;
    static struct point curve[MADBENCH_ALPHAS_MOST];
    int rc = 0;
    b->run->at_name = "alpha";
    for (int i = 0; i < a->n && !rc; i++) {
        curve[i].alpha = b->alpha = b->run->at = a->first + i * a->step;
        for (int async = 1; async >= 0 && !rc && i == 0 && b->run->rep == 1; async--)
            if (b->settings->run.verify)
                rc = bench_pass(b, pass_of(async, true), call, arg);
        if (!rc)
            rc = measure(b, &curve[i], call, arg);
        if (!rc)
            add_point(b, &curve[i]);
    }
    b->run->at_name = NULL;
    if (!rc)
        add_critical(b, curve, a->n);
    return rc;
}

int64_t passes_with_io(const struct plan *p, const struct settings *s)
{
    int64_t each = p->alphas.n ? 2 * p->alphas.n : s->overlap ? PARTS - 1 : 1;
    int64_t checked = p->alphas.n ? 2 : s->overlap; /* in the first repetition */
    return each * s->run.repeat + checked * s->run.verify;
}

int passes_count(const struct plan *p, const struct settings *s)
{
    if (p->alphas.n)
        return 2 * p->alphas.n + 2 * s->run.verify;
    return s->overlap ? PARTS + s->run.verify : 1;
}
