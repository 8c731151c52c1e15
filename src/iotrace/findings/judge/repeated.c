/* Judges calls that need not be made so often: open, stat, seek, sync. */
#include "base/err.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>

#define OPENS_LEAST 16
#define STATS_LEAST 100
#define SYNCS_LEAST 16
#define HALF 0.5
#define SHARE 0.10
#define LOCKS 0.02
#define BETWEEN (8 * MIB) /* bytes from one fsync to the next */

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
    if (v.calls < OPENS_LEAST || transfers == 0 ||
        (double)v.calls < HALF * (double)transfers)
        return (struct evidence){0};
    evidence_add(&v, &c->close);
    return v;
}

static struct evidence stats(const struct cell *c)
{
    return c->stat.calls >= STATS_LEAST ? c->stat : (struct evidence){0};
}

static struct evidence seeks(const struct cell *c)
{
    int64_t transfers = transfers_of(c);
    bool much = c->seek.calls >= OPENS_LEAST && transfers > 0 &&
                (double)c->seek.calls >= HALF * (double)transfers;
    return much ? c->seek : (struct evidence){0};
}

static struct evidence syncs(const struct cell *c)
{
    bool much = c->sync.calls >= SYNCS_LEAST && written_of(c) / c->sync.calls < BETWEEN;
    return much ? c->sync : (struct evidence){0};
}

/* Sums over the cells with excess calls; each saves all of them but `kept`. */
static struct finding *collect_excess(const struct slice *s, enum id id,
                                      excess_fn *excess, double kept,
                                      int64_t *transfers, int64_t *written)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(f, id, s->group, -1);
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

static void judge_open(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, ID_OPEN, opens, 2, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    int64_t times = x->v.calls / 2; /* an open and a close */
    finding_condition(f, "opens of a rank and file, at most", (double)times,
                      ">=", OPENS_LEAST, "calls");
    finding_condition(f, "opens for each transfer", (double)times / (double)transfers,
                      ">=", HALF, "share");
    finding_say(f, "opened %lld time%s for %lld transfer%s", (long long)times,
                units_s(times), (long long)transfers, units_s(transfers));
    finding_end(f);
}

static void judge_stat(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, ID_STAT, stats, 1, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, "calls of a rank about an unchanged file, in the mean",
                      (double)x->v.calls / x->members, ">=", STATS_LEAST, "calls");
    finding_say(f, "looked up %lld time%s while it did not change",
                (long long)x->v.calls, units_s(x->v.calls));
    finding_end(f);
}

static void judge_seeks(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    struct finding *x = collect_excess(s, ID_SEEKS, seeks, 0, &transfers, &written);
    if (!x || !x->members)
        return finding_drop(f);
    finding_condition(f, "seeks for each transfer",
                      (double)x->v.calls / (double)transfers, ">=", HALF, "share");
    finding_say(f, "%lld seek%s for %lld transfer%s", (long long)x->v.calls,
                units_s(x->v.calls), (long long)transfers, units_s(transfers));
    finding_end(f);
}

static void judge_sync(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    char between[16];
    struct finding *x = collect_excess(s, ID_SYNC, syncs, 1, &transfers, &written);
    double io = 0;
    for (int i = 0; x && i < x->members; i++)
        io += actor_thread_ns(&f->actor[x->member[i].actor]);
    double share = x && io > 0 ? (double)x->v.ns / io : 0;
    if (!x || !x->members || share < SHARE)
        return finding_drop(f);
    finding_condition(f, "of these ranks' I/O time", share, ">=", SHARE, "share");
    finding_condition(f, "bytes from one to the next",
                      (double)written / (double)x->v.calls, "<", (double)BETWEEN,
                      "bytes");
    finding_say(f, "flushed %lld time%s, %s each on average", (long long)x->v.calls,
                units_s(x->v.calls), units_bytes(between, written / x->v.calls));
    finding_end(f);
}

static struct evidence locks_of(const struct cell *c)
{
    return c->lock;
}

static void judge_lock_time(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t transfers = 0, written = 0;
    char time[16];
    struct finding *x =
        collect_excess(s, ID_LOCK_TIME, locks_of, 0, &transfers, &written);
    double ns = 0;
    for (int i = 0; x && i < x->members; i++)
        ns += (double)x->member[i].v.ns / actor_at_once(&f->actor[x->member[i].actor]);
    double share =
        x && x->members && f->wall_ns ? ns / (double)f->wall_ns / x->members : 0;
    if (!x || share < LOCKS)
        return finding_drop(f);
    finding_condition(f, "of the run's time, in the mean of these ranks", share,
                      ">=", LOCKS, "share");
    finding_say(f, "%lld lock%s took %s", (long long)x->v.calls, units_s(x->v.calls),
                units_seconds(time, (double)x->v.ns * 1e-9));
    finding_end(f);
}

static void judge_changes(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(f, ID_CHANGES, s->group, -1);
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
        if (!v.calls || share < HALF)
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        leaves += own;
        least = share < least ? share : least;
    }
    if (!x || !x->members)
        return finding_drop(f);
    x->gain_known = false;
    finding_condition(f, "of a rank's transfers go the other way than the one before",
                      least, ">=", HALF, "share");
    finding_say(f, "%lld change%s between reading and writing in %lld transfer%s",
                (long long)x->v.calls, units_s(x->v.calls), (long long)leaves,
                units_s(leaves));
    finding_end(f);
}

void judge_calls(const struct slice *s, int write)
{
    if (write)
        return; /* it has no direction: judge it once */
    judge_open(s);
    judge_stat(s);
    judge_seeks(s);
    judge_changes(s);
    judge_sync(s);
    judge_lock_time(s);
}

/* ---- reuse ----------------------------------------------------------------------- */

/* Judges bytes that are moved more than once, and blocks that several ranks share. */

#define REUSE_SHARE 0.10

void judge_reuse(const struct slice *s, int write)
{
    struct findings *f = s->f;
    enum id id = write ? ID_REWRITE : ID_REREAD;
    struct finding *x = finding_begin(f, id, s->group, write);
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
        if (v.calls == 0 || share < REUSE_SHARE)
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        bytes += own;
        least = share < least ? share : least;
    }
    if (!x || x->v.bytes < MIB)
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f,
                      write ? "of a rank's bytes overwritten, and not read before"
                            : "of a rank's bytes read before, and not written since",
                      least, ">=", REUSE_SHARE, "share");
    finding_condition(f, "bytes in all", (double)x->v.bytes, ">=", (double)MIB,
                      "bytes");
    finding_say(f, "%s of %s %s", units_bytes(again, x->v.bytes),
                units_bytes(all, bytes),
                write ? "overwritten before anyone read them"
                      : "read again although they had not changed");
    finding_end(f);
}

static void judge_misaligned(const struct slice *s, int write)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(f, ID_MISALIGNED, s->group, write);
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
    if (!x || share < REUSE_SHARE)
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, "blocks touched beyond those needed", share, ">=", REUSE_SHARE,
                      "share");
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

static void judge_locks(const struct slice *s)
{
    struct findings *f = s->f;
    int64_t writes = 0;
    struct finding *x = finding_begin(f, ID_LOCK, s->group, 1);
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
    double share = writes && x ? (double)x->v.calls / (double)writes : 0;
    double blocks = share >= REUSE_SHARE ? switched_share(s) : 0;
    if (!x || blocks < REUSE_SHARE)
        return finding_drop(f);
    finding_condition(f, "of the writes are in a block that another client had last",
                      share, ">=", REUSE_SHARE, "share");
    finding_condition(f, "of the blocks change hands", blocks, ">=", REUSE_SHARE,
                      "share");
    finding_say(f, "%lld writes go to a block that another %s used in the last 10 ms",
                (long long)x->v.calls, f->ask.client);
    finding_end(f);
}

void judge_blocks(const struct slice *s, int write)
{
    judge_misaligned(s, write);
    if (write && s->f->clients)
        judge_locks(s);
}
