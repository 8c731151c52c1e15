/* Phases and repetitions: at their ends ranks meet, agree and reduce. */
#include "base/err.h"
#include "base/units.h"
#include "run/inside.h"
#include "run/lanes.h"
#include <errno.h>
#include <iotrace.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void run_phase_begin(struct run *r, const char *name)
{
    r->made = 0;
    r->limit.reached = false;
    memset(&r->held, 0, sizeof r->held);
    memcpy(r->cpu_before_ns, r->cpu_ns, sizeof r->cpu_ns);
    r->device_before = r->counters ? io_device_read_bytes() : -1;
    MPI_Pcontrol(1, name); /* a region, for profilers that intercept it */
    iotrace_begin(name);   /* the same in the trace of iotrace */
    live_phase(r, name);
    phase_begin(r->phase, name, r->rep);
    lanes_begin_phase(r, name);
}

/* The bytes that this rank's reads took from the device, by the kernel's counters. */
static void count_device(struct run *r)
{
    int64_t now = r->counters ? io_device_read_bytes() : -1;
    if (lanes_calls(r, ACT_READ))
        phase_device(r->phase, ACT_READ,
                     now < 0 || r->device_before < 0 ? -1 : now - r->device_before);
}

void run_figure(struct run *r, const char *phase, const char *name, const char *unit,
                const char *better, const char *formula, double value)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s%s", phase, *phase ? "." : "", name);
    report_figure_at(r->report, full, &r->at, unit, better, formula, value);
}

/* Adds a rate in bytes divided by seconds; none if nothing was transferred. */
static void rate_figure(struct run *r, const char *phase, const char *name,
                        const char *formula, double MBps)
{
    if (isfinite(MBps))
        run_figure(r, phase, name, "MB/s", "higher", formula, MBps);
}

/* Figures of the I/O that the program saw, and of the computation that could
 * hide it. */
static void visible_figures(struct run *r, const char *phase,
                            const struct report_rate *a)
{
    if (!a->read_bytes && !a->write_bytes)
        return;
    run_figure(r, phase, "submit_s", "s", "lower",
               "slowest rank's seconds of starting transfers", a->submit_s);
    run_figure(r, phase, "wait_s", "s", "lower",
               "slowest rank's seconds of waiting for transfers", a->wait_s);
    run_figure(r, phase, "compute_s", "s", "lower",
               "slowest rank's seconds of computation", a->compute_s);
}

/* Adds each figure in every repetition, even if the transfers are too few for a
 * percentile. `op`: prefix of the names, such as "read_", or empty. */
static void latency_figures(struct run *r, const char *phase, const char *op,
                            const struct report_latency *l)
{
    const struct {
        const char *name, *what;
        double s;
    } row[] = {{"p50", "median of the single calls' latencies", l->p50_s},
               {"p99", "latency that 99 % of all calls do not exceed", l->p99_s},
               {"p999", "latency that 99.9 % of all calls do not exceed", l->p999_s},
               {"max", "longest latency of a call", l->max_s}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char name[24];
        snprintf(name, sizeof name, "%s%s_us", op, row[i].name);
        run_figure(r, phase, name, "us", "lower", row[i].what, row[i].s * 1e6);
    }
}

/* Adds up the time between transfers, in which the kernel may go on. Direct I/O and
 * files in memory have none. */
static void add_beside(struct run *r, const struct report_rate *a)
{
    const int64_t bytes[2] = {a->read_bytes, a->write_bytes};
    const double s[2] = {a->mixed ? a->visible_s : a->read_s,
                         a->mixed ? a->visible_s : a->write_sync_s};
    bool direct = r->io_flags & IO_DIRECT;
    if (r->async || !r->flush || !io_engine_stores(r->engine) || direct ||
        r->fs.in_memory || r->groups)
        return;
    for (int k = 0; k < 2; k++) {
        struct run_beside *b = &r->beside[k];
        b->bytes += bytes[k];
        b->moved_s += bytes[k] ? s[k] : 0;
        b->other_s += bytes[k] ? a->compute_s + a->check_s : 0;
    }
}

/* Adds a phase to the rates. A phase aside counts in no rate, nor in the device's
 * share. A phase with reads and writes in flight together counts in no rate of
 * one kind, and one with pauses that the kernel may have used counts in no rate
 * of the storage. */
static void add_rates(struct run *r, const struct report_rate *a)
{
    struct run_rates *t = &r->rates;
    r->all_read_bytes += a->read_bytes;
    if (r->aside)
        return;
    r->origin.read_bytes += a->read_bytes;
    if (a->read_bytes && r->origin.device_read_bytes >= 0)
        r->origin.device_read_bytes =
            a->device_read_bytes < 0
                ? -1
                : r->origin.device_read_bytes + a->device_read_bytes;
    t->wall_s += a->wall_s;
    add_beside(r, a);
    if (a->mixed || a->paused) {
        memcpy(r->cpu_ns, r->cpu_before_ns, sizeof r->cpu_ns);
        return;
    }
    t->read_s += a->read_s;
    t->write_s += a->write_sync_s;
    t->read_bytes += a->read_bytes;
    t->write_bytes += a->write_bytes;
}

/* Figures of the work done until the limit of --time: before the slower ranks caught
 * up, and without the sync. */
static void limit_figures(struct run *r)
{
    static const char *const names[2] = {"limit_read_MBps", "limit_write_MBps"};
    int64_t bytes[2] = {0}, ns[2] = {0};
    struct run_limit *l = &r->limit;
    if (!l->reached)
        return;
    MPI_Reduce(l->bytes, bytes, 2, MPI_INT64_T, MPI_SUM, 0, r->world.comm);
    MPI_Reduce(l->ns, ns, 2, MPI_INT64_T, MPI_MAX, 0, r->world.comm);
    for (int k = 0; k < 2; k++)
        if (bytes[k])
            rate_figure(r, r->phase->name, names[k],
                        "bytes of all ranks by the limit of --time / slowest rank's "
                        "seconds of such transfers by then / 1e6",
                        (double)bytes[k] / (double)ns[k] * 1e3);
}

static void phase_figures(struct run *r, const char *name,
                          const struct report_rate *rate)
{
    const char *both = "bytes of all ranks of this kind / slowest rank's seconds of "
                       "reads, writes and syncs together / 1e6";
    rate_figure(r, name, "read_MBps",
                rate->mixed ? both
                            : "bytes of all ranks / slowest rank's read seconds "
                              "/ 1e6",
                report_rate_read_MBps(rate));
    rate_figure(r, name, "write_MBps",
                rate->mixed ? both
                            : "bytes of all ranks / slowest rank's write + sync "
                              "seconds / 1e6",
                report_rate_write_MBps(rate));
    rate_figure(r, name, "phase_MBps",
                "bytes read and written by all ranks / slowest "
                "rank's phase seconds / 1e6",
                report_rate_phase_MBps(rate));
    limit_figures(r);
    if (r->async)
        visible_figures(r, name, rate);
    if (r->latencies && rate->read_bytes)
        latency_figures(r, name, "read_", &rate->read_latency);
    if (r->latencies && rate->write_bytes)
        latency_figures(r, name, "write_", &rate->write_latency);
    if (r->sync_latencies && rate->op[PHASE_OP_FSYNC].calls)
        latency_figures(r, name, "fsync_", &rate->op[PHASE_OP_FSYNC].latency);
    if (r->io_shares)
        run_figure(r, name, "io_share", "%", "lower",
                   "slowest lane's seconds of reads, writes, syncs, opening and "
                   "closing / slowest rank's phase seconds x 100",
                   100 * rate->io_s / rate->wall_s);
    run_figure(r, name, "wall_s", "s", "lower", "slowest rank's phase seconds",
               rate->wall_s);
}

void run_result(struct run *r, const char *name, double value)
{
    report_result(r->report, name, &value, 1);
}

int run_moved(const struct run *r, const char *phase, const char *path,
              int64_t read_bytes, int64_t write_bytes)
{
    int64_t read = r->last.read_bytes, written = r->last.write_bytes;
    bool reads = read_bytes >= 0 && read != read_bytes;
    if (!reads && (write_bytes < 0 || written == write_bytes))
        return 0;
    return err_set(-EIO, path, -1, "phase %s has %s %lld bytes, expected %lld", phase,
                   reads ? "read" : "written", (long long)(reads ? read : written),
                   (long long)(reads ? read_bytes : write_bytes));
}

int run_called(struct run *r, enum phase_op op, int64_t calls)
{
    const char *phase = r->phase->name;
    const struct report_op *found = &r->last.op[op];
    if (found->calls != calls)
        return err_set(-EIO, NULL, -1,
                       "phase %s has made %lld call%s (%s), expected %lld", phase,
                       (long long)found->calls, units_s(found->calls),
                       phase_op_name[op], (long long)calls);
    latency_figures(r, phase, "", &found->latency);
    return 0;
}

/* Warns if submitting blocks the caller: then only one transfer is in flight, while
 * during a wait all are. Judged by rank 0's first lane. */
static void warn_of_held(struct run *r)
{
    enum { LEAST = 8 };
    const struct phase_act *read = &r->phase->act[ACT_READ],
                           *write = &r->phase->act[ACT_WRITE];
    const struct run_held *h = &r->held;
    double submit_s = (double)(read->submit_ns + write->submit_ns) / 1e9,
           wait_s = (double)(read->wait_ns + write->wait_ns) / 1e9,
           in_flight = (submit_s + h->depth * wait_s) / (submit_s + wait_s);
    if (h->looked < LEAST || h->held < h->looked * 3 / 4 || in_flight > h->depth / 2.0)
        return;
    report_warning(r->report, r->async ? "not_asynchronous" : "depth_without_effect",
                   "queue depth %d has little effect: in phase %s about %.1f transfers "
                   "were in flight, as the kernel holds the caller of %s on this file "
                   "system until each is complete (%.0f %% of the seconds of transfers "
                   "went into submitting): --iomethod=threads does not wait there",
                   h->depth, r->phase->name, in_flight, r->engine,
                   100 * submit_s / (submit_s + wait_s));
}

int run_phase_end(struct run *r)
{
    struct report_rate rate;
    count_device(r);
    phase_act(r->phase, ACT_IDLE);
    world_barrier(r->world.comm);
    phase_end(r->phase);
    lanes_end_phase(r);
    iotrace_end(r->phase->name);
    MPI_Pcontrol(-1, r->phase->name);
    int rc = err_agree(r->world.comm, r->failed);
    r->failed = rc;
    progress_clear(&r->progress);
    if (rc)
        return rc;
    rc = report_phases(r->report, lanes_phases(r), r->lanes, &r->at, &rate);
    r->last = rate;
    if (rc)
        return r->failed = rc;
    add_rates(r, &rate);
    warn_of_held(r);
    if (rate.paused)
        report_warning(r->report, "pauses_hide_io",
                       "in pauses between transfers the kernel reads ahead and writes "
                       "back: the rates of a phase with pauses are those that the "
                       "program saw, and read_MBps and write_MBps leave it out; "
                       "--cache=direct leaves the kernel nothing to do");
    if (!r->samples_only)
        phase_figures(r, r->phase->name, &rate);
    run_storage_rates(r, &rate);
    return 0;
}

void run_rep_begin(struct run *r)
{
    r->rep++;
    r->pass = 0;
    memset(&r->rates, 0, sizeof r->rates);
    memset(r->cpu_ns, 0, sizeof r->cpu_ns);
}

void run_rep_end(struct run *r)
{
    const struct run_rates *t = &r->rates;
    if (r->samples_only)
        return;
    rate_figure(r, "", "write_MBps",
                "bytes of all ranks / sum over phases of the slowest "
                "rank's write + sync seconds / 1e6",
                (double)t->write_bytes / t->write_s / 1e6);
    rate_figure(r, "", "read_MBps",
                "bytes of all ranks / sum over phases of the slowest "
                "rank's read seconds / 1e6",
                (double)t->read_bytes / t->read_s / 1e6);
    run_figure(r, "", "wall_s", "s", "lower",
               "sum over phases of work of the slowest rank's seconds", t->wall_s);
}
