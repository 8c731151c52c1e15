#include "outcore/stream/stream.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Least share of the time of both that reading and the sink must each take, or no
 * overlap is computed. */
#define LEAST_SHARE 0.05

static void op_figures(struct run *r, const char *phase, enum phase_op op)
{
    static int64_t hist[HIST_SIZE];
    static const struct {
        const char *name, *formula;
        double q;
    } row[] = {{"p50", "median of all calls", 0.5},
               {"p99", "99 % of all calls took no longer", 0.99}};
    int64_t calls = 0;
    memset(hist, 0, sizeof hist);
    for (int i = 0; i < r->lanes; i++)
        for (int b = 0; b < HIST_SIZE; b++)
            hist[b] += run_lane_of(r, i)->phase->op[op].hist[b];
    MPI_Allreduce(MPI_IN_PLACE, hist, HIST_SIZE, MPI_INT64_T, MPI_SUM, r->world.comm);
    for (int b = 0; b < HIST_SIZE; b++)
        calls += hist[b];
    for (int k = 0; k < 2; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s_us", phase_op_name[op], row[k].name);
        run_figure(r, phase, name, "us", "lower", row[k].formula,
                   1e6 * report_quantile(hist, calls, row[k].q, INFINITY));
    }
}

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void wait_figures(struct run *r, const struct passing *p, const char *phase,
                         int64_t wall_ns)
{
    double ns[3] = {(double)p->sink_wait_ns,
                    (double)p->reader_wait_ns / p->readers / p->consumers,
                    (double)wall_ns};
    MPI_Allreduce(MPI_IN_PLACE, ns, 3, MPI_DOUBLE, MPI_SUM, r->world.comm);
    run_figure(r, phase, "sink_wait", "%", "lower",
               "of the phase the consumers found no slot filled",
               share_of(ns[0], ns[2]));
    run_figure(r, phase, "reader_wait", "%", "lower",
               "of the phase a reader found no slot free, mean over readers",
               share_of(ns[1], ns[2]));
}

static void file_figures(struct run *r, const struct streaming *s, const char *phase)
{
    double ns[3] = {0};
    for (int i = 0; i < r->lanes; i++) {
        const struct phase_act *a = run_lane_of(r, i)->phase->act;
        ns[0] += (double)a[ACT_OPEN_CLOSE].ns;
        ns[1] += (double)(a[ACT_READ].ns + a[ACT_WRITE].ns + a[ACT_SYNC].ns);
    }
    ns[2] = (double)s->cpu_ns;
    MPI_Allreduce(MPI_IN_PLACE, ns, 3, MPI_DOUBLE, MPI_SUM, r->world.comm);
    int64_t files = s->work == STREAMING_WRITE ? s->set->files : s->found.files;
    run_figure(r, phase, "files_per_s", "1/s", "higher",
               "files / slowest rank's phase seconds", (double)files / r->last.wall_s);
    run_figure(r, phase, "open_share", "%", "lower",
               "seconds of opening and closing (and renaming) / of all I/O, all lanes",
               share_of(ns[0], ns[0] + ns[1]));
    run_figure(r, phase, "cpu_us_per_file", "us", "lower",
               "processor time of all ranks' processes / files",
               ns[2] / 1e3 / (double)files);
}

void streaming_figures(struct run *r, struct streaming *s, const char *phase)
{
    int64_t bytes = r->last.read_bytes + r->last.write_bytes;
    run_figure(r, phase, "MBps", "MB/s", "higher",
               "bytes of all ranks / slowest rank's phase seconds / 1e6",
               (double)bytes / r->last.wall_s / 1e6);
    if (s->work == STREAMING_FILE)
        return;
    file_figures(r, s, phase);
    op_figures(r, phase,
               s->work == STREAMING_WRITE && !strcmp(s->set->write, "rewrite")
                   ? PHASE_OP_OPEN
               : s->work == STREAMING_WRITE ? PHASE_OP_CREATE
                                            : PHASE_OP_OPEN);
    op_figures(r, phase, PHASE_OP_CLOSE);
    if (s->many.passing.looks)
        op_figures(r, phase, PHASE_OP_STAT);
    if (s->work == STREAMING_FILES)
        wait_figures(r, &s->many.passing, phase, r->phase->end_ns - r->phase->begin_ns);
}

void streaming_overlap_figure(struct run *r, double alone_s, double sink_s,
                              double both_s)
{
    double least_s = fmin(alone_s, sink_s);
    run_figure(r, "read", "overlap", "1", "higher",
               "(t_alone + t_sink - t_read) / min(t_alone, t_sink), of the phases' "
               "seconds; null where one is too short to tell",
               least_s < LEAST_SHARE * both_s ? NAN
                                              : (alone_s + sink_s - both_s) / least_s);
}
