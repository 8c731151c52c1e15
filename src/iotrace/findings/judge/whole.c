/* Judges the run as a whole: one rank does the I/O, some ranks are late or slow, files
 * by the thousand. */
#include "base/stats.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

/* Returns the group in which a rank moves most bytes in a direction (-1: spends most
 * time). */
uint32_t main_group(const struct findings *f, uint32_t actor, int write)
{
    int64_t most = -1;
    uint32_t group = NO_GROUP;
    for (uint32_t i = 0; i < f->cells; i++) {
        const struct cell *c = &f->cell[i];
        if (c->actor != actor || (write >= 0 && !c->side[write]))
            continue;
        int64_t v = write >= 0 ? c->side[write]->top.bytes : c->ns;
        if (v > most) {
            most = v;
            group = f->file[c->file].group;
        }
    }
    return group;
}

static struct evidence top_of(const struct findings *f, uint32_t actor, int write)
{
    struct evidence v = {0};
    for (uint32_t i = 0; i < f->cells; i++)
        if (f->cell[i].actor == actor && f->cell[i].side[write])
            evidence_add(&v, &f->cell[i].side[write]->top);
    return v;
}

static void judge_one(const struct slice *s, int write)
{
    struct findings *f = s->f;
    int ranks = scope_actors(f);
    int64_t all = 0, most = -1;
    uint32_t actor = 0;
    char bytes[16];
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (!a->scope)
            continue;
        log_sum(&all, a->bytes[write]);
        if (a->bytes[write] > most) {
            most = a->bytes[write];
            actor = i;
        }
    }
    double share = all ? (double)most / (double)all : 0;
    if (ranks < 2 || !f->ranks || share < limit_of(ONE_RANK_SHARE) ||
        (double)most < limit_of(ONE_RANK_BYTES))
        return;
    struct evidence v = top_of(f, actor, write);
    struct finding *x = finding_begin(s);
    if (!x)
        return;
    x->group = main_group(f, actor, write);
    x->direction = write;
    if (!write) /* it may pass on the data it reads, which is right */
        x->cap = SEVERITY_LOW;
    x->extra_bytes = most;
    f->actor[actor].alone = true;
    finding_add(f, actor, &v, (double)v.ns * (ranks - 1) / ranks);
    finding_condition(f, ONE_RANK_SHARE, share);
    finding_condition(f, ONE_RANK_BYTES, (double)most);
    finding_say(f, "rank %d %s %s, %.0f %% of the total", f->actor[actor].rank,
                write ? "writes" : "reads", units_bytes(bytes, most), 100 * share);
    finding_end(f);
}

void judge_one_rank(const struct slice *s)
{
    for (int w = 0; w < 2 && !s->f->why_not[s->id]; w++)
        judge_one(s, w);
}

static double io_ns(const struct findings *f)
{
    double ns = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        for (int k = 0; k < KINDS; k++)
            ns += (double)f->actor[i].kind_ns[k];
    return ns;
}

#define SHARED_SHARE                                                                   \
    0.10 /* of the run's time: less is no news where cores are shared */

/* Returns the part of a time by which an actor is behind the others that waiting for a
 * core cannot explain, if all of its waiting was then. Ranks that share cores also wait
 * for each other, which no account shows: if little is left of what is enough
 * elsewhere, the finding is not judged. */
static double gain_awake(struct findings *f, enum id id, const struct actor *a,
                         double behind_ns, double least)
{
    bool shared = f->short_of_cores || f->waited;
    double left = behind_ns - (shared ? (double)a->waited_ns : 0);
    double enough = shared ? SHARED_SHARE * (double)f->guess_ns : least;
    if (left >= least && left >= enough)
        return left;
    if (shared && behind_ns >= least)
        f->why_not[id] = f->why_cores;
    return 0;
}

void judge_late(const struct slice *s)
{
    struct findings *f = s->f;
    const struct actor *late = NULL;
    if (f->why_not[s->id])
        return;
    for (uint32_t i = 0; i < f->actors; i++)
        if (!late || f->actor[i].late.calls > late->late.calls)
            late = &f->actor[i];
    if (!late || (double)f->collective_calls < limit_of(LATE_CALLS) || !late->late_gap)
        return;
    double last = (double)late->late.calls / (double)f->collective_calls;
    double io = io_ns(f), skew = io > 0 ? (double)f->skew_ns / io : 0;
    double gap = hist_quantile(late->late_gap, late->late.calls, 0.5) * 1e-9;
    char time[16];
    if (last < limit_of(LATE_LAST) || skew < limit_of(LATE_WAITING) ||
        gap < limit_of(LATE_GAP))
        return;
    double least = limit_of(SLOW_SHARE) * (double)f->guess_ns;
    double gain = gain_awake(f, s->id, late, late->late_gain_ns, least);
    if (gain <= 0)
        return;
    uint32_t actor = (uint32_t)(late - f->actor);
    struct finding *x = finding_begin(s);
    if (!x)
        return;
    x->group = f->file[late->late_file].group;
    x->extra_bytes = MIB; /* few calls suffice if each costs so much */
    finding_add(f, actor, &late->late, gain);
    finding_condition(f, LATE_WAITING, skew);
    finding_condition(f, LATE_LAST, last);
    finding_condition(f, LATE_GAP, gap);
    finding_say(f, "rank %d arrives last at %lld of %lld collective calls, by %s",
                late->rank, (long long)late->late.calls, (long long)f->collective_calls,
                units_seconds(time, gap));
    finding_end(f);
}

void judge_slow(const struct slice *s)
{
    struct findings *f = s->f;
    bool unequal = s->id == ID_UNEQUAL;
    enum limit_id longer = unequal ? UNEQUAL_LONGER : SLOW_LONGER;
    double least = limit_of(unequal ? UNEQUAL_SHARE : SLOW_SHARE);
    for (uint32_t i = 0; i < f->actors && !f->why_not[s->id]; i++) {
        const struct actor *a = &f->actor[i];
        const struct evidence *v = unequal ? &a->unequal : &a->slow;
        double behind = unequal ? a->unequal_gain_ns : a->slow_gain_ns;
        char time[16];
        if (!a->scope || v->calls == 0 || (unequal && a->alone))
            continue;
        double gain = gain_awake(f, s->id, a, behind, least * (double)f->guess_ns);
        if (gain <= 0)
            continue;
        struct finding *x = finding_begin(s);
        if (!x)
            return;
        x->group = main_group(f, i, -1);
        x->extra_bytes = MIB;
        finding_add(f, i, v, gain);
        finding_condition(f, longer, gain * 1e-9)->limit =
            least * (double)f->guess_ns * 1e-9;
        finding_say(f, "rank %d takes %s longer than the median rank%s", a->rank,
                    units_seconds(time, gain * 1e-9),
                    unequal ? ", for more bytes" : ", for equally many bytes");
        finding_end(f);
    }
}

/* Counts files that were open. */
static uint32_t files_in_scope(const struct findings *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->files; i++) {
        bool open = false;
        for (uint32_t c = f->file[i].cells; c && !open; c = f->cell[c - 1].next)
            open = f->cell[c - 1].open.calls > 0 || f->cell[c - 1].side[0] ||
                   f->cell[c - 1].side[1];
        n += open;
    }
    return n;
}

static void judge_count(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t bytes = 0, calls = 0;
    uint32_t files = files_in_scope(f);
    char size[16];
    struct finding *x = finding_begin(s);
    struct evidence *v = x ? calloc((size_t)f->actors + 1, sizeof *v) : NULL;
    for (uint32_t i = 0; v && i < f->cells; i++) {
        const struct cell *c = &f->cell[i];
        for (int w = 0; w < 2; w++)
            bytes += c->side[w] ? c->side[w]->top.bytes : 0;
        calls += c->meta.calls;
        evidence_add(&v[c->actor], &c->meta);
    }
    int64_t each = calls ? bytes / calls : 0;
    if (!v || files < limit_of(MANY_FILES) || (double)each >= limit_of(MANY_BYTES)) {
        free(v);
        return finding_drop(f);
    }
    for (uint32_t i = 0; i < f->actors; i++)
        if (v[i].calls)
            finding_add(f, i, &v[i], (double)v[i].ns);
    free(v);
    finding_condition(f, MANY_FILES, files);
    finding_condition(f, MANY_BYTES, (double)each);
    finding_say(f, "%u file%s, %s transferred per metadata call", files, units_s(files),
                units_bytes(size, each));
    finding_end(f);
}

void judge_many(const struct slice *s)
{
    if (!s->f->why_not[s->id])
        judge_count(s);
}

/* Returns the process of a gap, or that of the first log. */
static uint32_t actor_of_gap(const struct findings *f, const struct gap *g)
{
    uint32_t i = 0;
    while (i < f->actors && f->actor[i].pid != g->pid)
        i++;
    return i < f->actors ? i : 0;
}

void judge_incomplete(const struct slice *s)
{
    struct findings *f = s->f;
    const struct unseen *u = &f->unseen;
    double missing = 0;
    char text[UNSEEN_SIZE];
    for (int w = 0; w < 2; w++) {
        double bytes = (double)(u->missing[w] - u->unsaid[w]);
        double share = bytes > 0 ? bytes / (bytes + (double)u->seen[w]) : 0;
        missing = share > missing ? share : missing;
    }
    if (f->why_not[s->id] || missing <= limit_of(INCOMPLETE_MISSING))
        return;
    struct finding *x = finding_begin(s);
    if (!x)
        return;
    const struct gap *g = u->gap;
    while (g->unsaid && g + 1 < u->gap + u->gaps)
        g++;
    struct evidence v = {.bytes = u->missing[0] + u->missing[1]};
    finding_add(f, actor_of_gap(f, g), &v, 0);
    finding_condition(f, INCOMPLETE_MISSING, missing);
    finding_say(f, "%s", complete_gap(g, text));
    finding_end(f);
}
