/* madbench: MADbench2 for today's machines. Strings things together; the phases are in
 * full.c and iomode.c. */
#include "base/err.h"
#include "madbench/bench.h"
#include "madbench/busy.h"
#include "madbench/full.h"
#include "madbench/iomode.h"
#include "madbench/original.h"
#include "madbench/passes.h"
#include <stdio.h>

/* One repetition: one pass over the phases, or several where that is measured. */
static int repetition(struct bench *b, int (*call)(void *), void *arg)
{
    const struct settings *s = b->settings;
    const struct pass plain = {
        .suffix = "", .mode = run_mode_asked(&s->run), .work = true, .verify = true};
    run_rep_begin(b->run);
    int rc = s->alpha_sweep ? passes_alphas(b, call, arg)
             : s->overlap   ? passes_overlap(b, call, arg)
                            : bench_pass(b, &plain, call, arg);
    if (!rc && !s->alpha_sweep)
        run_rep_end(b->run);
    return rc;
}

static int run_full(struct bench *b)
{
    struct full *f;
    int rc = full_open(&f, b);
    for (int64_t i = 0; i < b->settings->run.repeat && !rc; i++)
        rc = repetition(b, full_phases, f);
    if (!rc)
        report_result(b->run->report, "dC", full_dc(f), (int)b->settings->nbin);
    double first = rc ? 0 : full_dc(f)[0];
    full_close(&f);
    rc = run_report_close(b->run, rc);
    /* MADbench2 ended with this line; other programs look for it. */
    if (b->run->world.rank || b->run->output_taken)
        return rc;
    if (!rc && original_asked(b->settings))
        original_result(first);
    else if (!rc)
        printf("dC[0] = %.12e\n", first);
    return rc;
}

/* How much was computed: what seconds of busy work are to be held against. */
static void report_flops(const struct bench *b)
{
    double flops = b->flops;
    MPI_Allreduce(MPI_IN_PLACE, &flops, 1, MPI_DOUBLE, MPI_SUM, b->run->world.comm);
    report_result(b->run->report, "busy_flops", &flops, 1);
}

static int run_iomode(struct bench *b)
{
    double rate = busy_calibrate();
    int rc = 0;
    report_result(b->run->report, "busy_flops_per_s", &rate, 1);
    iomode_prepare(b);
    for (int64_t i = 0; i < b->settings->run.repeat && !rc; i++)
        rc = repetition(b, iomode_phases, b);
    if (!rc)
        report_flops(b);
    return run_report_close(b->run, rc);
}

/* Which grid was chosen, and what else the options do not say. */
static void describe(struct run *r, const struct plan *p)
{
    char gangs[64] = "";
    if (p->gangs > 1)
        snprintf(gangs, sizeof gangs, "; %d gangs of %d x %d", p->gangs, p->small.rows,
                 p->small.cols);
    report_note(r->report, "mode", "%s",
                p->full ? "full: S, D, W, C with ScaLAPACK"
                        : "I/O: S, W, C with busy work");
    report_note(r->report, "grid", "%d x %d ranks, blocks of %lld x %lld%s",
                p->big.rows, p->big.cols, (long long)p->big.block,
                (long long)p->big.block, gangs);
}

static int run_all(struct run *r, const struct plan *p, int argc, char **argv)
{
    struct bench b = {.gang = MPI_COMM_NULL};
    run_plan(r, &p->bins);
    r->own_text = original_asked(&settings);
    int rc = run_ready(r, argc, argv, plan_memory(p), plan_disk(p),
                       layout_text(p->bins.order), 1,
                       plan_steps(p, &settings) * passes_count(p, &settings));
    if (!rc)
        describe(r, p);
    if (!rc)
        rc = bench_open(&b, r, &settings, p);
    if (!rc && r->own_text)
        original_head(&b);
    if (!rc)
        rc = p->full ? run_full(&b) : run_iomode(&b);
    bench_close(&b);
    return rc;
}

static int dry(const struct run *r, const struct plan *p)
{
    struct run_need need = plan_need(p, passes_with_io(p, &settings));
    if (r->world.rank == 0 && !settings.run.quiet)
        plan_print(p, &settings, &need);
    return run_dry_json(r, &need);
}

int main(int argc, char **argv)
{
    struct run r;
    struct plan p;
    int status;
    if (!run_start(&r, &madbench_program, &settings.run, &argc, &argv, &status))
        return status;
    int rc = r.failed;
    if (!rc)
        rc = err_agree(r.world.comm,
                       plan_make(&p, &settings, r.world.rank, r.world.size));
    if (!rc)
        rc = settings.run.dry_run ? dry(&r, &p) : run_all(&r, &p, argc, argv);
    return run_finish(&r, rc);
}
