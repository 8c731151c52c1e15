/* madbench: MADbench2 for today's machines. Combines the parts; the phases are in
 * full.c and iomode.c. */
#include "base/units.h"
#include "madbench/bench.h"
#include "madbench/busy.h"
#include "madbench/full.h"
#include "madbench/iomode.h"
#include "madbench/original.h"
#include "madbench/passes.h"
#include <stdio.h>

static struct plan plan;
static struct bench bench = {.gang = MPI_COMM_NULL};
static struct full *full; /* NULL in I/O mode */

/* Notes the grid and other choices that the options do not show. */
static void describe(struct run *r)
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

static void print_plan(const struct run *r, const struct run_need *n)
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
    describe(r);
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
    MPI_Allreduce(MPI_IN_PLACE, &flops, 1, MPI_DOUBLE, MPI_SUM, r->world.comm);
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
        .takes = RUN_TAKES_ALL & ~RUN_TAKES_LANES,
        .plan = make_plan,
        .plan_print = print_plan,
        .open = madbench_prepare,
        .stages = stages,
        .results = results,
        .close = madbench_release,
    };
    return run_main(&madbench, argc, argv);
}
