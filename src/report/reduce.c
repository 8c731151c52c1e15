/* Reduces one ended phase of all lanes of all ranks to a handful of samples on rank 0.
 * Each rank reduces over its lanes first. Then ranks reduce small arrays, in two steps,
 * whatever the number of ranks and lanes: what tells which arrays are needed, and
 * these. The reductions of a step are under way together. */
#include "base/mem.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int reduce_open(struct report *r)
{
    r->bulk = mem_new(1, sizeof *r->bulk, "the report");
    return r->bulk ? 0 : -ENOMEM;
}

void reduce_close(struct report *r)
{
    free(r->bulk);
    r->bulk = NULL;
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
    int most = 0;
    for (int i = 0; i < REDUCE_SERIES; i++)
        if (p->act[ACT_OPEN_CLOSE + i].series->shift > most)
            most = p->act[ACT_OPEN_CLOSE + i].series->shift;
    return most;
}

/* Fills a lane's rows, of which the maximum counts. */
static void lane_rows(double x[MAX_ROWS], const struct phase *p)
{
    const struct phase_act *read = &p->act[ACT_READ], *write = &p->act[ACT_WRITE];
    for (int a = 0; a < ACT_COUNT; a++)
        x[a] = reduce_seconds(p->act[a].ns);
    x[SAMPLE_WALL] = reduce_seconds(p->end_ns - p->begin_ns);
    x[MAX_READ_SYNC] = x[ACT_READ] + x[ACT_SYNC];
    x[MAX_WRITE_SYNC] = x[ACT_WRITE] + x[ACT_SYNC];
    x[MAX_VISIBLE] = x[ACT_READ] + x[ACT_WRITE] + x[ACT_SYNC];
    x[MAX_WORK] = x[MAX_VISIBLE] + x[ACT_COMPUTE] + x[ACT_COMMUNICATE];
    x[MAX_IO] = x[MAX_VISIBLE] + x[ACT_OPEN_CLOSE];
    x[MAX_SUBMIT] = reduce_seconds(read->submit_ns + write->submit_ns);
    x[MAX_WAIT] = reduce_seconds(read->wait_ns + write->wait_ns);
    x[MAX_SPLIT] = split_error(p);
    x[MAX_READ_LATENCY] = reduce_seconds(read->latency_max_ns);
    x[MAX_WRITE_LATENCY] = reduce_seconds(write->latency_max_ns);
    x[MAX_MIXED] = p->mixed;
    x[MAX_PAUSED] = p->paused;
    x[MAX_LANES] = 0; /* set by the rank */
    x[MAX_SHIFT] = series_shift(p);
    for (int i = 0; i < PHASE_OPS; i++)
        x[MAX_OP + i] = reduce_seconds(p->op[i].latency_max_ns);
}

/* A rank's values before the reduction over ranks. */
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
        o->sum[SAMPLE_ROWS + 2 * i] += reduce_seconds(p->act[ACT_READ + i].submit_ns);
        o->sum[SAMPLE_ROWS + 2 * i + 1] += reduce_seconds(p->act[ACT_READ + i].wait_ns);
    }
}

/* Adds a lane's counts. A lane that moved nothing and reported nothing has no
 * device bytes. */
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

static void total_wall(struct totals *t)
{
    for (int a = 0; a < ACT_COUNT; a++) {
        t->calls[SAMPLE_WALL] += t->calls[a];
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

/* The reductions of a step. */
struct step {
    MPI_Comm comm;
    int rank, n, bad;
    MPI_Request request[2 * REDUCE_SERIES + PHASE_OPS];
};

static MPI_Request *step_next(struct step *s)
{
    return &s->request[s->n++];
}

/* Begins to reduce each number over ranks, in place on rank 0. */
static void step_sum(struct step *s, int64_t *x, int n, MPI_Op how)
{
    s->bad |= MPI_Ireduce(s->rank ? x : MPI_IN_PLACE, s->rank ? NULL : x, n,
                          MPI_INT64_T, how, 0, s->comm, step_next(s));
}

/* Waits for all of them. Returns MPI's error code. */
static int step_end(struct step *s)
{
    for (int i = 0; i < s->n && !s->bad; i++)
        world_wait(&s->request[i], MPI_STATUS_IGNORE);
    return s->bad;
}

/* Joins the lanes' series, with slots of one length for all, from the beginning of each
 * rank's phase. */
static void join_series(struct bulk *b, const struct phase *const p[], int n, int i,
                        int shift)
{
    series_clear(&b->series);
    series_grow(&b->series, 0, shift);
    for (int k = 0; k < n; k++)
        series_join(&b->series, p[k]->act[ACT_OPEN_CLOSE + i].series,
                    p[k]->begin_ns - p[0]->begin_ns);
    for (int s = 0; s < SERIES_SLOTS; s++) {
        b->act[i].bytes[s] = b->series.slot[s].bytes;
        b->act[i].calls[s] = b->series.slot[s].calls;
        b->longest_ns[i][s] = b->series.slot[s].longest_ns;
    }
}

static void add_hist(int64_t to[HIST_SIZE], const int64_t from[HIST_SIZE], bool first)
{
    for (int b = 0; b < HIST_SIZE; b++)
        to[b] = (first ? 0 : to[b]) + from[b];
}

static void reduce_act(struct step *s, struct bulk *b, const struct phase *const p[],
                       int n, int i, int shift)
{
    struct bulk_act *act = &b->act[i];
    int counts = 2 * SERIES_SLOTS;
    join_series(b, p, n, i, shift);
    for (int k = 0; k < n && p[k]->act[ACT_OPEN_CLOSE + i].hist; k++) {
        add_hist(act->hist, p[k]->act[ACT_OPEN_CLOSE + i].hist, k == 0);
        counts = sizeof *act / sizeof(int64_t);
    }
    step_sum(s, act->bytes, counts, MPI_SUM);
    step_sum(s, b->longest_ns[i], SERIES_SLOTS, MPI_MAX);
}

/* Reduces histograms and series. Every rank knows the totals, so all agree on which
 * are needed. */
static int reduce_bulk(struct reduced *d, struct bulk *b, const struct phase *const p[],
                       int n, const struct world *w)
{
    struct step s = {.comm = w->comm, .rank = w->rank};
    int shift = (int)d->max[MAX_SHIFT].value;
    for (int i = 0; i < REDUCE_SERIES; i++)
        if (d->total.calls[ACT_OPEN_CLOSE + i] > 0)
            reduce_act(&s, b, p, n, i, shift);
    for (int i = 0; i < PHASE_OPS; i++) {
        if (!d->total.op_calls[i])
            continue;
        for (int k = 0; k < n; k++)
            add_hist(b->op_hist[i], p[k]->op[i].hist, k == 0);
        step_sum(&s, b->op_hist[i], HIST_SIZE, MPI_SUM);
    }
    d->bulk = b;
    d->root = w->rank == 0;
    return step_end(&s);
}

int reduce_phases(struct reduced *d, struct report *r, const struct phase *const p[],
                  int n)
{
    const struct world *w = r->world;
    struct own o;
    memset(d, 0, sizeof *d);
    add_lanes(&o, p, n, w->rank);
    struct step s = {.comm = w->comm};
    s.bad |= MPI_Iallreduce(o.max, d->max, MAX_ROWS, MPI_DOUBLE_INT, MPI_MAXLOC,
                            w->comm, step_next(&s));
    s.bad |= MPI_Ireduce(o.min, d->min, SAMPLE_ROWS, MPI_DOUBLE, MPI_MIN, 0, w->comm,
                         step_next(&s));
    s.bad |= MPI_Ireduce(o.sum, d->sum, SAMPLE_ROWS + 4, MPI_DOUBLE, MPI_SUM, 0,
                         w->comm, step_next(&s));
    s.bad |=
        MPI_Iallreduce(&o.total, &d->total, (int)(sizeof o.total / sizeof(int64_t)),
                       MPI_INT64_T, MPI_SUM, w->comm, step_next(&s));
    if (r->per_rank)
        s.bad |= MPI_Igather(o.slowest, SAMPLE_ROWS, MPI_DOUBLE, r->row, SAMPLE_ROWS,
                             MPI_DOUBLE, 0, w->comm, step_next(&s));
    return step_end(&s) | reduce_bulk(d, r->bulk, p, n, w);
}
