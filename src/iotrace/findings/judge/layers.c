/* What MPI-IO makes of what it was asked for. */
#include "base/units.h"
#include "iotrace/findings/inside.h"

#define MORE 1.5 /* of the bytes asked for */
#define READ_MORE 0.1

struct asked {
    int64_t asked, done, helping;
};

static void add_asked(struct asked *a, const struct slice *s, int write)
{
    for (int i = 0; i < s->n; i++) {
        const struct side *x = slice_side(s, i, write), *r = slice_side(s, i, 0);
        if (x) {
            a->asked += x->mpi_bytes;
            a->done += x->under.bytes;
        }
        if (write && r)
            a->helping += r->helping.bytes;
    }
}

static void judge_sieving(const struct slice *s, int write)
{
    struct findings *f = s->f;
    struct asked a = {0};
    char asked[16], done[16], helping[16];
    add_asked(&a, s, write);
    if (a.asked == 0 || ((double)a.done < MORE * (double)a.asked &&
                         (double)a.helping < READ_MORE * (double)a.asked))
        return;
    double extra = (double)(a.done + a.helping - a.asked);
    double share = extra / (double)(a.done + a.helping);
    struct finding *x = finding_begin(f, ID_SIEVING, s->group, write);
    uint32_t actor;
    if (!x || extra < (double)MIB)
        return finding_drop(f);
    for (int at = 0, n; (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++) {
            if (slice_side(s, i, write))
                evidence_add(&v, &slice_side(s, i, write)->under);
            if (write && slice_side(s, i, 0))
                evidence_add(&v, &slice_side(s, i, 0)->helping);
        }
        if (v.calls)
            finding_add(f, actor, &v, share * (double)v.ns);
    }
    x->extra_bytes = (int64_t)extra;
    finding_condition(f, "bytes moved of those asked for",
                      (double)a.done / (double)a.asked, ">=", MORE, "share");
    if (write)
        finding_condition(f, "or bytes read to write them",
                          (double)a.helping / (double)a.asked, ">=", READ_MORE,
                          "share");
    units_bytes(asked, a.asked);
    units_bytes(done, a.done);
    units_bytes(helping, a.helping);
    if (write)
        finding_say(f, "%s asked for, %s written and %s read", asked, done, helping);
    else
        finding_say(f, "%s asked for, %s read", asked, done);
    finding_end(f);
}

/* Leaves of collective calls below what is small; all of them in *all. */
static struct evidence small_leaves(const struct findings *f, const struct side *s,
                                    const struct file *x, int write, int64_t *all)
{
    struct evidence v = {0};
    const struct fit *fit = fit_of(f, x, write);
    for (int i = 0; fit && i < s->bins; i++) {
        const struct bin *b = &s->bin[i];
        if (!b->collective)
            continue;
        *all += b->v.calls;
        if (b->power < 47 && (int64_t)2 << b->power <= fit->small_bytes)
            evidence_add(&v, &b->v);
    }
    return v;
}

static void judge_collective(const struct slice *s, int write)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(f, ID_COLLECTIVE, s->group, write);
    int64_t all = 0;
    int ranks = 0;
    char size[16];
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++) {
            const struct file *file = &f->file[f->cell[s->cell[i]].file];
            const struct side *side = slice_side(s, i, write);
            struct evidence one = {0};
            if (side)
                one = small_leaves(f, side, file, write, &all);
            evidence_add(&v, &one);
        }
        ranks++;
        double kept = v.calls ? (double)v.bytes / (double)MIB / (double)v.calls : 0;
        if (v.calls)
            finding_add(f, actor, &v, (double)v.ns * (kept < 1 ? 1 - kept : 0));
    }
    if (!x || ranks < 2 || x->members < 0.9 * ranks ||
        (double)x->v.calls < 0.5 * (double)all)
        return finding_drop(f);
    finding_condition(f, "of the ranks make small transfers",
                      (double)x->members / (double)ranks, ">=", 0.9, "share");
    finding_condition(f, "of the transfers beneath are small",
                      (double)x->v.calls / (double)all, ">=", 0.5, "share");
    finding_say(f, "collective calls became %lld %s of %s", (long long)x->v.calls,
                write ? "writes" : "reads", units_bytes(size, x->v.bytes / x->v.calls));
    finding_end(f);
}

void judge_layers(const struct slice *s, int write)
{
    judge_sieving(s, write);
    judge_collective(s, write);
}
