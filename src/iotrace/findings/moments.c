/* Judges the times at which ranks act: late arrivals at collective calls, and phases in
 * which some ranks take longer than others. */
#include "base/mem.h"
#include "base/stats.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PENDING 64 /* collective calls of a file that some ranks have yet to make */

/* ---- collective calls ------------------------------------------------------- */

struct arrival {
    uint32_t cell;
    int64_t start_ns, end_ns;
};

struct gathering { /* a file's collective calls in progress */
    struct meeting {
        uint32_t k;
        int n;
        struct arrival *who;
        struct event last;
        uint64_t last_seq;
    } meeting[PENDING];
    int pending;
};

static struct meeting *meeting_of(struct findings *f, struct file *x, uint32_t k)
{
    if (!x->gathering &&
        !(x->gathering = mem_new(1, sizeof *x->gathering, "the findings"))) {
        f->memory = -ENOMEM;
        return NULL;
    }
    struct gathering *g = x->gathering;
    for (int i = 0; i < g->pending; i++)
        if (g->meeting[i].k == k)
            return &g->meeting[i];
    if (g->pending == PENDING)
        return NULL;
    struct meeting *m = &g->meeting[g->pending];
    *m = (struct meeting){.k = k};
    m->who = mem_new(x->comm_ranks, sizeof *m->who, "the findings");
    if (!m->who) {
        f->memory = -ENOMEM;
        return NULL;
    }
    g->pending++;
    return m;
}

/* Ends a meeting when all have come: finds who waited, and for whom. Arrivals are in
 * the order of their start. */
static void meeting_end(struct findings *f, const struct file *x,
                        const struct meeting *m)
{
    const struct arrival *last = &m->who[m->n - 1];
    struct actor *late = &f->actor[f->cell[last->cell].actor];
    int64_t all = 0;
    for (int i = 0; i < m->n; i++) {
        const struct arrival *a = &m->who[i];
        int64_t end = a->end_ns < last->start_ns ? a->end_ns : last->start_ns;
        int64_t skew = end > a->start_ns ? end - a->start_ns : 0;
        struct cell *cell = &f->cell[a->cell];
        struct actor *actor = &f->actor[cell->actor];
        actor->kind_ns[KIND_LIBRARY] -= skew;
        actor->kind_ns[KIND_WAIT] += skew;
        if (op_moves((enum trace_class)m->last.class))
            log_sum(&cell->skew_ns, skew);
        log_sum(&all, skew);
    }
    f->collective_calls++;
    log_sum(&f->skew_ns, all);
    if (!late->late_gap)
        late->late_gap = calloc(HIST_SIZE, sizeof *late->late_gap);
    if (late->late_gap && m->n > 1)
        late->late_gap[hist_bucket(last->start_ns - m->who[m->n - 2].start_ns)]++;
    evidence_count(&late->late, &m->last, m->last_seq, 0, all);
    late->late_gain_ns += m->n > 1 ? (double)all / (m->n - 1) : 0;
    late->late_file = (uint32_t)(x - f->file);
}

void moments_collective(const struct context *c)
{
    struct findings *f = c->f;
    struct file *x = &f->file[c->cell->file];
    const struct event *e = c->e;
    uint32_t k = c->cell->call_k++;
    f->strangers += x->comm_ranks <= 0;
    if (x->comm_ranks < 2)
        return;
    struct meeting *m = meeting_of(f, x, k);
    if (!m) {
        x->comm_ranks = 0; /* these are calls of several communicators */
        return;
    }
    m->who[m->n++] = (struct arrival){(uint32_t)(c->cell - f->cell), e->start_ns,
                                      e->start_ns + e->duration_ns};
    m->last = *e;
    m->last_seq = c->seq;
    if (m->n < x->comm_ranks)
        return;
    meeting_end(f, x, m);
    free(m->who);
    *m = x->gathering->meeting[--x->gathering->pending];
}

/* ---- phases ----------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median(int64_t *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static int64_t phase_bytes(const struct actor *a)
{
    return a->phase_bytes[0] + a->phase_bytes[1];
}

/* Finds the ranks that took longer than the others by more than usual. */
static void phase_judge(struct findings *f, int64_t *v, int n)
{
    int k = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        if (f->actor[i].scope)
            v[k++] = phase_bytes(&f->actor[i]);
    int64_t bytes = median(v, n);
    for (uint32_t i = 0, j = 0; i < f->actors; i++)
        if (f->actor[i].scope)
            v[j++] = f->actor[i].phase_ns;
    int64_t ns = median(v, n);
    if (ns == 0) /* most did nothing: no rank is slower at the same work */
        return;
    for (k = 0; k < n; k++)
        v[k] = v[k] > ns ? v[k] - ns : ns - v[k];
    double limit = 4.4 * (double)median(v, n);
    limit = limit > 0.5 * (double)ns ? limit : 0.5 * (double)ns;
    double least = limit_of(SLOW_SHARE) * (double)f->guess_ns;
    limit = limit > least ? limit : least;
    for (uint32_t i = 0; i < f->actors; i++) {
        struct actor *a = &f->actor[i];
        double over = (double)(a->phase_ns - ns);
        if (!a->scope || over <= limit)
            continue;
        bool more =
            phase_bytes(a) >= bytes + bytes / 10 * 3 && phase_bytes(a) - bytes >= MIB;
        evidence_add(more ? &a->unequal : &a->slow, &a->phase_v);
        *(more ? &a->unequal_gain_ns : &a->slow_gain_ns) += over;
    }
}

static void moments_close_phase(struct findings *f)
{
    int n = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        n += f->actor[i].scope;
    int64_t *v = n >= 3 && f->phases ? calloc((size_t)n, sizeof *v) : NULL;
    if (v && f->ranks)
        phase_judge(f, v, n);
    free(v);
    for (uint32_t i = 0; i < f->actors; i++) {
        struct actor *a = &f->actor[i];
        a->phase_ns = a->phase_bytes[0] = a->phase_bytes[1] = 0;
        a->phase_v = (struct evidence){0};
    }
}

/* Notes an event; a pause of all ranks together ends a phase. */
static void phase_event(struct findings *f, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    int64_t pause = f->guess_ns / 100 > 1000000 ? f->guess_ns / 100 : 1000000;
    if (f->phases == 0 || e->start_ns > f->phase_end_ns + pause) {
        moments_close_phase(f);
        if (f->phases < PHASES_MAX)
            f->phase[f->phases++] = (struct phase){e->start_ns, end};
        f->phase_end_ns = end;
    }
    if (end > f->phase_end_ns)
        f->phase_end_ns = f->phase[f->phases - 1].last_ns = end;
}

void moments_event(const struct context *c, const struct call *call)
{
    const struct event *e = c->e;
    struct actor *a = c->actor;
    phase_event(c->f, e);
    bool moves = op_moves((enum trace_class)e->class);
    if (call->collective || (e->flags & TRACE_COLLECTIVE) || !(moves || call->durable))
        return; /* a rank that waits there is not slow */
    a->phase_ns += e->duration_ns;
    if (moves && e->bytes > 0)
        log_sum(&a->phase_bytes[e->class == CLASS_WRITE], e->bytes);
    evidence_count(&a->phase_v, e, c->seq, e->bytes > 0 ? e->bytes : 0, e->duration_ns);
}

void moments_end(struct findings *f)
{
    moments_close_phase(f);
}

void moments_free(struct findings *f)
{
    for (uint32_t i = 0; i < f->files; i++) {
        struct gathering *g = f->file[i].gathering;
        for (int k = 0; g && k < g->pending; k++)
            free(g->meeting[k].who);
        free(g);
    }
    for (uint32_t i = 0; i < f->actors; i++)
        free(f->actor[i].late_gap);
}

/* ---- fit ------------------------------------------------------------------------- */

/* Finds the size of small transfers: those whose start takes as long as their bytes. It
 * fits the medians of all sizes: duration = startup + bytes * ns_per_byte. */

#define ENOUGH 8 /* least transfers of a size, for its median */

static struct fit *fit_find(const struct findings *f, const char *type, int write)
{
    for (int i = 0; i < f->fits; i++)
        if (f->fit[i].write == (write != 0) && !strcmp(f->fit[i].type, type))
            return (struct fit *)&f->fit[i];
    return NULL;
}

static struct fit *fit_for(struct findings *f, const struct file *x, int write)
{
    struct fit *t = fit_find(f, x->type, write);
    if (!t && f->fits < FITS_MAX) {
        t = &f->fit[f->fits++];
        t->write = write;
        memcpy(t->type, x->type, sizeof t->type);
    }
    return t;
}

void fit_count(struct findings *f, struct file *x, int write, const struct event *e)
{
    struct fit *t = x->fit[write] ? x->fit[write] : fit_for(f, x, write);
    x->fit[write] = t;
    if (!t || e->bytes <= 0)
        return;
    int power = 63 - __builtin_clzll((uint64_t)e->bytes);
    if (power >= 48)
        return;
    if (!t->hist[power])
        t->hist[power] = mem_new(HIST_SIZE, sizeof(int64_t), "the findings");
    if (!t->hist[power]) {
        f->memory = -ENOMEM;
        return;
    }
    t->hist[power][hist_bucket(e->duration_ns)]++;
    t->calls[power]++;
    log_sum(&t->bytes[power], e->bytes);
    log_sum(&t->ns[power], e->duration_ns);
}

/* Fits by least squares of relative errors: a long transfer weighs no more than a short
 * one. */
static void fit_make(struct fit *t)
{
    double ww = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
    int n = 0;
    for (int p = 0; p < 48; p++) {
        if (t->calls[p] < ENOUGH)
            continue;
        double x = (double)t->bytes[p] / (double)t->calls[p];
        double y = hist_quantile(t->hist[p], t->calls[p], 0.5), w = 1 / (y * y);
        ww += w;
        wx += w * x;
        wxx += w * x * x;
        wy += w * y;
        wxy += w * x * y;
        n++;
    }
    double d = ww * wxx - wx * wx;
    if (n < 3 || d <= 0)
        return;
    t->ns_per_byte = (ww * wxy - wx * wy) / d;
    t->startup_ns = (wxx * wy - wx * wxy) / d;
    t->fits = t->ns_per_byte > 0 && t->startup_ns > 0;
}

static int64_t power_below(double v)
{
    int64_t p = 1;
    while (p < MIB && (double)(2 * p) <= v)
        p *= 2;
    return p;
}

void fit_all(struct findings *f)
{
    for (int i = 0; i < f->fits; i++) {
        struct fit *t = &f->fit[i];
        fit_make(t);
        if (f->ask.small_bytes)
            t->small_bytes = f->ask.small_bytes;
        else if (t->fits)
            t->small_bytes = power_below(t->startup_ns / t->ns_per_byte);
        else
            t->small_bytes = is_remote(t->type) ? MIB : 64 << 10;
    }
}

const struct fit *fit_of(const struct findings *f, const struct file *x, int write)
{
    return fit_find(f, x->type, write);
}
