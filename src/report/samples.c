/* Makes samples and rates from the reduced data of a phase. */
#include "base/mem.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t device_total(const struct totals *t, int act)
{
    return t->unknown[act] || !t->told[act] ? -1 : t->device[act];
}

static struct report_latency make_latency(const int64_t *hist, int64_t calls,
                                          double longest_s)
{
    double max_s = calls ? longest_s : NAN;
    return (struct report_latency){.p50_s = report_quantile(hist, calls, 0.5, max_s),
                                   .p99_s = report_quantile(hist, calls, 0.99, max_s),
                                   .p999_s = report_quantile(hist, calls, 0.999, max_s),
                                   .max_s = max_s};
}

/* The histogram of reads (0) or of writes (1). */
static const int64_t *moved_hist(const struct reduced *d, int i)
{
    return d->bulk->act[ACT_READ - ACT_OPEN_CLOSE + i].hist;
}

/* Finds latencies on rank 0, which has the histograms; NAN elsewhere. */
static struct report_latency find_latency(const struct reduced *d, int i)
{
    int64_t calls = d->root ? d->total.calls[ACT_READ + i] : 0;
    return make_latency(moved_hist(d, i), calls, d->max[MAX_READ_LATENCY + i].value);
}

static struct report_latency find_op(const struct reduced *d, int op)
{
    return make_latency(d->bulk->op_hist[op], d->root ? d->total.op_calls[op] : 0,
                        d->max[MAX_OP + op].value);
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
        .check_s = d->max[ACT_CHECK].value,
        .visible_s = d->max[MAX_VISIBLE].value,
        .work_s = d->max[MAX_WORK].value,
        .io_s = d->max[MAX_IO].value,
        .submit_s = d->max[MAX_SUBMIT].value,
        .wait_s = d->max[MAX_WAIT].value,
        .read_bytes = d->total.bytes[ACT_READ],
        .write_bytes = d->total.bytes[ACT_WRITE],
        .device_read_bytes = device_total(&d->total, ACT_READ),
        .split_error = d->max[MAX_SPLIT].value,
        .mixed = d->max[MAX_MIXED].value > 0,
        .paused = d->max[MAX_PAUSED].value > 0,
    };
    rate->read_latency = find_latency(d, 0);
    rate->write_latency = find_latency(d, 1);
    for (int i = 0; i < PHASE_OPS; i++)
        rate->op[i] = (struct report_op){d->total.op_calls[i], find_op(d, i)};
}

static double *copy_row(struct report *r, int act)
{
    int size = r->world->size;
    double *s = mem_new(size, sizeof *s, "the report");
    if (!s) {
        r->rc = -ENOMEM;
        return NULL;
    }
    for (int i = 0; i < size; i++)
        s[i] = r->row[i * SAMPLE_ROWS + act];
    return s;
}

/* Copies the slots up to the last one in which something ended. */
static struct slots *copy_slots(struct report *r, const struct reduced *d, int i)
{
    const int64_t *bytes = d->bulk->act[i].bytes, *calls = d->bulk->act[i].calls;
    int n = SERIES_SLOTS;
    while (n > 0 && !calls[n - 1])
        n--;
    struct slots *s =
        mem_new(1, sizeof *s + (size_t)n * sizeof s->slot[0], "the report");
    if (!s) {
        r->rc = -ENOMEM;
        return NULL;
    }
    s->slot_s = ldexp(1, (int)d->max[MAX_SHIFT].value) / 1e9;
    s->n = n;
    for (int k = 0; k < n; k++)
        s->slot[k] =
            (struct series_slot){bytes[k], calls[k], d->bulk->longest_ns[i][k]};
    return s;
}

/* Fills in the members that only transfers have. */
static void fill_transfers(struct report *r, struct sample *s, const struct reduced *d)
{
    int i = s->act - ACT_READ;
    double lanes = (double)d->total.lanes;
    double submit = d->sum[SAMPLE_ROWS + 2 * i], wait = d->sum[SAMPLE_ROWS + 2 * i + 1];
    if (submit > 0 || wait > 0) { /* else the program did not report them */
        s->submit_mean_s = submit / lanes;
        s->wait_mean_s = wait / lanes;
    }
    if (s->calls > 0)
        s->latency = latency_make(r, moved_hist(d, i), s->calls,
                                  d->max[MAX_READ_LATENCY + i].value);
}

static struct op *copy_ops(struct report *r, const struct reduced *d, int act)
{
    struct op *op = mem_new(PHASE_OPS, sizeof *op, "the report");
    if (!op)
        r->rc = -ENOMEM;
    for (int i = 0; op && i < PHASE_OPS; i++)
        if (phase_op_act(i) == (enum act)act && d->total.op_calls[i])
            op[i] =
                (struct op){d->total.op_calls[i], reduce_seconds(d->total.op_ns[i]),
                            latency_make(r, d->bulk->op_hist[i], d->total.op_calls[i],
                                         d->max[MAX_OP + i].value)};
    return op;
}

static void fill_sample(struct report *r, struct sample *s, const struct phase *p,
                        int act, const struct reduced *d)
{
    const struct model *m = r->model;
    s->arm = m->arm;
    s->rep = m->arm < 0 ? p->rep : m->round;
    s->act = act;
    memcpy(s->phase, p->name, sizeof s->phase);
    s->start_s = reduce_seconds(p->begin_ns - m->start_ns);
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
    if ((act == ACT_OPEN_CLOSE || act == ACT_SYNC) && s->calls > 0)
        s->op = copy_ops(r, d, act);
    /* a comparison has too many short repetitions for a series of each */
    if (m->arm < 0 && act >= ACT_OPEN_CLOSE && act < ACT_OPEN_CLOSE + REDUCE_SERIES &&
        s->calls > 0)
        s->slots = copy_slots(r, d, act - ACT_OPEN_CLOSE);
    if (act == SAMPLE_WALL) {
        memcpy(s->start_utc, p->utc_begin, sizeof s->start_utc);
        memcpy(s->end_utc, p->utc_end, sizeof s->end_utc);
    }
    if (r->per_rank && m->arm < 0)
        s->ranks_s = copy_row(r, act);
}

static int add_samples(struct report *r, const struct phase *p,
                       const struct report_at *at, const struct reduced *d)
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
        s->at = at_of(at);
        fill_sample(r, s, p, act, d);
        m->samples++;
        added++;
    }
    return added;
}

int report_phases(struct report *r, const struct phase *const p[], int n,
                  const struct report_at *at, struct report_rate *rate)
{
    struct reduced d;
    struct report_rate found;
    struct model *m = r->model;
    if (reduce_phases(&d, r, p, n))
        r->rc = err_set(-EIO, NULL, -1, "MPI cannot reduce the times of phase %s",
                        p[0]->name);
    fill_rate(&found, &d);
    if (rate)
        *rate = found;
    if (m) {
        m->lanes = (int)fmax(d.max[MAX_LANES].value, m->lanes);
        /* fmax ignores a NAN */
        m->split_error = fmax(found.split_error, m->split_error);
        sink_text_phase(m, add_samples(r, p[0], at, &d), &found);
    }
    return err_agree(r->world->comm, model_verdict(r));
}

int report_phase(struct report *r, const struct phase *p, const struct report_at *at,
                 struct report_rate *rate)
{
    return report_phases(r, &p, 1, at, rate);
}

static double rate_MBps(int64_t bytes, double s)
{
    return bytes > 0 && s > 0 ? (double)bytes / s / 1e6 : NAN;
}

double report_rate_read_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->read_bytes, rate->mixed ? rate->visible_s : rate->read_s);
}

double report_rate_write_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->write_bytes,
                     rate->mixed ? rate->visible_s : rate->write_sync_s);
}

double report_rate_phase_MBps(const struct report_rate *rate)
{
    return rate_MBps(rate->read_bytes + rate->write_bytes, rate->wall_s);
}
