/* Writes a skeleton. Streams of one kind become plans: ranks that do the same, at
 * places that depend on their numbers, share one. */
#include "base/mem.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A rank that is like no other costs some 100 bytes of each, and a skeleton must
     * have kilobytes, whatever the number of ranks. */
    PLANS = 256, /* plans of a group; calls of further ranks are drawn */
    ORDERS = 256 /* orders of a phase; those of further ranks are left out */
};

struct group { /* streams of one phase, role and call, by rank */
    struct skeleton_stream **stream;
    int streams;
    int64_t order;
    struct skeleton_sum sum, described;
    int64_t empty, failed;
    bool met; /* all ranks waited for each other before each call */
    struct skeleton_drawn *drawn, *unplaced, *through;
};

struct putting {
    struct skeleton *s;
    struct json *j;
    struct skeleton_stream **stream;
    struct group *group;
    int groups;
    int phase[SKELETON_PHASES + 1], phases; /* number shown; -1: none yet */
    int role[SKELETON_ROLES + 2], roles;
    uint32_t role_at[SKELETON_ROLES + 2]; /* indexed by the number shown */
    int phase_at[SKELETON_PHASES + 1];
    struct skeleton_sum total, described, drawn, unplaced, other;
};

/* the skeleton whose streams are being compared */
static const struct skeleton *sorted;

/* Returns the rank of a process; without ranks, processes are numbered. */
static int32_t rank_at(int process)
{
    return sorted->has_ranks ? sorted->rank[process] : process;
}

static int32_t skeleton_rank_of(const struct skeleton_stream *t)
{
    return rank_at(t->process);
}

static int by_kind(const void *a, const void *b)
{
    const struct skeleton_stream *x = *(struct skeleton_stream *const *)a,
                                 *y = *(struct skeleton_stream *const *)b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (skeleton_rank_of(x) != skeleton_rank_of(y))
        return skeleton_rank_of(x) < skeleton_rank_of(y) ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* Returns the begin of a phase. Some ranks are in the next region before others are in
 * the calls between the two. */
static int64_t begin_of(int phase)
{
    const struct skeleton_phase *p = &sorted->phase[phase];
    return p->before ? sorted->phase[p->before].end_ns : p->begin_ns;
}

static int skeleton_by_time(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    const struct skeleton_stream *s = x->stream[0], *t = y->stream[0];
    int64_t begin_s = begin_of(s->phase), begin_t = begin_of(t->phase);
    if (s->phase != t->phase && begin_s != begin_t && !sorted->parts)
        return begin_s < begin_t ? -1 : 1;
    if (s->phase != t->phase)
        return s->phase < t->phase ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- plans ------------------------------------------------------------------ */

/* Finds the step that the start of descriptor i adds from stream a to stream b, if they
 * differ in that only. */
static bool step_of(const struct skeleton_stream *a, const struct skeleton_stream *b,
                    int i, int64_t *step)
{
    struct ldad x = a->found[i].is;
    *step = b->found[i].is.start - x.start;
    x.start = b->found[i].is.start;
    return a->found[i].repeats == b->found[i].repeats && ldad_same(&x, &b->found[i].is);
}

/* Returns how many streams from `t` on, at equal distances of ranks, form one plan. */
static int plan_length(struct skeleton_stream *const *t, int most)
{
    int n = 1;
    for (; n < most; n++) {
        int64_t first, step;
        bool same = t[0]->founds == t[n]->founds &&
                    sequence_same(&t[0]->sequence, &t[n]->sequence) &&
                    skeleton_rank_of(t[n]) - skeleton_rank_of(t[n - 1]) ==
                        skeleton_rank_of(t[1]) - skeleton_rank_of(t[0]);
        for (int i = 0; same && i < t[0]->founds; i++)
            same = step_of(t[0], t[1], i, &first) &&
                   step_of(t[n - 1], t[n], i, &step) && first == step;
        if (!same || skeleton_rank_of(t[n]) == skeleton_rank_of(t[n - 1]))
            break;
    }
    return n;
}

static void put_descriptor(struct json *j, struct skeleton_stream *const *t, int n,
                           int i)
{
    char text[LDAD_TEXT];
    struct ldad_plan plan = {.ranks = n,
                             .each = t[0]->found[i].is,
                             .digits = 1,
                             .digit = {{.count = n}},
                             .end = INT64_MAX};
    if (n > 1)
        step_of(t[0], t[1], i, &plan.digit[0].step);
    ldad_plan_print(text, sizeof text, &plan);
    json_object_flat(j, NULL);
    json_text(j, "plan", text);
    json_int(j, "repeats", t[0]->found[i].repeats);
    json_end_object(j);
}

/* True if descriptors stand in the order in which they come, which then need not be
 * told. */
static bool comes_in_order(const struct skeleton_stream *t)
{
    for (int i = 0; i < t->sequence.nodes; i++)
        if (t->sequence.node[i].what != i)
            return false;
    return true;
}

static void put_plan(struct json *j, struct skeleton_stream *const *t, int n)
{
    char text[SEQUENCE_TEXT];
    json_object(j, NULL);
    json_int(j, "first_rank", skeleton_rank_of(t[0]));
    json_int(j, "rank_step",
             n > 1 ? skeleton_rank_of(t[1]) - skeleton_rank_of(t[0]) : 1);
    json_int(j, "ranks", n);
    json_array(j, "descriptors");
    for (int i = 0; i < t[0]->founds; i++)
        put_descriptor(j, t, n, i);
    json_end_array(j);
    if (!comes_in_order(t[0])) {
        sequence_print(text, &t[0]->sequence);
        json_text(j, "sequence", text);
    }
    json_end_object(j);
}

static void add_described(struct group *g, const struct skeleton_stream *t)
{
    for (int i = 0; i < t->founds; i++) {
        int64_t calls = skeleton_calls(&t->found[i]), bytes;
        if (__builtin_mul_overflow(calls, t->found[i].is.size, &bytes))
            bytes = INT64_MAX;
        skeleton_add(&g->described, calls, bytes);
    }
}

static int draw_stream(struct group *g, const struct skeleton_stream *t)
{
    int rc = 0;
    for (int i = 0; i < t->founds && !rc; i++)
        rc =
            skeleton_draw(&g->drawn, skeleton_calls(&t->found[i]), t->found[i].is.size);
    return rc;
}

static int put_plans(struct json *j, struct group *g)
{
    int plans = 0, rc = 0;
    json_array(j, "plans");
    for (int i = 0; i < g->streams && !rc;) {
        int n = plan_length(g->stream + i, g->streams - i);
        if (g->stream[i]->founds && plans++ < PLANS)
            put_plan(j, g->stream + i, n);
        for (int end = i + n; i < end && !rc; i++)
            if (plans <= PLANS)
                add_described(g, g->stream[i]);
            else
                rc = draw_stream(g, g->stream[i]);
    }
    json_end_array(j);
    return rc;
}

/* ---- groups ----------------------------------------------------------------- */

static void put_sum(struct json *j, const char *key, const struct skeleton_sum *sum)
{
    json_object_flat(j, key);
    json_int(j, "calls", sum->calls);
    json_int(j, "bytes", sum->bytes);
    json_end_object(j);
}

/* Puts sizes as pairs: the power of two at or below, and the number of calls. */
static void put_drawn(struct json *j, const char *key, const struct skeleton_drawn *d)
{
    if (!d)
        return;
    json_object_flat(j, key);
    json_int(j, "calls", d->sum.calls);
    json_int(j, "bytes", d->sum.bytes);
    json_array_flat(j, "sizes");
    for (int i = 0; i < 63; i++)
        if (d->sizes[i]) {
            json_array_flat(j, NULL);
            json_int(j, NULL, (int64_t)1 << i);
            json_int(j, NULL, d->sizes[i]);
            json_end_array(j);
        }
    json_end_array(j);
    json_end_object(j);
}

static const char *const library_name[] = {
    [LIBRARY_MPI] = "MPI-IO", [LIBRARY_HDF5] = "HDF5", [LIBRARY_PNETCDF] = "PnetCDF"};

static const char *skeleton_level_of(const struct skeleton_stream *t)
{
    const struct op *op = op_get(t->op);
    const char *name = op->name;
    if (op->library != LIBRARY_NONE)
        return library_name[op->library];
    if (!strncmp(name, "aio_", 4) || !strncmp(name, "lio_", 4) ||
        !strncmp(name, "io_", 3) || !strncmp(name, "uring_", 6))
        return "asynchronous";
    return t->flags & TRACE_STREAM ? "stdio" : "POSIX";
}

static double rounded(double seconds)
{
    return (double)(int64_t)(seconds * 1e6 + 0.5) / 1e6;
}

/* Returns a rank's mean pause, without its wait for others. */
static double pause_s(const struct group *g)
{
    double all_s = 0;
    for (int i = 0; i < g->streams; i++)
        all_s += (double)g->stream[i]->pause_ns * 1e-9;
    double waited_s = g->met ? skeleton_waited_s(g->stream[0], g->streams) : 0;
    return all_s / g->streams > waited_s ? all_s / g->streams - waited_s : 0;
}

static bool is_transfer(const struct group *g)
{
    enum trace_class class = op_get(g->stream[0]->op)->class;
    return class == CLASS_READ || class == CLASS_WRITE;
}

/* Puts a kind of calls with those sums of it: of its steps, or of calls that are
 * none. */
static void put_kind(struct putting *p, const struct group *g,
                     const struct skeleton_sum *sum, bool step)
{
    char role[24];
    const struct skeleton_stream *t = g->stream[0];
    if (step)
        json_int(p->j, "step", t->step);
    snprintf(role, sizeof role, "file-%d", p->role[t->role] + 1);
    json_int(p->j, "phase", p->phase[t->phase]);
    json_text(p->j, "file", role);
    json_text(p->j, "call", op_get(t->op)->name);
    json_text(p->j, "level", skeleton_level_of(t));
    if (t->flags & TRACE_COLLECTIVE)
        json_bool(p->j, "collective", true);
    json_int(p->j, "ranks", g->streams);
    json_int(p->j, "calls", sum->calls);
    json_int(p->j, "bytes", sum->bytes);
    if (t->within)
        json_text(p->j, "within", library_name[t->within]);
    if (is_transfer(g) && t->buffer > 0)
        json_int(p->j, "buffer", t->buffer);
    if (g->failed && sum == &g->sum)
        json_int(p->j, "failed", g->failed);
    if (step)
        json_real(p->j, "pause_seconds", rounded(pause_s(g)));
}

static int put_transfers(struct putting *p, struct group *g)
{
    const char *class = op_class_name(op_get(g->stream[0]->op)->class);
    json_object(p->j, NULL);
    put_kind(p, g, &g->sum, true);
    json_text(p->j, "direction", class);
    if (g->empty)
        json_int(p->j, "empty", g->empty);
    int rc = put_plans(p->j, g);
    put_drawn(p->j, "drawn", g->drawn);
    put_drawn(p->j, "unplaced", g->unplaced);
    json_end_object(p->j);
    skeleton_add(&p->total, g->sum.calls, g->sum.bytes);
    skeleton_add(&p->described, g->described.calls, g->described.bytes);
    if (g->drawn)
        skeleton_add(&p->drawn, g->drawn->sum.calls, g->drawn->sum.bytes);
    if (g->unplaced)
        skeleton_add(&p->unplaced, g->unplaced->sum.calls, g->unplaced->sum.bytes);
    return rc;
}

static int put_groups(struct putting *p)
{
    int rc = 0;
    json_array(p->j, "transfers");
    for (int i = 0; i < p->groups && !rc; i++)
        if (is_transfer(&p->group[i]) && p->group[i].sum.calls)
            rc = put_transfers(p, &p->group[i]);
    json_end_array(p->j);
    json_array(p->j, "calls");
    for (int i = 0; i < p->groups && !rc; i++) {
        const struct group *g = &p->group[i];
        const struct skeleton_sum *sum = is_transfer(g) ? NULL : &g->sum;
        if (g->through)
            sum = &g->through->sum;
        if (!sum)
            continue;
        json_object_flat(p->j, NULL);
        put_kind(p, g, sum, !g->through && skeleton_is_step(g->stream[0]->op));
        if (g->met)
            json_bool(p->j, "after_all", true);
        json_end_object(p->j);
        skeleton_add(&p->other, sum->calls, sum->bytes);
    }
    json_end_array(p->j);
    return rc;
}

static int group_add(struct group *g, struct skeleton_stream *t)
{
    g->streams++;
    g->empty += t->empty;
    g->failed += t->failed;
    skeleton_add(&g->sum, t->sum.calls, t->sum.bytes);
    int rc = skeleton_draw_all(&g->drawn, t->drawn);
    rc = rc ? rc : skeleton_draw_all(&g->through, t->through);
    return rc ? rc : skeleton_draw_all(&g->unplaced, t->unplaced);
}

static int make_groups(struct putting *p)
{
    struct skeleton *s = p->s;
    int rc = 0;
    int n = 0;
    for (int i = 0; i < s->streams; i++)
        if (s->stream[i].sum.calls ||
            s->stream[i].through) /* others have become part of another one */
            p->stream[n++] = &s->stream[i];
    qsort(p->stream, (size_t)n, sizeof *p->stream, by_kind);
    for (int i = 0; i < n && !rc; i++) {
        struct skeleton_stream *t = p->stream[i], *last = i ? p->stream[i - 1] : NULL;
        if (!last || t->phase != last->phase || t->role != last->role ||
            t->op != last->op)
            p->group[p->groups++] =
                (struct group){.stream = &p->stream[i], .order = t->order};
        rc = group_add(&p->group[p->groups - 1], t);
    }
    qsort(p->group, (size_t)p->groups, sizeof *p->group, skeleton_by_time);
    for (int i = 0; i < p->groups; i++) {
        struct group *g = &p->group[i];
        g->met = skeleton_met(s, g->stream, g->streams);
        for (int k = 0; k < g->streams; k++)
            g->stream[k]->step = i;
    }
    return rc;
}

/* ---- order ------------------------------------------------------------------ */

static int by_phase(const void *a, const void *b)
{
    const struct skeleton_order *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    int32_t r = rank_at(x->process), q = rank_at(y->process);
    return r != q ? (r < q ? -1 : 1)
                  : (x->process > y->process) - (x->process < y->process);
}

/* Changes orders from streams to steps. */
static void number_steps(struct skeleton *s)
{
    for (int i = 0; i < s->orders; i++)
        for (int k = 0; k < s->order[i].is.nodes; k++) {
            struct sequence_node *n = &s->order[i].is.node[k];
            if (n->what != SEQUENCE_LOOP)
                n->what = s->stream[n->what].step;
        }
    if (s->orders)
        qsort(s->order, (size_t)s->orders, sizeof *s->order, by_phase);
}

/* Returns how many orders of one phase from `o` on, at equal distances of ranks, are
 * the same. */
static int order_length(const struct skeleton_order *o, int most)
{
    int n = 1;
    while (n < most && o[n].phase == o[0].phase && sequence_same(&o[n].is, &o[0].is) &&
           rank_at(o[n].process) > rank_at(o[n - 1].process) &&
           rank_at(o[n].process) - rank_at(o[n - 1].process) ==
               rank_at(o[1].process) - rank_at(o[0].process))
        n++;
    return n;
}

static void put_order(struct json *j, const struct skeleton_order *o, int n)
{
    char text[SEQUENCE_TEXT];
    int32_t first = rank_at(o[0].process);
    sequence_print(text, &o[0].is);
    json_object_flat(j, NULL);
    json_int(j, "first_rank", first);
    json_int(j, "rank_step", n > 1 ? rank_at(o[1].process) - first : 1);
    json_int(j, "ranks", n);
    json_text(j, "steps", text);
    json_end_object(j);
}

/* Puts the orders of a phase. */
static void put_orders(struct json *j, const struct skeleton *s, int phase)
{
    int64_t lost = 0;
    int put = 0;
    json_array(j, "order");
    for (int i = 0, n; i < s->orders; i += n) {
        const struct skeleton_order *o = &s->order[i];
        n = order_length(o, s->orders - i);
        if (o->phase != phase)
            continue;
        if (o->is.lost || put++ >= ORDERS)
            lost += n;
        else
            put_order(j, o, n);
    }
    json_end_array(j);
    if (lost)
        json_int(j, "order_lost", lost);
}

/* Numbers phases and roles as they come up, whatever the names of the logs are. */
static void number_all(struct putting *p)
{
    memset(p->phase, -1, sizeof p->phase);
    memset(p->role, -1, sizeof p->role);
    for (int i = 0; i < p->groups; i++) {
        const struct skeleton_stream *t = p->group[i].stream[0];
        if (p->phase[t->phase] < 0) {
            p->phase_at[p->phases] = t->phase;
            p->phase[t->phase] = p->phases++;
        }
        if (p->role[t->role] < 0) {
            p->role_at[p->roles] = t->role;
            p->role[t->role] = p->roles++;
        }
    }
}

/* ---- the rest --------------------------------------------------------------- */

static void skeleton_put_spread(struct json *j, const char *key, double min,
                                double mean, double max)
{
    json_object_flat(j, key);
    json_real(j, "min", rounded(min));
    json_real(j, "mean", rounded(mean));
    json_real(j, "max", rounded(max));
    json_end_object(j);
}

static void put_phases(const struct putting *p)
{
    json_array(p->j, "phases");
    for (int i = 0; i < p->phases; i++) {
        const struct skeleton_phase *f = &p->s->phase[p->phase_at[i]];
        double n = f->processes;
        json_object(p->j, NULL);
        json_int(p->j, "phase", i);
        json_bool(p->j, "region", f->region);
        json_int(p->j, "times", f->times);
        json_int(p->j, "ranks", f->processes);
        skeleton_put_spread(p->j, "seconds", f->min_s, f->sum_s / n, f->max_s);
        skeleton_put_spread(p->j, "io_seconds", f->io_min_s, f->io_sum_s / n,
                            f->io_max_s);
        skeleton_put_spread(p->j, "think_seconds", f->think_min_s, f->think_sum_s / n,
                            f->think_max_s);
        put_orders(p->j, p->s, p->phase_at[i]);
        json_end_object(p->j);
    }
    json_end_array(p->j);
}

static void put_roles(const struct putting *p)
{
    json_array(p->j, "files");
    for (int i = 0; i < p->roles; i++) {
        const struct skeleton_role *r = &p->s->shown[p->role_at[i]];
        char name[24];
        snprintf(name, sizeof name, "file-%d", i + 1);
        json_object_flat(p->j, NULL);
        json_text(p->j, "file", name);
        json_int(p->j, "files", r->files);
        json_int(p->j, "shared", r->shared);
        json_int(p->j, "inputs", r->read_first);
        json_int(p->j, "bytes", r->bytes);
        json_text(p->j, "use",
                  r->most == 0               ? "no transfers"
                  : r->files == 1            ? "one"
                  : r->movers || r->most > 1 ? "several"
                                             : "one per rank");
        json_end_object(p->j);
    }
    json_end_array(p->j);
}

static void skeleton_put_totals(const struct putting *p)
{
    struct json *j = p->j;
    json_object(j, "totals");
    put_sum(j, "transfers", &p->total);
    put_sum(j, "described", &p->described);
    put_sum(j, "drawn", &p->drawn);
    put_sum(j, "unplaced", &p->unplaced);
    put_sum(j, "calls", &p->other);
    json_end_object(j);
    json_object(j, "left_out");
    put_sum(j, "processes_without_rank", &p->s->other_processes);
    put_sum(j, "system_files", &p->s->system_files);
    put_sum(j, "not_files", &p->s->not_files);
    put_sum(j, "too_many", &p->s->unfollowed);
    json_unsigned(j, "events_dropped", p->s->dropped);
    json_end_object(j);
}

static int put_all(struct putting *p)
{
    struct json *j = p->j;
    json_object(j, NULL);
    json_text(j, "schema", "leadline-skeleton/1");
    json_bool(j, "mpi", p->s->has_ranks);
    json_int(j, "ranks", p->s->processes);
    put_roles(p);
    put_phases(p);
    int rc = put_groups(p);
    skeleton_put_totals(p);
    json_end_object(j);
    return rc;
}

int skeleton_put(struct skeleton *s, struct json *j)
{
    size_t most = (size_t)s->streams + 1;
    struct putting *p = mem_new(1, sizeof *p, "the skeleton");
    int rc = -ENOMEM;
    if (p) {
        *p = (struct putting){.s = s, .j = j};
        p->stream = mem_new(most, sizeof *p->stream, "the skeleton");
        p->group = mem_new(most, sizeof *p->group, "the skeleton");
    }
    sorted = s;
    if (p && p->stream && p->group)
        rc = make_groups(p);
    if (!rc) {
        number_steps(s);
        number_all(p);
        rc = put_all(p);
    }
    for (int i = 0; p && i < p->groups; i++) {
        free(p->group[i].drawn);
        free(p->group[i].unplaced);
        free(p->group[i].through);
    }
    if (p) {
        free(p->stream);
        free(p->group);
    }
    free(p);
    return rc;
}
