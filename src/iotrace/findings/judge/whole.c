/* Judges the run as a whole: one rank does the I/O, some ranks are late or slow, files
 * by the thousand. */
#include "base/stats.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

#define ONE 0.9
#define LATE_CALLS 8
#define LATE_LAST 0.75
#define LATE_GAP_NS ((int64_t)5 * 1000000)
#define SHARE 0.10
#define MANY_FILES 1000
#define MISSING 1000

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

static void judge_one_rank(struct findings *f, int write)
{
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
    if (ranks < 2 || !f->ranks || share < ONE || most < MIB)
        return;
    struct evidence v = top_of(f, actor, write);
    struct finding *x =
        finding_begin(f, ID_ONE_RANK, main_group(f, actor, write), write);
    if (!x)
        return;
    if (!write) /* it may pass on the data it reads, which is right */
        x->cap = SEVERITY_LOW;
    x->extra_bytes = most;
    f->actor[actor].alone = true;
    finding_add(f, actor, &v, (double)v.ns * (ranks - 1) / ranks);
    finding_condition(f, "of all bytes are moved by one rank", share, ">=", ONE,
                      "share");
    finding_condition(f, "bytes", (double)most, ">=", (double)MIB, "bytes");
    finding_say(f, "rank %d %s %s, %.0f %% of the total", f->actor[actor].rank,
                write ? "writes" : "reads", units_bytes(bytes, most), 100 * share);
    finding_end(f);
}

static double io_ns(const struct findings *f)
{
    double ns = 0;
    for (uint32_t i = 0; i < f->actors; i++)
        for (int k = 0; k < KINDS; k++)
            ns += (double)f->actor[i].kind_ns[k];
    return ns;
}

static void judge_late(struct findings *f)
{
    const struct actor *late = NULL;
    for (uint32_t i = 0; i < f->actors; i++)
        if (!late || f->actor[i].late.calls > late->late.calls)
            late = &f->actor[i];
    if (!late || f->collective_calls < LATE_CALLS || !late->late_gap)
        return;
    double last = (double)late->late.calls / (double)f->collective_calls;
    double io = io_ns(f), skew = io > 0 ? (double)f->skew_ns / io : 0;
    double gap = hist_quantile(late->late_gap, late->late.calls, 0.5);
    char time[16];
    if (last < LATE_LAST || skew < SHARE || gap < (double)LATE_GAP_NS)
        return;
    uint32_t actor = (uint32_t)(late - f->actor);
    struct finding *x = finding_begin(f, ID_LATE, f->file[late->late_file].group, -1);
    if (!x)
        return;
    x->extra_bytes = MIB; /* few calls suffice if each costs so much */
    finding_add(f, actor, &late->late, late->late_gain_ns);
    finding_condition(f, "of the time in I/O is waiting for it", skew, ">=", SHARE,
                      "share");
    finding_condition(f, "of the collective calls begin with it", last, ">=", LATE_LAST,
                      "share");
    finding_condition(f, "from the second last to it, median", gap * 1e-9,
                      ">=", (double)LATE_GAP_NS * 1e-9, "s");
    finding_say(f, "rank %d arrives last at %lld of %lld collective calls, by %s",
                late->rank, (long long)late->late.calls, (long long)f->collective_calls,
                units_seconds(time, gap * 1e-9));
    finding_end(f);
}

static void judge_slow(struct findings *f, bool unequal)
{
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        const struct evidence *v = unequal ? &a->unequal : &a->slow;
        double gain = unequal ? a->unequal_gain_ns : a->slow_gain_ns;
        char time[16];
        if (!a->scope || v->calls == 0 || (unequal && a->alone))
            continue;
        struct finding *x =
            finding_begin(f, unequal ? ID_UNEQUAL : ID_SLOW, main_group(f, i, -1), -1);
        if (!x)
            return;
        x->extra_bytes = MIB;
        finding_add(f, i, v, gain);
        finding_condition(f, "longer than the median of the ranks, in its phases",
                          gain * 1e-9, ">", 0.02 * (double)f->guess_ns * 1e-9, "s");
        finding_say(f, "rank %d takes %s longer than the median rank%s", a->rank,
                    units_seconds(time, gain * 1e-9),
                    unequal ? ", for more bytes" : ", for equally many bytes");
        finding_end(f);
    }
}

static void judge_missing(struct findings *f)
{
    for (uint32_t i = 0; i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (!a->scope || a->missed.calls < MISSING)
            continue;
        struct finding *x = finding_begin(f, ID_STAT, NO_GROUP, -1);
        if (!x)
            return;
        finding_add(f, i, &a->missed, (double)a->missed.ns);
        finding_condition(f, "calls of a rank about files that are not there",
                          (double)a->missed.calls, ">=", MISSING, "calls");
        finding_say(f, "%lld call%s for files that do not exist",
                    (long long)a->missed.calls, units_s(a->missed.calls));
        finding_end(f);
    }
}

static uint32_t files_in_scope(const struct findings *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->files; i++)
        n += f->file[i].sharers > 0;
    return n;
}

static void judge_many(struct findings *f)
{
    int64_t bytes = 0, calls = 0;
    uint32_t files = files_in_scope(f);
    char size[16];
    struct finding *x = finding_begin(f, ID_MANY, NO_GROUP, -1);
    struct evidence *v = x ? calloc((size_t)f->actors + 1, sizeof *v) : NULL;
    for (uint32_t i = 0; v && i < f->cells; i++) {
        const struct cell *c = &f->cell[i];
        for (int w = 0; w < 2; w++)
            bytes += c->side[w] ? c->side[w]->top.bytes : 0;
        calls += c->meta.calls;
        evidence_add(&v[c->actor], &c->meta);
    }
    int64_t each = calls ? bytes / calls : 0;
    if (!v || files < MANY_FILES || each >= 64 << 10) {
        free(v);
        return finding_drop(f);
    }
    for (uint32_t i = 0; i < f->actors; i++)
        if (v[i].calls)
            finding_add(f, i, &v[i], (double)v[i].ns);
    free(v);
    x->gain_known = false;
    finding_condition(f, "files", files, ">=", MANY_FILES, "files");
    finding_condition(f, "bytes for each call of metadata", (double)each, "<", 64 << 10,
                      "bytes");
    finding_say(f, "%u file%s, %s transferred per metadata call", files, units_s(files),
                units_bytes(size, each));
    finding_end(f);
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
    f->why_not[ID_LATE] = f->why_not[ID_SLOW] = f->why_not[ID_UNEQUAL] = f->why_cores;
    f->why_not[ID_TINY] = f->why_not[ID_OVERLAP] = f->why_cores;
}

/* Drops findings that compare ranks if only a part of their work is known. */
static void judge_part(struct findings *f)
{
    static const enum id whole[] = {ID_ONE_RANK, ID_LATE, ID_SLOW, ID_UNEQUAL, ID_MANY};
    if (f->ask.rank < 0 && !f->ask.process && f->ask.file.n == 0)
        return;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        f->why_not[whole[i]] = "only a part of the run was asked for";
}

void judge_run(struct findings *f)
{
    judge_cores(f);
    judge_part(f);
    for (int w = 0; w < 2 && !f->why_not[ID_ONE_RANK]; w++)
        judge_one_rank(f, w);
    if (!f->why_not[ID_LATE])
        judge_late(f);
    if (!f->why_not[ID_SLOW])
        judge_slow(f, false);
    if (!f->why_not[ID_UNEQUAL])
        judge_slow(f, true);
    judge_missing(f);
    if (!f->why_not[ID_MANY])
        judge_many(f);
}
