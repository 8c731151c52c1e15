/* Makes findings from the counts: their conditions, their cost, their order. */
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_LEAST 16

/* ---- one finding ------------------------------------------------------------ */

static struct finding *present(struct findings *f)
{
    return &f->finding[f->found];
}

struct finding *finding_begin(const struct slice *s)
{
    struct findings *f = s->f;
    if (f->found == f->finding_room) {
        int room = f->finding_room ? 2 * f->finding_room : 16;
        struct finding *more = mem_grow(f->finding, room, sizeof *more, "the findings");
        if (!more) {
            f->memory = -ENOMEM;
            return NULL;
        }
        f->finding = more;
        f->finding_room = room;
    }
    struct finding *x = present(f);
    *x = (struct finding){.id = s->id,
                          .group = s->group,
                          .direction = s->write,
                          .gain_known = !finding_kind[s->id].at_most,
                          .after = -1,
                          .cap = finding_kind[s->id].cap};
    return x;
}

void finding_add(struct findings *f, uint32_t actor, const struct evidence *v,
                 double thread_ns)
{
    struct finding *x = present(f);
    double gain_ns = thread_ns / actor_at_once(&f->actor[actor]);
    if (x->members == x->room) {
        int room = x->room ? 2 * x->room : 4;
        struct member *more = mem_grow(x->member, room, sizeof *more, "the findings");
        if (!more) {
            f->memory = -ENOMEM;
            return;
        }
        x->member = more;
        x->room = room;
    }
    x->member[x->members++] = (struct member){actor, *v, gain_ns};
    evidence_add(&x->v, v);
    x->gain_ns += gain_ns;
    if (gain_ns >= x->worst_gain_ns) {
        x->worst_gain_ns = gain_ns;
        x->worst = actor;
    }
}

struct condition *finding_condition(struct findings *f, enum limit_id limit,
                                    double value)
{
    struct finding *x = present(f);
    struct condition *c = &x->condition[x->conditions++];
    const struct limit *l = &finding_limit[limit];
    *c = (struct condition){
        .value = value, .limit = l->value, .relation = l->relation, .unit = l->unit};
    finding_words(l->of, l->what, c->what, sizeof c->what);
    return c;
}

void finding_say(struct findings *f, const char *format, ...)
{
    struct finding *x = present(f);
    va_list args;
    va_start(args, format);
    vsnprintf(x->sentence, sizeof x->sentence, format, args);
    va_end(args);
}

static enum severity severity_of(const struct finding *x)
{
    enum severity s = x->share >= 0.10    ? SEVERITY_HIGH
                      : x->share >= 0.02  ? SEVERITY_MEDIUM
                      : x->share >= 0.005 ? SEVERITY_LOW
                                          : SEVERITY_BELOW;
    enum severity cap = x->cap;
    if (!x->gain_known && cap > SEVERITY_MEDIUM)
        cap = SEVERITY_MEDIUM;
    return s < cap ? s : cap;
}

void finding_drop(struct findings *f)
{
    if (f->found < f->finding_room) {
        free(present(f)->member);
        present(f)->member = NULL;
    }
}

static bool is_enough(const struct findings *f, const struct finding *x)
{
    bool enough = x->v.calls >= EVENTS_LEAST || x->extra_bytes >= MIB;
    return finding_kind[x->id].risk ||
           (enough && (double)x->v.ns >= f->ask.floor_s * 1e9);
}

/* Ends a finding, and keeps it if it is large enough. */
void finding_end(struct findings *f)
{
    struct finding *x = present(f);
    if (x->members == 0 || !is_enough(f, x)) {
        finding_drop(f);
        return;
    }
    x->share = f->wall_ns > 0 ? x->worst_gain_ns / (double)f->wall_ns : 0;
    x->severity = severity_of(x);
    if (f->not_asked[x->id])
        finding_drop(f);
    else
        f->found++;
}

int slice_next(const struct slice *s, int *at, uint32_t *actor)
{
    int n = 0;
    if (*at < s->n)
        *actor = s->f->cell[s->cell[*at]].actor;
    while (*at + n < s->n && s->f->cell[s->cell[*at + n]].actor == *actor)
        n++;
    *at += n;
    return n;
}

struct side *slice_side(const struct slice *s, int i, int write)
{
    return s->f->cell[s->cell[i]].side[write];
}

struct evidence slice_rare(const struct slice *s, int i, enum rare kind)
{
    const struct rarities *r = s->f->cell[s->cell[i]].rarities;
    return r && r->v[kind] ? *r->v[kind] : (struct evidence){0};
}

struct finding *slice_rare_ranks(const struct slice *s, enum rare kind, double least,
                                 double share, int *all)
{
    struct finding *x = finding_begin(s);
    uint32_t actor;
    *all = 0;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor)); ++*all) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++) {
            struct evidence one = slice_rare(s, i, kind);
            evidence_add(&v, &one);
        }
        if ((double)v.calls >= least)
            finding_add(s->f, actor, &v, share * (double)v.ns);
    }
    return x;
}

/* Returns the leaves of a side within collective calls. */
struct evidence side_collective(const struct side *s)
{
    struct evidence v = {0};
    for (int i = 0; i < s->bins; i++)
        if (s->bin[i].collective)
            evidence_add(&v, &s->bin[i].v);
    return v;
}

int scope_actors(const struct findings *f)
{
    int n = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        n += f->actor[i].scope;
    return n;
}

/* ---- all findings ------------------------------------------------------------ */

static const struct findings *sorting;

static int by_group(const void *a, const void *b)
{
    const struct cell *x = &sorting->cell[*(const uint32_t *)a];
    const struct cell *y = &sorting->cell[*(const uint32_t *)b];
    uint32_t g = sorting->file[x->file].group, h = sorting->file[y->file].group;
    if (g != h)
        return g < h ? -1 : 1;
    if (x->actor != y->actor)
        return x->actor < y->actor ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

/* Looks for each finding in a group of files. */
static void judge_slice(struct slice *s)
{
    static const struct {
        unsigned over;
        int write;
    } way[] = {{READS, 0}, {WRITES, 1}, {ONCE, -1}};
    for (int i = 0; i < IDS; i++)
        for (size_t k = 0; k < sizeof way / sizeof way[0]; k++)
            if (finding_kind[i].over & way[k].over) {
                s->id = (enum id)i;
                s->write = way[k].write;
                finding_kind[i].judge(s);
            }
}

static void judge_groups(struct findings *f, const uint32_t *cell)
{
    for (uint32_t i = 0, n; i < f->cells; i += n) {
        uint32_t group = f->file[f->cell[cell[i]].file].group;
        for (n = 1; i + n < f->cells; n++)
            if (f->file[f->cell[cell[i + n]].file].group != group)
                break;
        judge_slice(&(struct slice){f, &cell[i], (int)n, group, 0, 0});
    }
}

void findings_need(struct findings *f, unsigned fact, const char *why)
{
    for (int i = 0; i < IDS; i++)
        if (finding_kind[i].needs & fact)
            f->why_not[i] = why;
}

/* Judges cores: ranks that share them wait for a core, and not for each other or for
 * files. */
static void judge_cores(struct findings *f)
{
    int ranks = scope_actors(f);
    if (!f->ranks || ranks < 2)
        return;
    if (f->cores == 0)
        snprintf(f->why_cores, sizeof f->why_cores,
                 "the logs do not say how many cores there were");
    else if (f->short_of_cores)
        snprintf(f->why_cores, sizeof f->why_cores,
                 "%d ranks of a host share %d core%s", f->most_on_host, f->cores,
                 units_s(f->cores));
    else if (f->waited)
        snprintf(f->why_cores, sizeof f->why_cores,
                 "a rank waited for a core more than 10 %% of the time");
    else
        return;
    findings_need(f, NEEDS_CORES, f->why_cores);
    for (uint32_t i = 0; i < f->actors; i++)
        if (f->actor[i].scope && f->actor[i].waited_ns < 0)
            findings_need(f, NEEDS_WAITS, f->why_cores);
}

static void judge_run(struct findings *f, const uint32_t *cell)
{
    struct slice s = {f, cell, (int)f->cells, NO_GROUP, -1, 0};
    judge_cores(f);
    if (f->ask.rank >= 0 || f->ask.process || f->ask.file.n)
        findings_need(f, NEEDS_WHOLE, "only a part of the run was asked for");
    for (int i = 0; i < IDS; i++)
        if (finding_kind[i].over & RUN) {
            s.id = (enum id)i;
            finding_kind[i].judge(&s);
        }
}

/* Links findings of one domain, which are about the same events: the first in the
 * table's order counts, and others of no higher severity come after it. */
static void put_after(struct findings *f)
{
    for (int i = 0; i < f->found; i++)
        for (int k = 0; k < f->found; k++) {
            const struct finding *a = &f->finding[i], *b = &f->finding[k];
            if (b->id < a->id && b->group == a->group && b->after < 0 &&
                b->direction == a->direction && b->severity >= a->severity &&
                finding_kind[a->id].domain == finding_kind[b->id].domain)
                f->finding[i].after = k;
        }
}

static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    bool risk = finding_kind[x->id].risk, other = finding_kind[y->id].risk;
    if (risk != other)
        return risk ? 1 : -1;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    if (x->v.ns != y->v.ns)
        return x->v.ns > y->v.ns ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static void test_all(struct findings *f)
{
    for (int i = 0; i < IDS; i++) {
        if (f->why_not[i])
            continue;
        if (f->tables)
            f->why_not[i] = "a table has no offsets, levels and ranks";
        else if (f->profiles)
            f->why_not[i] = "a profile has no single events";
        else if (f->unseen.dropped)
            f->why_not[i] = "events were not recorded";
    }
}

/* Sums the time in events of findings; those after another one are part of it. Possible
 * overlap is not wrong by itself. */
static void cover(struct findings *f)
{
    for (uint32_t i = 0; i < f->actors; i++)
        f->io_ns += actor_thread_ns(&f->actor[i]);
    for (int i = 0; i < f->found; i++)
        if (f->finding[i].after < 0 && f->finding[i].id != ID_OVERLAP)
            f->covered_ns += (double)f->finding[i].v.ns;
    if (f->covered_ns > f->io_ns) /* a call can be in two findings */
        f->covered_ns = f->io_ns;
}

int findings_judge(struct findings *f)
{
    uint32_t *cell = mem_new((int64_t)f->cells + 1, sizeof *cell, "the findings");
    if (!cell)
        return -ENOMEM;
    for (uint32_t i = 0; i < f->cells; i++)
        cell[i] = i;
    sorting = f;
    qsort(cell, f->cells, sizeof *cell, by_group);
    test_all(f);
    if (!f->tables && !f->profiles) {
        judge_groups(f, cell);
        judge_run(f, cell);
    }
    free(cell);
    if (f->found)
        qsort(f->finding, (size_t)f->found, sizeof *f->finding, by_weight);
    for (; f->found && finding_kind[f->finding[f->found - 1].id].risk; f->found--)
        f->risks++;
    put_after(f);
    cover(f);
    return f->memory;
}
