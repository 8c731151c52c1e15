/* One ended phase of all ranks to a handful of samples on rank 0. A constant
 * number of reductions over small arrays, whatever the number of ranks. */
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is maximised over ranks, beside the seconds of each activity and the wall. */
enum {
    MAX_READ_SYNC = SAMPLE_ROWS,
    MAX_WRITE_SYNC,
    MAX_VISIBLE,
    MAX_WORK,
    MAX_SUBMIT,
    MAX_WAIT,
    MAX_SPLIT,
    MAX_READ_LATENCY,
    MAX_WRITE_LATENCY,
    MAX_ROWS
};

/* What is summed over ranks as whole numbers. */
struct totals {
    int64_t calls[SAMPLE_ROWS], bytes[SAMPLE_ROWS], device[SAMPLE_ROWS];
    int64_t told[SAMPLE_ROWS];    /* ranks that know their device bytes */
    int64_t unknown[SAMPLE_ROWS]; /* ranks that should, and do not */
};

struct extreme { /* laid out as MPI_DOUBLE_INT */
    double value;
    int rank;
};

struct reduced {
    struct extreme max[MAX_ROWS];
    double min[SAMPLE_ROWS];
    double sum[SAMPLE_ROWS + 4]; /* then submit and wait of reads, of writes */
    struct totals total;
    int64_t hist[2][HIST_SIZE]; /* of reads, of writes */
};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9; /* the nearest number; * 1e-9 is not */
}

static void local_seconds(double s[SAMPLE_ROWS], const struct phase *p)
{
    for (int a = 0; a < ACT_COUNT; a++)
        s[a] = seconds(p->act[a].ns);
    s[SAMPLE_WALL] = seconds(p->end_ns - p->begin_ns);
}

static double local_split(const struct phase *p)
{
    int64_t parts = 0, wall = p->end_ns - p->begin_ns;
    for (int a = 0; a < ACT_COUNT; a++)
        parts += p->act[a].ns;
    return wall > 0 ? fabs((double)(parts - wall)) / (double)wall : 0;
}

/* A rank that moved nothing and said nothing knows its device bytes: none. */
static void local_totals(struct totals *t, const struct phase *p)
{
    memset(t, 0, sizeof *t);
    for (int a = 0; a < ACT_COUNT; a++) {
        const struct phase_act *x = &p->act[a];
        t->calls[a] = x->calls;
        t->bytes[a] = x->bytes;
        t->told[a] = x->device_bytes >= 0;
        t->device[a] = t->told[a] ? x->device_bytes : 0;
        t->unknown[a] = x->device_bytes == PHASE_DEVICE_UNKNOWN ||
                        (x->device_bytes < 0 && x->bytes > 0);
        t->calls[SAMPLE_WALL] += t->calls[a];
        t->bytes[SAMPLE_WALL] += t->bytes[a];
        t->device[SAMPLE_WALL] += t->device[a];
        t->told[SAMPLE_WALL] += t->told[a];
        t->unknown[SAMPLE_WALL] += t->unknown[a];
    }
}

static int reduce_max(struct reduced *d, const double s[SAMPLE_ROWS],
                      const struct phase *p, const struct world *w)
{
    struct extreme mine[MAX_ROWS];
    for (int i = 0; i < MAX_ROWS; i++)
        mine[i].rank = w->rank;
    for (int i = 0; i < SAMPLE_ROWS; i++)
        mine[i].value = s[i];
    mine[MAX_READ_SYNC].value = s[ACT_READ] + s[ACT_SYNC];
    mine[MAX_WRITE_SYNC].value = s[ACT_WRITE] + s[ACT_SYNC];
    mine[MAX_VISIBLE].value = s[ACT_READ] + s[ACT_WRITE] + s[ACT_SYNC];
    mine[MAX_WORK].value =
        mine[MAX_VISIBLE].value + s[ACT_COMPUTE] + s[ACT_COMMUNICATE];
    mine[MAX_SUBMIT].value =
        seconds(p->act[ACT_READ].submit_ns + p->act[ACT_WRITE].submit_ns);
    mine[MAX_WAIT].value =
        seconds(p->act[ACT_READ].wait_ns + p->act[ACT_WRITE].wait_ns);
    mine[MAX_SPLIT].value = local_split(p);
    mine[MAX_READ_LATENCY].value = seconds(p->act[ACT_READ].latency_max_ns);
    mine[MAX_WRITE_LATENCY].value = seconds(p->act[ACT_WRITE].latency_max_ns);
    return MPI_Allreduce(mine, d->max, MAX_ROWS, MPI_DOUBLE_INT, MPI_MAXLOC, w->comm);
}

static int reduce_sums(struct reduced *d, const double s[SAMPLE_ROWS],
                       const struct phase *p, const struct world *w)
{
    double mine[SAMPLE_ROWS + 4];
    memcpy(mine, s, SAMPLE_ROWS * sizeof *s);
    for (int i = 0; i < 2; i++) {
        mine[SAMPLE_ROWS + 2 * i] = seconds(p->act[ACT_READ + i].submit_ns);
        mine[SAMPLE_ROWS + 2 * i + 1] = seconds(p->act[ACT_READ + i].wait_ns);
    }
    int bad = MPI_Reduce(s, d->min, SAMPLE_ROWS, MPI_DOUBLE, MPI_MIN, 0, w->comm);
    bad |= MPI_Reduce(mine, d->sum, SAMPLE_ROWS + 4, MPI_DOUBLE, MPI_SUM, 0, w->comm);
    return bad;
}

/* Every rank knows the totals, so all agree on which histograms are worth it. */
static int reduce_hist(struct reduced *d, const struct phase *p, const struct world *w)
{
    int bad = 0;
    for (int i = 0; i < 2; i++)
        if (d->total.calls[ACT_READ + i] > 0)
            bad |= MPI_Reduce(p->act[ACT_READ + i].hist, d->hist[i], HIST_SIZE,
                              MPI_INT64_T, MPI_SUM, 0, w->comm);
    return bad;
}

static int reduce(struct reduced *d, struct report *r, const struct phase *p)
{
    const struct world *w = r->world;
    double s[SAMPLE_ROWS];
    struct totals mine;
    memset(d, 0, sizeof *d);
    local_seconds(s, p);
    local_totals(&mine, p);
    int bad = reduce_max(d, s, p, w);
    bad |= reduce_sums(d, s, p, w);
    bad |= MPI_Allreduce(&mine, &d->total, (int)(sizeof mine / sizeof(int64_t)),
                         MPI_INT64_T, MPI_SUM, w->comm);
    bad |= reduce_hist(d, p, w);
    if (r->per_rank)
        bad |= MPI_Gather(s, SAMPLE_ROWS, MPI_DOUBLE, r->row, SAMPLE_ROWS, MPI_DOUBLE,
                          0, w->comm);
    return bad;
}

static int64_t device_total(const struct totals *t, int act)
{
    return t->unknown[act] || !t->told[act] ? -1 : t->device[act];
}

static void fill_rate(struct report_rate *rate, const struct reduced *d)
{
    *rate = (struct report_rate){
        .wall_s = d->max[SAMPLE_WALL].value,
        .read_s = d->max[ACT_READ].value,
        .write_s = d->max[ACT_WRITE].value,
        .sync_s = d->max[ACT_SYNC].value,
        .read_sync_s = d->max[MAX_READ_SYNC].value,
        .write_sync_s = d->max[MAX_WRITE_SYNC].value,
        .compute_s = d->max[ACT_COMPUTE].value,
        .visible_s = d->max[MAX_VISIBLE].value,
        .work_s = d->max[MAX_WORK].value,
        .submit_s = d->max[MAX_SUBMIT].value,
        .wait_s = d->max[MAX_WAIT].value,
        .read_bytes = d->total.bytes[ACT_READ],
        .write_bytes = d->total.bytes[ACT_WRITE],
        .device_read_bytes = device_total(&d->total, ACT_READ),
        .split_error = d->max[MAX_SPLIT].value,
    };
}

double latency_quantile(const int64_t *hist, int64_t calls, double q, double max_s)
{
    int b = hist_reach(hist, calls, q);
    return b < 0 ? max_s : fmin(hist_bound(b) * 1e-9, max_s);
}

static struct latency *make_latency(struct report *r, const int64_t *hist,
                                    int64_t calls, double max_s)
{
    int used = 0;
    for (int b = 0; b < HIST_SIZE; b++)
        used += hist[b] > 0;
    struct latency *l = calloc(1, sizeof *l + (size_t)used * sizeof l->hist[0]);
    if (!l) {
        r->rc = err_set(-ENOMEM, NULL, -1, "no memory for the report's latencies");
        return NULL;
    }
    l->p50_s = latency_quantile(hist, calls, 0.5, max_s);
    l->p90_s = latency_quantile(hist, calls, 0.9, max_s);
    l->p95_s = latency_quantile(hist, calls, 0.95, max_s);
    l->p99_s = latency_quantile(hist, calls, 0.99, max_s);
    l->p999_s = latency_quantile(hist, calls, 0.999, max_s);
    l->max_s = max_s;
    for (int b = 0; b < HIST_SIZE; b++)
        if (hist[b] > 0) {
            l->hist[l->n].bound_s = hist_bound(b) * 1e-9;
            l->hist[l->n++].count = hist[b];
        }
    return l;
}

static double *copy_row(struct report *r, int act)
{
    int size = r->world->size;
    double *s = malloc((size_t)size * sizeof *s);
    if (!s) {
        r->rc = err_set(-ENOMEM, NULL, -1, "no memory for the report's ranks");
        return NULL;
    }
    for (int i = 0; i < size; i++)
        s[i] = r->row[i * SAMPLE_ROWS + act];
    return s;
}

/* What only transfers have. */
static void fill_transfers(struct report *r, struct sample *s, const struct reduced *d)
{
    int i = s->act - ACT_READ, size = r->world->size;
    double submit = d->sum[SAMPLE_ROWS + 2 * i], wait = d->sum[SAMPLE_ROWS + 2 * i + 1];
    if (submit > 0 || wait > 0) { /* else the program did not tell */
        s->submit_mean_s = submit / size;
        s->wait_mean_s = wait / size;
    }
    if (s->calls > 0)
        s->latency =
            make_latency(r, d->hist[i], s->calls, d->max[MAX_READ_LATENCY + i].value);
}

static void fill_sample(struct report *r, struct sample *s, const struct phase *p,
                        int act, const struct reduced *d)
{
    const struct model *m = r->model;
    s->rep = p->rep;
    s->act = act;
    memcpy(s->phase, p->name, sizeof s->phase);
    s->start_s = seconds(p->begin_ns - m->start_ns);
    s->calls = d->total.calls[act];
    s->bytes = d->total.bytes[act];
    s->device_bytes = device_total(&d->total, act);
    s->min_s = d->min[act];
    s->mean_s = d->sum[act] / r->world->size;
    s->max_s = d->max[act].value;
    s->max_rank = d->max[act].rank;
    s->max_host = m->hosts ? m->host[m->node_of[s->max_rank]].name : NULL;
    s->submit_mean_s = s->wait_mean_s = NAN;
    if (act == ACT_READ || act == ACT_WRITE)
        fill_transfers(r, s, d);
    if (act == SAMPLE_WALL) {
        memcpy(s->start_utc, p->utc_begin, sizeof s->start_utc);
        memcpy(s->end_utc, p->utc_end, sizeof s->end_utc);
    }
    if (r->per_rank)
        s->ranks_s = copy_row(r, act);
}

static int add_samples(struct report *r, const struct phase *p, const char *at_name,
                       double at, const struct reduced *d)
{
    struct model *m = r->model;
    int added = 0;
    for (int act = 0; act < SAMPLE_ROWS; act++) {
        if (act != SAMPLE_WALL && d->max[act].value <= 0 && d->total.calls[act] == 0)
            continue;
        struct sample *s =
            model_grow(r, &m->sample, m->samples, &m->sample_room, sizeof *s);
        if (!s)
            break;
        snprintf(s->at.name, sizeof s->at.name, "%s", at_name ? at_name : "");
        s->at.value = at;
        fill_sample(r, s, p, act, d);
        m->samples++;
        added++;
    }
    return added;
}

int report_phase(struct report *r, const struct phase *p, const char *at_name,
                 double at, struct report_rate *rate)
{
    struct reduced d;
    struct report_rate found;
    struct model *m = r->model;
    if (reduce(&d, r, p))
        r->rc = err_set(-EIO, NULL, -1, "MPI failed to reduce the times of phase %s",
                        p->name);
    fill_rate(&found, &d);
    if (rate)
        *rate = found;
    if (m) {
        m->split_error = fmax(found.split_error, m->split_error); /* not the NAN */
        sink_text_phase(m, add_samples(r, p, at_name, at, &d), &found);
    }
    return err_agree(r->world->comm, r->rc);
}

static double rate_MBps(int64_t bytes, double s)
{
    return bytes > 0 && s > 0 ? (double)bytes / s / 1e6 : NAN;
}

double report_rate_read_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->read_bytes, rate->read_s);
}

double report_rate_write_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->write_bytes, rate->write_sync_s);
}

double report_rate_phase_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->read_bytes + rate->write_bytes, rate->wall_s);
}
