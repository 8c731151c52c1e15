/* Judges calls that need not be made so often: open, stat, seek, sync. */
#include "base/err.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>

static int64_t transfers_of(const struct cell *c)
{
    return (c->side[0] ? c->side[0]->top.calls : 0) +
           (c->side[1] ? c->side[1]->top.calls : 0);
}

static int64_t written_of(const struct cell *c)
{
    return c->side[1] ? c->side[1]->top.bytes : 0;
}

/* Returns a cell's excess calls; no calls: there is none. */
typedef struct evidence excess_fn(const struct cell *c);

static struct evidence opens(const struct cell *c)
{
    struct evidence v = c->open;
    int64_t transfers = transfers_of(c);
    if ((double)v.calls < limit_of(OPEN_OPENS) || transfers == 0 ||
        (double)v.calls < limit_of(OPEN_EACH) * (double)transfers)
        return (struct evidence){0};
    evidence_add(&v, &c->close);
    return v;
}

static struct evidence stats(const struct cell *c)
{
    bool much = (double)c->stat.calls >= limit_of(STAT_CALLS);
    return much ? c->stat : (struct evidence){0};
}

static struct evidence seeks(const struct cell *c)
{
    int64_t transfers = transfers_of(c);
    bool much = (double)c->seek.calls >= limit_of(SEEKS_SEEKS) && transfers > 0 &&
                (double)c->seek.calls >= limit_of(SEEKS_EACH) * (double)transfers;
    return much ? c->seek : (struct evidence){0};
}

static struct evidence syncs(const struct cell *c)
{
    bool much = (double)c->sync.calls >= limit_of(SYNC_SYNCS) &&
                (double)(written_of(c) / c->sync.calls) < limit_of(SYNC_BETWEEN);
    return much ? c->sync : (struct evidence){0};
}

/* Sums over the cells with excess calls; each saves all of them but `kept`. */
static struct finding *collect_excess(const struct slice *s, excess_fn *excess,
                                      double kept, int64_t *transfers, int64_t *written)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence all = {0};
        double gain = 0;
        for (int i = at - n; i < at; i++) {
            const struct cell *c = &f->cell[s->cell[i]];
            struct evidence v = excess(c);
            if (v.calls == 0)
                continue;
            evidence_add(&all, &v);
            gain += (double)v.ns * (1 - kept / (double)v.calls);
            *transfers += transfers_of(c);
            *written += written_of(c);
        }
        if (all.calls)
            finding_add(f, actor, &all, gain);
    }
    return x;
}

void judge_open(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, opens, 2, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    int64_t times = x->v.calls / 2; /* an open and a close */
    finding_condition(f, OPEN_OPENS, (double)times);
    finding_condition(f, OPEN_EACH, (double)times / (double)transfers);
    finding_say(f, "opened %lld time%s for %lld transfer%s", (long long)times,
                units_s(times), (long long)transfers, units_s(transfers));
    finding_end(f);
}

static void judge_asked(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, stats, 1, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, STAT_CALLS, (double)x->v.calls / x->members);
    finding_say(f, "looked up %lld time%s while it did not change",
                (long long)x->v.calls, units_s(x->v.calls));
    finding_end(f);
}

static void judge_missing(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    for (uint32_t i = 0; x && i < f->actors; i++) {
        const struct actor *a = &f->actor[i];
        if (a->scope && (double)a->missed.calls >= limit_of(STAT_MISSING))
            finding_add(f, i, &a->missed, (double)a->missed.ns);
    }
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, STAT_MISSING, (double)x->v.calls / x->members);
    finding_say(f, "%lld call%s for files that do not exist", (long long)x->v.calls,
                units_s(x->v.calls));
    finding_end(f);
}

void judge_stat(const struct slice *s)
{
    if (s->group == NO_GROUP)
        judge_missing(s);
    else
        judge_asked(s);
}

void judge_seeks(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, seeks, 0, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, SEEKS_EACH, (double)x->v.calls / (double)transfers);
    finding_say(f, "%lld seek%s for %lld transfer%s", (long long)x->v.calls,
                units_s(x->v.calls), (long long)transfers, units_s(transfers));
    finding_end(f);
}

void judge_sync(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    char between[16];
    struct finding *x = collect_excess(s, syncs, 1, &transfers, &written);
    double io = 0;
    for (int i = 0; x && i < x->members; i++)
        io += actor_thread_ns(&f->actor[x->member[i].actor]);
    double share = x && io > 0 ? (double)x->v.ns / io : 0;
    if (!x || !x->members || share < limit_of(SYNC_SHARE))
        return finding_drop(f);
    finding_condition(f, SYNC_SHARE, share);
    finding_condition(f, SYNC_BETWEEN, (double)written / (double)x->v.calls);
    finding_say(f, "flushed %lld time%s, %s each on average", (long long)x->v.calls,
                units_s(x->v.calls), units_bytes(between, written / x->v.calls));
    finding_end(f);
}

static struct evidence locks_of(const struct cell *c)
{
    return c->lock;
}

void judge_lock_time(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    char time[16];
    struct finding *x = collect_excess(s, locks_of, 0, &transfers, &written);
    double ns = 0;
    for (int i = 0; x && i < x->members; i++)
        ns += (double)x->member[i].v.ns / actor_at_once(&f->actor[x->member[i].actor]);
    double share =
        x && x->members && f->wall_ns ? ns / (double)f->wall_ns / x->members : 0;
    if (!x || share < limit_of(LOCK_TIME_SHARE))
        return finding_drop(f);
    finding_condition(f, LOCK_TIME_SHARE, share);
    finding_say(f, "%lld lock%s took %s", (long long)x->v.calls, units_s(x->v.calls),
                units_seconds(time, (double)x->v.ns * 1e-9));
    finding_end(f);
}

void judge_changes(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    int64_t leaves = 0;
    double least = 1;
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        int64_t own = 0;
        for (int i = at - n; i < at; i++) {
            struct evidence one = slice_rare(s, i, RARE_CHANGE);
            evidence_add(&v, &one);
            for (int w = 0; w < 2; w++)
                own += slice_side(s, i, w) ? slice_side(s, i, w)->leaf.calls : 0;
        }
        double share = own ? (double)v.calls / (double)own : 0;
        if (!v.calls || share < limit_of(CHANGES_SHARE))
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        leaves += own;
        least = share < least ? share : least;
    }
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, CHANGES_SHARE, least);
    finding_say(f, "%lld change%s between reading and writing in %lld transfer%s",
                (long long)x->v.calls, units_s(x->v.calls), (long long)leaves,
                units_s(leaves));
    finding_end(f);
}

/* ---- reuse ----------------------------------------------------------------------- */

/* Judges bytes that are moved more than once, and blocks that several ranks share. */

void judge_reuse(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    enum limit_id enough = write ? REWRITE_SHARE : REREAD_SHARE;
    enum limit_id size = write ? REWRITE_BYTES : REREAD_BYTES;
    struct finding *x = finding_begin(s);
    char again[16], all[16];
    int64_t bytes = 0;
    double least = 1;
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        int64_t own = 0;
        for (int i = at - n; i < at; i++) {
            const struct side *side = slice_side(s, i, write);
            if (!side)
                continue;
            evidence_add(&v, &side->again);
            own +=
                side->leaf.bytes > side->top.bytes ? side->leaf.bytes : side->top.bytes;
        }
        double share = own ? (double)v.bytes / (double)own : 0;
        if (v.calls == 0 || share < limit_of(enough))
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        bytes += own;
        least = share < least ? share : least;
    }
    if (!x || (double)x->v.bytes < limit_of(size))
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, enough, least);
    finding_condition(f, size, (double)x->v.bytes);
    finding_say(f, "%s of %s %s", units_bytes(again, x->v.bytes),
                units_bytes(all, bytes),
                write ? "overwritten before anyone read them"
                      : "read again although they had not changed");
    finding_end(f);
}

void judge_misaligned(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    struct finding *x = finding_begin(s);
    int64_t touched = 0, needed = 0, block = 0;
    char size[16];
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++) {
            const struct file *file = &f->file[f->cell[s->cell[i]].file];
            const struct side *side = slice_side(s, i, write);
            if (!side || file->sharers < 2)
                continue;
            evidence_add(&v, &side->crossing);
            log_sum(&touched, side->touched);
            log_sum(&needed, side->needed);
            block = file->lock_bytes;
        }
        if (v.calls)
            finding_add(f, actor, &v, (double)v.ns);
    }
    double share = needed ? (double)(touched - needed) / (double)needed : 0;
    if (!x || share < limit_of(MISALIGNED_MORE))
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, MISALIGNED_MORE, share);
    finding_say(f, "%lld %s touch %lld block%s of %s; %lld would be enough",
                (long long)x->v.calls, write ? "writes" : "reads", (long long)touched,
                units_s(touched), units_bytes(size, block), (long long)needed);
    finding_end(f);
}

static double switched_share(const struct slice *s)
{
    double most = 0;
    for (int i = 0; i < s->n; i++) {
        const struct cell *c = &s->f->cell[s->cell[i]];
        if (!c->side[1] || !c->side[1]->switched.calls)
            continue;
        double share = blocks_share(s->f, c->file);
        most = share > most ? share : most;
        if (s->n > 64) /* one file stands for a group of many */
            break;
    }
    return most;
}

void judge_locks(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t writes = 0;
    char soon[16];
    struct finding *x = f->clients ? finding_begin(s) : NULL;
    if (!x)
        return;
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++)
            if (slice_side(s, i, 1)) {
                evidence_add(&v, &slice_side(s, i, 1)->switched);
                writes += slice_side(s, i, 1)->leaf.calls;
            }
        if (v.calls)
            finding_add(f, actor, &v, blocks_excess(f, &v));
    }
    double share = writes ? (double)x->v.calls / (double)writes : 0;
    double blocks = share >= limit_of(LOCK_WRITES) ? switched_share(s) : 0;
    if (blocks < limit_of(LOCK_BLOCKS))
        return finding_drop(f);
    finding_condition(f, LOCK_WRITES, share);
    finding_condition(f, LOCK_BLOCKS, blocks);
    finding_say(f, "%lld writes go to a block that another %s used in the last %s",
                (long long)x->v.calls, f->ask.client,
                finding_words(s->id, "{SOON}", soon, sizeof soon));
    finding_end(f);
}
