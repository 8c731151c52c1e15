/* Judges how MPI-IO carries out its calls. */
#include "base/units.h"
#include "iotrace/findings/inside.h"

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

void judge_sieving(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    struct asked a = {0};
    char asked[16], done[16], helping[16];
    add_asked(&a, s, write);
    if (a.asked == 0 || ((double)a.done < limit_of(SIEVING_MOVED) * (double)a.asked &&
                         (double)a.helping < limit_of(SIEVING_READ) * (double)a.asked))
        return;
    double extra = (double)(a.done + a.helping - a.asked);
    double share = extra / (double)(a.done + a.helping);
    struct finding *x = finding_begin(s);
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
    finding_condition(f, SIEVING_MOVED, (double)a.done / (double)a.asked);
    if (write)
        finding_condition(f, SIEVING_READ, (double)a.helping / (double)a.asked);
    units_bytes(asked, a.asked);
    units_bytes(done, a.done);
    units_bytes(helping, a.helping);
    if (write)
        finding_say(f, "%s requested, %s written and %s read", asked, done, helping);
    else
        finding_say(f, "%s requested, %s read", asked, done);
    finding_end(f);
}

/* Counts the small leaves of collective calls; *all is the number of all of them. */
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

void judge_collective(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    struct finding *x = finding_begin(s);
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
    if (!x || ranks < 2 || x->members < limit_of(COLLECTIVE_RANKS) * ranks ||
        (double)x->v.calls < limit_of(COLLECTIVE_SMALL) * (double)all)
        return finding_drop(f);
    finding_condition(f, COLLECTIVE_RANKS, (double)x->members / (double)ranks);
    finding_condition(f, COLLECTIVE_SMALL, (double)x->v.calls / (double)all);
    finding_say(f, "collective calls became %lld %s of %s", (long long)x->v.calls,
                write ? "writes" : "reads", units_bytes(size, x->v.bytes / x->v.calls));
    finding_end(f);
}

/* ---- aggregators ------------------------------------------------------------ */

struct aggregators {
    int n;
    double most, all; /* bytes */
    int32_t stripes;
};

/* Adds the ranks that move bytes for collective calls to the current finding. */
static struct aggregators add_aggregators(const struct slice *s)
{
    struct findings *f = s->f;
    struct aggregators a = {0};
    uint32_t actor;
    for (int at = 0, n; (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++) {
            const struct side *side = slice_side(s, i, s->write);
            if (!side)
                continue;
            struct evidence one = side_collective(side);
            evidence_add(&v, &one);
            a.stripes = f->file[f->cell[s->cell[i]].file].stripes;
        }
        if (!v.calls)
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        a.n++;
        a.all += (double)v.bytes;
        a.most = (double)v.bytes > a.most ? (double)v.bytes : a.most;
    }
    return a;
}

void judge_aggregators(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    struct finding *x = f->hosts > 1 ? finding_begin(s) : NULL;
    if (!x)
        return;
    struct aggregators a = add_aggregators(s);
    int32_t wanted = a.stripes < f->hosts ? a.stripes : f->hosts;
    double uneven = a.all > 0 ? a.most * a.n / a.all : 0;
    bool few = a.n < wanted, even = uneven < limit_of(AGGREGATORS_UNEVEN);
    if (a.n && a.n < f->hosts && !a.stripes && even)
        f->why_not[ID_AGGREGATORS] = "the logs do not say how many stripes files have";
    if (!a.n || (!few && even))
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    if (few)
        finding_condition(f, AGGREGATORS_FEW, a.n)->limit = wanted;
    if (!even)
        finding_condition(f, AGGREGATORS_UNEVEN, uneven);
    finding_say(f, "%d rank%s for all, on %d host%s; the file has %d stripe%s", a.n,
                a.n == 1 ? (write ? " writes" : " reads")
                : write  ? "s write"
                         : "s read",
                f->hosts, units_s(f->hosts), (int)a.stripes, units_s((int)a.stripes));
    finding_end(f);
}

/* ---- small collective calls ------------------------------------------------- */

struct together { /* a rank's collective calls on the files of a group */
    struct evidence v;
    int64_t most_calls; /* most calls on one file, which all ranks make together */
    double library_ns, leaf_ns;
};

static void add_together(struct together *t, const struct cell *c, int write)
{
    const struct side *side = c->side[write];
    if (!side || !side->together.calls)
        return;
    struct evidence leaf = side_collective(side);
    evidence_add(&t->v, &side->together);
    t->most_calls += side->together.calls;
    t->leaf_ns += (double)leaf.ns;
    double own = (double)side->together.ns - (double)leaf.ns - (double)c->skew_ns;
    t->library_ns += own > 0 ? own : 0;
}

/* True if all waits can be assigned. If it is not known for whom a rank waited, none of
 * its time counts as the library's. */
static bool all_met(const struct slice *s, int write)
{
    for (int i = 0; i < s->n; i++) {
        const struct side *side = slice_side(s, i, write);
        int32_t ranks = s->f->file[s->f->cell[s->cell[i]].file].comm_ranks;
        if (side && side->together.calls && ranks < 1)
            return false;
    }
    return true;
}

void judge_tiny(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    struct together all = {0};
    int64_t calls = 0;
    char size[16];
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct together t = {0};
        for (int i = at - n; i < at; i++)
            add_together(&t, &f->cell[s->cell[i]], s->write);
        if (!t.v.calls)
            continue;
        finding_add(f, actor, &t.v, t.library_ns);
        calls = t.most_calls > calls ? t.most_calls : calls;
        all.library_ns += t.library_ns;
        all.leaf_ns += t.leaf_ns;
    }
    double each = x && calls ? (double)x->v.bytes / (double)calls : 0;
    if (!x || calls < 2 || x->members < 2 || each >= limit_of(TINY_BYTES))
        return finding_drop(f);
    if (!all_met(s, s->write)) {
        f->why_not[ID_TINY] = "the logs do not say who opened a file together";
        return finding_drop(f);
    }
    double times = all.library_ns / (all.leaf_ns > 1 ? all.leaf_ns : 1);
    if (f->why_not[ID_TINY] || times < limit_of(TINY_TIMES))
        return finding_drop(f);
    finding_condition(f, TINY_BYTES, each);
    finding_condition(f, TINY_TIMES, times);
    finding_say(f, "%lld collective calls transfer %s each, all %d ranks together",
                (long long)calls, units_bytes(size, (int64_t)each), x->members);
    finding_end(f);
}
