/* One ended phase of all lanes of all ranks to a handful of samples on rank 0. Each
 * rank reduces over its lanes first; then comes a constant number of reductions over
 * small arrays, whatever the number of ranks and of lanes. */
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is maximised over lanes, beside the seconds of each activity and the wall. */
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
    MAX_LANES, /* of a rank */
    MAX_SHIFT, /* of a series: what all of them can be given in */
    MAX_OP,    /* and PHASE_OPS - 1 more: longest latency of each */
    MAX_ROWS = MAX_OP + PHASE_OPS
};

/* What is summed over lanes as whole numbers. */
struct totals {
    int64_t lanes;
    int64_t calls[SAMPLE_ROWS], bytes[SAMPLE_ROWS], device[SAMPLE_ROWS];
    int64_t told[SAMPLE_ROWS];    /* lanes that know their device bytes */
    int64_t unknown[SAMPLE_ROWS]; /* lanes that should, and do not */
    int64_t op_calls[PHASE_OPS], op_ns[PHASE_OPS];
};

enum { LANE_BITS = 10 }; /* the larger is the rank's: the lowest wins where all do */

struct extreme { /* laid out as MPI_DOUBLE_INT */
    double value;
    int who; /* rank << LANE_BITS | lane */
};

struct reduced {
    struct extreme max[MAX_ROWS];
    double min[SAMPLE_ROWS];
    double sum[SAMPLE_ROWS + 4]; /* then submit and wait of reads, of writes */
    struct totals total;
    const struct bulk *bulk;
};

/* Large, so it is allocated once: this rank's lanes, then, on rank 0, all ranks. */
struct bulk {
    struct bulk_moved { /* of reads, of writes */
        int64_t hist[HIST_SIZE];
        int64_t bytes[SERIES_SLOTS], calls[SERIES_SLOTS];
    } moved[2];
    int64_t longest_ns[2][SERIES_SLOTS];
    int64_t op_hist[PHASE_OPS][HIST_SIZE];
    struct series series; /* while lanes are joined */
};

int reduce_open(struct report *r)
{
    r->bulk = malloc(sizeof *r->bulk);
    return r->bulk ? 0 : err_set(-ENOMEM, NULL, -1, "no memory for the report");
}

void reduce_close(struct report *r)
{
    free(r->bulk);
    r->bulk = NULL;
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9; /* the nearest number; * 1e-9 is not */
}

static double split_error(const struct phase *p)
{
    int64_t parts = 0, wall = p->end_ns - p->begin_ns;
    for (int a = 0; a < ACT_COUNT; a++)
        parts += p->act[a].ns;
    return wall > 0 ? fabs((double)(parts - wall)) / (double)wall : 0;
}

static int series_shift(const struct phase *p)
{
    int r = p->act[ACT_READ].series->shift, w = p->act[ACT_WRITE].series->shift;
    return r > w ? r : w;
}

/* A lane's, each of which the largest counts of. */
static void lane_rows(double x[MAX_ROWS], const struct phase *p)
{
    const struct phase_act *read = &p->act[ACT_READ], *write = &p->act[ACT_WRITE];
    for (int a = 0; a < ACT_COUNT; a++)
        x[a] = seconds(p->act[a].ns);
    x[SAMPLE_WALL] = seconds(p->end_ns - p->begin_ns);
    x[MAX_READ_SYNC] = x[ACT_READ] + x[ACT_SYNC];
    x[MAX_WRITE_SYNC] = x[ACT_WRITE] + x[ACT_SYNC];
    x[MAX_VISIBLE] = x[ACT_READ] + x[ACT_WRITE] + x[ACT_SYNC];
    x[MAX_WORK] = x[MAX_VISIBLE] + x[ACT_COMPUTE] + x[ACT_COMMUNICATE];
    x[MAX_SUBMIT] = seconds(read->submit_ns + write->submit_ns);
    x[MAX_WAIT] = seconds(read->wait_ns + write->wait_ns);
    x[MAX_SPLIT] = split_error(p);
    x[MAX_READ_LATENCY] = seconds(read->latency_max_ns);
    x[MAX_WRITE_LATENCY] = seconds(write->latency_max_ns);
    x[MAX_SHIFT] = series_shift(p);
    for (int i = 0; i < PHASE_OPS; i++)
        x[MAX_OP + i] = seconds(p->op[i].latency_max_ns);
}

/* A rank's own, before other ranks come in. */
struct own {
    struct extreme max[MAX_ROWS];
    double min[SAMPLE_ROWS], sum[SAMPLE_ROWS + 4], slowest[SAMPLE_ROWS];
    struct totals total;
};

static void add_seconds(struct own *o, const struct phase *p, int who, bool first)
{
    double x[MAX_ROWS];
    lane_rows(x, p);
    for (int i = 0; i < MAX_ROWS; i++)
        if (first || x[i] > o->max[i].value)
            o->max[i] = (struct extreme){x[i], who};
    for (int i = 0; i < SAMPLE_ROWS; i++) {
        o->min[i] = first ? x[i] : fmin(x[i], o->min[i]);
        o->sum[i] += x[i];
    }
    for (int i = 0; i < 2; i++) {
        o->sum[SAMPLE_ROWS + 2 * i] += seconds(p->act[ACT_READ + i].submit_ns);
        o->sum[SAMPLE_ROWS + 2 * i + 1] += seconds(p->act[ACT_READ + i].wait_ns);
    }
}

/* A lane that moved nothing and said nothing knows its device bytes: none. */
static void add_totals(struct totals *t, const struct phase *p)
{
    t->lanes++;
    for (int a = 0; a < ACT_COUNT; a++) {
        const struct phase_act *x = &p->act[a];
        bool told = x->device_bytes >= 0;
        t->calls[a] += x->calls;
        t->bytes[a] += x->bytes;
        t->told[a] += told;
        t->device[a] += told ? x->device_bytes : 0;
        t->unknown[a] += x->device_bytes == PHASE_DEVICE_UNKNOWN ||
                         (x->device_bytes < 0 && x->bytes > 0);
    }
    for (int i = 0; i < PHASE_OPS; i++) {
        t->op_calls[i] += p->op[i].calls;
        t->op_ns[i] += p->op[i].ns;
    }
}

/* The whole phase's calls are its transfers. */
static void total_wall(struct totals *t)
{
    for (int a = 0; a < ACT_COUNT; a++) {
        t->calls[SAMPLE_WALL] += a == ACT_READ || a == ACT_WRITE ? t->calls[a] : 0;
        t->bytes[SAMPLE_WALL] += t->bytes[a];
        t->device[SAMPLE_WALL] += t->device[a];
        t->told[SAMPLE_WALL] += t->told[a];
        t->unknown[SAMPLE_WALL] += t->unknown[a];
    }
}

static void add_lanes(struct own *o, const struct phase *const p[], int n, int rank)
{
    memset(o, 0, sizeof *o);
    for (int i = 0; i < n; i++) {
        add_seconds(o, p[i], rank << LANE_BITS | i, i == 0);
        add_totals(&o->total, p[i]);
    }
    total_wall(&o->total);
    o->max[MAX_LANES].value = n;
    for (int i = 0; i < SAMPLE_ROWS; i++)
        o->slowest[i] = o->max[i].value;
}

/* Each over ranks, in place on rank 0. */
static int sum_up(int64_t *x, int n, MPI_Op how, const struct world *w)
{
    return w->rank ? MPI_Reduce(x, NULL, n, MPI_INT64_T, how, 0, w->comm)
                   : MPI_Reduce(MPI_IN_PLACE, x, n, MPI_INT64_T, how, 0, w->comm);
}

/* Slots of one length for all, from the begin of each rank's phase. */
static void join_series(struct bulk *b, const struct phase *const p[], int n, int i,
                        int shift)
{
    series_clear(&b->series);
    series_grow(&b->series, 0, shift);
    for (int k = 0; k < n; k++)
        series_join(&b->series, p[k]->act[ACT_READ + i].series,
                    p[k]->begin_ns - p[0]->begin_ns);
    for (int s = 0; s < SERIES_SLOTS; s++) {
        b->moved[i].bytes[s] = b->series.slot[s].bytes;
        b->moved[i].calls[s] = b->series.slot[s].calls;
        b->longest_ns[i][s] = b->series.slot[s].longest_ns;
    }
}

static void add_hist(int64_t to[HIST_SIZE], const int64_t from[HIST_SIZE], bool first)
{
    for (int b = 0; b < HIST_SIZE; b++)
        to[b] = (first ? 0 : to[b]) + from[b];
}

static int reduce_moved(struct bulk *b, const struct phase *const p[], int n, int i,
                        int shift, const struct world *w)
{
    for (int k = 0; k < n; k++)
        add_hist(b->moved[i].hist, p[k]->act[ACT_READ + i].hist, k == 0);
    join_series(b, p, n, i, shift);
    int bad =
        sum_up(b->moved[i].hist, sizeof b->moved[i] / sizeof(int64_t), MPI_SUM, w);
    bad |= sum_up(b->longest_ns[i], SERIES_SLOTS, MPI_MAX, w);
    return bad;
}

/* Every rank knows the totals, so all agree on what is worth it. */
static int reduce_bulk(struct reduced *d, struct bulk *b, const struct phase *const p[],
                       int n, const struct world *w)
{
    int bad = 0;
    for (int i = 0; i < 2; i++)
        if (d->total.calls[ACT_READ + i] > 0)
            bad |= reduce_moved(b, p, n, i, (int)d->max[MAX_SHIFT].value, w);
    for (int i = 0; i < PHASE_OPS; i++) {
        if (!d->total.op_calls[i])
            continue;
        for (int k = 0; k < n; k++)
            add_hist(b->op_hist[i], p[k]->op[i].hist, k == 0);
        bad |= sum_up(b->op_hist[i], HIST_SIZE, MPI_SUM, w);
    }
    d->bulk = b;
    return bad;
}

static int reduce(struct reduced *d, struct report *r, const struct phase *const p[],
                  int n)
{
    const struct world *w = r->world;
    struct own o;
    memset(d, 0, sizeof *d);
    add_lanes(&o, p, n, w->rank);
    int bad =
        MPI_Allreduce(o.max, d->max, MAX_ROWS, MPI_DOUBLE_INT, MPI_MAXLOC, w->comm);
    bad |= MPI_Reduce(o.min, d->min, SAMPLE_ROWS, MPI_DOUBLE, MPI_MIN, 0, w->comm);
    bad |= MPI_Reduce(o.sum, d->sum, SAMPLE_ROWS + 4, MPI_DOUBLE, MPI_SUM, 0, w->comm);
    bad |= MPI_Allreduce(&o.total, &d->total, (int)(sizeof o.total / sizeof(int64_t)),
                         MPI_INT64_T, MPI_SUM, w->comm);
    bad |= reduce_bulk(d, r->bulk, p, n, w);
    if (r->per_rank)
        bad |= MPI_Gather(o.slowest, SAMPLE_ROWS, MPI_DOUBLE, r->row, SAMPLE_ROWS,
                          MPI_DOUBLE, 0, w->comm);
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
    int i = s->act - ACT_READ;
    double lanes = (double)d->total.lanes;
    double submit = d->sum[SAMPLE_ROWS + 2 * i], wait = d->sum[SAMPLE_ROWS + 2 * i + 1];
    if (submit > 0 || wait > 0) { /* else the program did not tell */
        s->submit_mean_s = submit / lanes;
        s->wait_mean_s = wait / lanes;
    }
    if (s->calls > 0)
        s->latency = make_latency(r, d->bulk->moved[i].hist, s->calls,
                                  d->max[MAX_READ_LATENCY + i].value);
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
    s->mean_s = d->sum[act] / (double)d->total.lanes;
    s->max_s = d->max[act].value;
    s->max_rank = d->max[act].who >> LANE_BITS;
    s->max_lane = d->max[act].who & ((1 << LANE_BITS) - 1);
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

int report_phases(struct report *r, const struct phase *const p[], int n,
                  const char *at_name, double at, struct report_rate *rate)
{
    struct reduced d;
    struct report_rate found;
    struct model *m = r->model;
    if (reduce(&d, r, p, n))
        r->rc = err_set(-EIO, NULL, -1, "MPI failed to reduce the times of phase %s",
                        p[0]->name);
    fill_rate(&found, &d);
    if (rate)
        *rate = found;
    if (m) {
        m->lanes = (int)fmax(d.max[MAX_LANES].value, m->lanes);
        m->split_error = fmax(found.split_error, m->split_error); /* not the NAN */
        sink_text_phase(m, add_samples(r, p[0], at_name, at, &d), &found);
    }
    return err_agree(r->world->comm, r->rc);
}

int report_phase(struct report *r, const struct phase *p, const char *at_name,
                 double at, struct report_rate *rate)
{
    return report_phases(r, &p, 1, at_name, at, rate);
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
