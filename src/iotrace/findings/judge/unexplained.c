/* Judges what the other findings leave: calls that take time, are many, and are in none
 * of them. Large transfers are what a program is there for; they do not count. */
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>

/* ---- the pass --------------------------------------------------------------- */

/* Transfers of that many bytes need no excuse. */
static int64_t large(const struct cell *c)
{
    return c && c->synced ? MIB : 65536;
}

static bool is_odd(const struct event *e, const struct call *call, const struct cell *c)
{
    return e->calls && !call->collective && !(e->flags & TRACE_COLLECTIVE) &&
           call->kind != KIND_WAIT &&
           (!op_moves((enum trace_class)e->class) || e->bytes < large(c));
}

void odd_count(struct findings *f, struct actor *a, struct cell *c,
               const struct event *e, uint64_t seq)
{
    uint32_t *list = c ? &c->odd : &a->odd, i = *list;
    if (!is_odd(e, call_of(e->op), c))
        return;
    while (i && f->odd[i - 1].op != e->op)
        i = f->odd[i - 1].next;
    if (!i) {
        if (mem_room(&f->odd, f->odds, &f->odd_room, sizeof *f->odd, "the findings")) {
            f->memory = -ENOMEM;
            return;
        }
        f->odd[f->odds] = (struct odd){.op = e->op, .next = *list};
        i = *list = (uint32_t)++f->odds;
    }
    evidence_count(&f->odd[i - 1].v, e, seq, e->bytes > 0 ? e->bytes : 0,
                   e->duration_ns);
}

/* ---- all calls, by name and group ------------------------------------------- */

struct row {
    uint32_t group, actor;
    const struct odd *odd;
};

struct rows {
    struct row *row;
    int n;
    double *ns, *covered; /* by actor */
};

/* True if there are few of them, if they are so short that they only move memory, or if
 * each makes a lot of data durable. */
static bool is_excused(const struct cell *c, const struct odd *o)
{
    const struct side *written = c ? c->side[1] : NULL;
    return (double)o->v.calls < limit_of(UNEXPLAINED_CALLS) ||
           (double)o->v.ns < limit_of(UNEXPLAINED_EACH) * (double)o->v.calls ||
           (call_of(o->op)->durable && written &&
            (double)(written->top.bytes / o->v.calls) >= limit_of(SYNC_BETWEEN));
}

static void rows_add(const struct findings *f, struct rows *r, uint32_t list,
                     uint32_t actor, uint32_t group, const struct cell *c)
{
    for (uint32_t i = list; i; i = f->odd[i - 1].next) {
        const struct odd *o = &f->odd[i - 1];
        if (is_excused(c, o))
            continue;
        r->row[r->n++] = (struct row){group, actor, o};
        r->ns[actor] += (double)o->v.ns;
    }
}

static int by_call(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->odd->op != y->odd->op)
        return x->odd->op < y->odd->op ? -1 : 1;
    return x->actor < y->actor ? -1 : x->actor > y->actor;
}

static void rows_free(struct rows *r)
{
    free(r->row);
    free(r->ns);
    free(r->covered);
}

static bool rows_make(struct findings *f, struct rows *r)
{
    *r = (struct rows){.row = mem_new(f->odds, sizeof *r->row, "the findings"),
                       .ns = mem_new(f->actors, sizeof *r->ns, "the findings"),
                       .covered =
                           mem_new(f->actors, sizeof *r->covered, "the findings")};
    if (!r->row || !r->ns || !r->covered) {
        f->memory = -ENOMEM;
        return false;
    }
    for (uint32_t i = 0; i < f->cells; i++) {
        const struct cell *c = &f->cell[i];
        rows_add(f, r, c->odd, c->actor, f->file[c->file].group, c);
    }
    for (uint32_t i = 0; i < f->actors; i++)
        rows_add(f, r, f->actor[i].odd, i, NO_GROUP, NULL);
    qsort(r->row, (size_t)r->n, sizeof *r->row, by_call);
    return true;
}

/* ---- the largest ------------------------------------------------------------ */

/* True if a finding that counts is about most of these calls. */
static bool is_explained(const struct findings *f, uint32_t group, double ns)
{
    for (int i = 0; i < f->found; i++) {
        const struct finding *x = &f->finding[i];
        if (x->severity != SEVERITY_BELOW && x->group == group &&
            (double)x->v.ns >= limit_of(UNEXPLAINED_COVERED) * ns)
            return true;
    }
    return false;
}

/* Finds the calls with most time that no finding is about. Returns their number of
 * rows, from *first on. */
static int largest(const struct findings *f, const struct rows *r, int *first)
{
    double most = 0;
    int found = 0;
    for (int i = 0, n; i < r->n; i += n) {
        double ns = 0;
        for (n = 0; i + n < r->n && r->row[i + n].group == r->row[i].group &&
                    r->row[i + n].odd->op == r->row[i].odd->op;
             n++)
            ns += (double)r->row[i + n].odd->v.ns;
        if (ns <= most || is_explained(f, r->row[i].group, ns))
            continue;
        most = ns;
        *first = i;
        found = n;
    }
    return found;
}

/* Returns the largest share of the run that an actor spends in such calls, if findings
 * are about less than half of what is above the limit; else 0. */
static double share_left(const struct findings *f, const struct rows *r)
{
    double worst = 0, least = limit_of(UNEXPLAINED_SHARE);
    for (int i = 0; i < f->found; i++) {
        const struct finding *x = &f->finding[i];
        for (int m = 0; x->severity != SEVERITY_BELOW && m < x->members; m++)
            r->covered[x->member[m].actor] += (double)x->member[m].v.ns;
    }
    for (uint32_t i = 0; i < f->actors && f->wall_ns > 0; i++) {
        double at_once = actor_at_once(&f->actor[i]) * (double)f->wall_ns;
        double share = r->ns[i] / at_once, covered = r->covered[i] / at_once;
        if (share > least &&
            covered < limit_of(UNEXPLAINED_COVERED) * (share - least) && share > worst)
            worst = share;
    }
    return worst;
}

static void report(const struct slice *s, const struct rows *r, int first, int n,
                   double share)
{
    struct findings *f = s->f;
    const struct row *row = &r->row[first];
    double left = 0;
    char each[16], bytes[16];
    struct finding *x = finding_begin(s);
    if (!x)
        return;
    x->group = row->group;
    for (int i = 0; i < n; i++)
        finding_add(f, row[i].actor, &row[i].odd->v, (double)row[i].odd->v.ns);
    for (int i = 0; i < r->n; i++)
        left += (double)r->row[i].odd->v.ns;
    finding_condition(f, UNEXPLAINED_SHARE, share);
    finding_condition(f, UNEXPLAINED_CALLS, (double)x->v.calls / n);
    finding_say(f,
                "%lld calls of %s, %s and %s each, %.0f %% of the time of many calls",
                (long long)x->v.calls, op_get(row->odd->op)->name,
                units_bytes(bytes, x->v.bytes / x->v.calls),
                units_seconds(each, (double)x->v.ns * 1e-9 / (double)x->v.calls),
                left > 0 ? 100 * (double)x->v.ns / left : 0);
    finding_end(f);
}

void judge_unexplained(const struct slice *s)
{
    struct findings *f = s->f;
    struct rows r;
    int first = 0;
    if (!f->why_not[s->id] && rows_make(f, &r)) {
        double share = share_left(f, &r);
        int n = share > 0 ? largest(f, &r, &first) : 0;
        if (n)
            report(s, &r, first, n, share);
        rows_free(&r);
    }
}
