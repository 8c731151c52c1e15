/* Judges bytes that are moved more than once, and blocks that several ranks share. */
#include "base/err.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>

#define SHARE 0.10

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
        if (v.calls == 0 || share < SHARE)
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
                      least, ">=", SHARE, "share");
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
    if (!x || share < SHARE)
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, "blocks touched beyond those needed", share, ">=", SHARE,
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
    double blocks = share >= SHARE ? switched_share(s) : 0;
    if (!x || blocks < SHARE)
        return finding_drop(f);
    finding_condition(f, "of the writes are in a block that another client had last",
                      share, ">=", SHARE, "share");
    finding_condition(f, "of the blocks change hands", blocks, ">=", SHARE, "share");
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
