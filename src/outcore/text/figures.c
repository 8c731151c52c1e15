#include "outcore/text/text.h"
#include "run/lanes.h"
#include <math.h>
#include <string.h>

static void add_opens(struct run *r, struct text_sums *s)
{
    static int64_t hist[HIST_SIZE];
    memset(hist, 0, sizeof hist);
    for (int i = 0; i < r->lanes; i++) {
        const struct phase_calls *op = run_lane_of(r, i)->phase->op;
        for (int b = 0; b < HIST_SIZE; b++)
            hist[b] += op[PHASE_OP_OPEN].hist[b] + op[PHASE_OP_CREATE].hist[b];
    }
    MPI_Allreduce(MPI_IN_PLACE, hist, HIST_SIZE, MPI_INT64_T, MPI_SUM, r->world.comm);
    for (int b = 0; b < HIST_SIZE; b++) {
        s->opens[b] += hist[b];
        s->opened += hist[b];
    }
}

void text_sum_up(struct run *r)
{
    struct text_sums *s = &text.sums;
    double ns[ACT_COUNT] = {0};
    int64_t models = text.pipe.models;
    for (int i = 0; i < r->lanes; i++)
        for (int a = 0; a < ACT_COUNT; a++)
            ns[a] += (double)run_lane_of(r, i)->phase->act[a].ns;
    MPI_Allreduce(MPI_IN_PLACE, ns, ACT_COUNT, MPI_DOUBLE, MPI_SUM, r->world.comm);
    MPI_Allreduce(MPI_IN_PLACE, &models, 1, MPI_INT64_T, MPI_SUM, r->world.comm);
    for (int a = 0; a < ACT_COUNT; a++)
        s->ns[a] += ns[a];
    s->wall_s += r->last.wall_s;
    s->io_s += r->last.io_s;
    s->read_bytes += r->last.read_bytes - models;
    s->write_bytes += r->last.write_bytes;
    s->model_bytes += models;
    add_opens(r, s);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static void time_figures(struct run *r, const struct text_sums *s)
{
    double open = s->ns[ACT_OPEN_CLOSE];
    double io = open + s->ns[ACT_READ] + s->ns[ACT_WRITE] + s->ns[ACT_SYNC];
    if (!text.pipe.way.by_document) { /* otherwise the phase reports these */
        run_figure(r, "pipeline", "wall_s", "s", "lower",
                   "seconds of m1 .. m8, each the slowest rank's", s->wall_s);
        run_figure(r, "pipeline", "io_share", "%", "lower",
                   "slowest lanes' seconds of reads, writes, syncs, opening and "
                   "closing / seconds of m1 .. m8 x 100",
                   share_of(s->io_s, s->wall_s));
    }
    run_figure(r, "pipeline", "open_close_share", "%", "lower",
               "seconds of opening, closing and renaming / of all I/O, all lanes",
               share_of(open, io));
    run_figure(r, "pipeline", "open_p99_us", "us", "lower",
               "99 % of all openings of files took no longer",
               1e6 * report_quantile(s->opens, s->opened, 0.99, INFINITY));
    run_figure(r, "pipeline", "files_per_s", "1/s", "higher",
               "files of the input / pipeline.wall_s",
               (double)text.pipe.files.all / s->wall_s);
}

static void byte_figures(struct run *r, const struct text_sums *s)
{
    double read = (double)s->read_bytes, written = (double)s->write_bytes;
    run_figure(r, "pipeline", "read_MB", "MB", "lower",
               "bytes read of inputs and outputs / 1e6", read / 1e6);
    run_figure(r, "pipeline", "write_MB", "MB", "lower", "bytes written / 1e6",
               written / 1e6);
    if (s->model_bytes)
        run_figure(r, "pipeline", "model_read_MB", "MB", "lower",
                   "bytes read of the lexicon and the models, each by every rank / "
                   "1e6; not in read_MB",
                   (double)s->model_bytes / 1e6);
    run_figure(r, "pipeline", "read_write_ratio", "1", "lower", "read_MB / write_MB",
               written > 0 ? read / written : NAN);
    double in = (double)text.pipe.files.in_bytes;
    run_figure(r, "pipeline", "read_amplification", "1", "lower",
               "bytes read / bytes of the input", in > 0 ? read / in : NAN);
    run_figure(r, "pipeline", "opens", "1", "lower",
               "files opened, to be read or written", (double)s->opened);
}

void text_figures(struct run *r)
{
    time_figures(r, &text.sums);
    byte_figures(r, &text.sums);
}
