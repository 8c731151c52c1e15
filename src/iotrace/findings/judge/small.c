/* Judges small transfers in large numbers: sequential, with gaps that other ranks fill,
 * or anywhere; and calls of stdio. */
#include "base/stats.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"

#define BYTES_LEAST MIB   /* least bytes in small transfers, or */
#define PER_FILE 4        /* fewer cannot be merged to much */
#define CALLS_LEAST 10000 /* least number of calls */

struct tally { /* small transfers of one rank in a group */
    struct evidence v;
    int64_t order[ORDERS];
    int64_t calls; /* calls of any size */
    int64_t files;
    double start_ns;
    int64_t median_bytes;
};

/* Returns the cost of each transfer's start: that of the fit, else the median of its
 * size, but never more than it took. */
static double start_ns(const struct fit *t, int power, const struct evidence *v)
{
    double mean = (double)v->ns / (double)v->calls, start = mean;
    if (t->fits)
        start = t->startup_ns;
    else if (power < 48 && t->hist[power])
        start = hist_quantile(t->hist[power], t->calls[power], 0.5);
    return start < mean ? start : mean;
}

/* ---- what the device waits for ---------------------------------------------- */

/* A device with a limit serves most transfers at once, and few only after a long wait,
 * which the median does not show. If it limits operations, merged transfers save this
 * waiting; if it limits bytes, they do not. */
enum limited { BY_NOTHING, BY_OPERATIONS, BY_BYTES, BY_EITHER };

#define WAITS 2  /* the mean of such transfers is so many times the usual, at least */
#define FASTER 4 /* the bytes of large transfers are, where operations are the limit */
#define LARGE_POWER 20

static double rate_of(const struct fit *t, int from, int to, int64_t *calls)
{
    double bytes = 0, ns = 0;
    *calls = 0;
    for (int p = from; p < to; p++) {
        bytes += (double)t->bytes[p];
        ns += (double)t->ns[p];
        *calls += t->calls[p];
    }
    return ns > 0 ? bytes / ns : 0;
}

/* Finds the limit by the rate of large transfers beside that of small ones. */
static enum limited limit_of_device(const struct fit *t, const struct evidence *small,
                                    double usual_ns)
{
    const int64_t enough = 4;
    int64_t calls;
    double large = rate_of(t, LARGE_POWER, 48, &calls);
    if ((double)small->ns < WAITS * usual_ns || small->ns <= 0)
        return BY_NOTHING;
    if (calls < enough)
        return BY_EITHER;
    return large >= FASTER * (double)small->bytes / (double)small->ns ? BY_OPERATIONS
                                                                      : BY_BYTES;
}

static void tally_side(struct tally *t, const struct side *s, const struct fit *fit)
{
    int64_t most = 0, before = t->v.calls;
    for (int i = 0; i < s->bins; i++) {
        const struct bin *b = &s->bin[i];
        if (b->collective)
            continue;
        t->calls += b->v.calls;
        if (b->power >= 47 || (int64_t)2 << b->power > fit->small_bytes)
            continue;
        evidence_add(&t->v, &b->v);
        for (int k = 0; k < ORDERS; k++)
            t->order[k] += b->order[k];
        t->start_ns += (double)b->v.calls * start_ns(fit, b->power, &b->v);
        if (b->v.calls > most) {
            most = b->v.calls;
            t->median_bytes = b->v.bytes / b->v.calls;
        }
    }
    t->files += t->v.calls > before;
}

/* True if ranks share a file of the group and their ranges mix. */
static bool is_interleaved(const struct slice *s, int write)
{
    const struct findings *f = s->f;
    for (int i = 0; i < s->n; i++) {
        const struct file *x = &f->file[f->cell[s->cell[i]].file];
        int64_t low = INT64_MAX, high = 0, sum = 0;
        int n = 0;
        for (uint32_t c = x->cells; c; c = f->cell[c - 1].next) {
            const struct side *o = f->cell[c - 1].side[write];
            if (!o || o->high <= o->low)
                continue;
            low = o->low < low ? o->low : low;
            high = o->high > high ? o->high : high;
            sum += o->high - o->low;
            n++;
        }
        if (n >= 2 && sum > high - low)
            return true;
        if (x->sharers == (uint32_t)s->n) /* all other cells are of this file, too */
            return false;
    }
    return false;
}

static const enum limit_id few_small[] = {
    [ID_SMALL] = SMALL_SMALL, [ID_STRIDED] = STRIDED_SMALL, [ID_RANDOM] = RANDOM_SMALL};

/* True if the order of the small transfers is that of the finding. */
static bool is_order(const struct tally *t, enum id id, bool interleaved)
{
    double n = (double)(t->order[0] + t->order[1] + t->order[2]);
    double sequential = (double)t->order[ORDER_SEQUENTIAL] / n;
    double explained = sequential + (double)t->order[ORDER_STRIDED] / n;
    if (t->v.calls == 0 || n <= 0 ||
        (double)t->v.calls < limit_of(few_small[id]) * (double)t->calls)
        return false;
    if (id == ID_SMALL)
        return sequential >= limit_of(SMALL_FOLLOW);
    if (id == ID_STRIDED)
        return explained >= limit_of(STRIDED_STRIDES) &&
               sequential < limit_of(STRIDED_FOLLOW) && interleaved;
    return explained < limit_of(RANDOM_PATTERN);
}

static void say_small(const struct slice *s, const struct tally *all,
                      int64_t small_bytes)
{
    enum id id = s->id;
    char limit[16], size[16], bytes[16];
    double n = (double)(all->order[0] + all->order[1] + all->order[2]);
    double share[ORDERS];
    for (int k = 0; k < ORDERS; k++)
        share[k] = (double)all->order[k] / n;
    struct condition *below = finding_condition(
        s->f, few_small[id], (double)all->v.calls / (double)all->calls);
    snprintf(below->what, sizeof below->what, "transfers below %s",
             units_bytes(limit, small_bytes));
    if (id == ID_SMALL)
        finding_condition(s->f, SMALL_FOLLOW, share[0]);
    else if (id == ID_STRIDED)
        finding_condition(s->f, STRIDED_STRIDES, share[0] + share[1]);
    else
        finding_condition(s->f, RANDOM_PATTERN, share[0] + share[1]);
    finding_say(s->f, "%lld %s of %s, %s in total, %s", (long long)all->v.calls,
                s->write ? "writes" : "reads", units_bytes(size, all->median_bytes),
                units_bytes(bytes, all->v.bytes),
                id == ID_SMALL     ? "one after the other"
                : id == ID_STRIDED ? "interleaved with those of other ranks"
                                   : "at random offsets");
}

static bool has_side(const struct slice *s)
{
    for (int i = 0; i < s->n; i++)
        if (slice_side(s, i, s->write))
            return true;
    return false;
}

void judge_small(const struct slice *s)
{
    struct findings *f = s->f;
    struct tally all = {0};
    struct finding *x = has_side(s) ? finding_begin(s) : NULL;
    if (!x)
        return;
    bool interleaved = s->id == ID_STRIDED && is_interleaved(s, s->write);
    const struct fit *fit = NULL;
    bool either = false;
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct tally t = {0};
        for (int i = at - n; i < at; i++) {
            const struct file *file = &f->file[f->cell[s->cell[i]].file];
            const struct side *side = slice_side(s, i, s->write);
            const struct fit *own = side ? fit_of(f, file, s->write) : NULL;
            if (own)
                tally_side(&t, side, fit = own);
        }
        if (!t.calls || t.v.calls < PER_FILE * t.files ||
            !is_order(&t, s->id, interleaved))
            continue;
        double kept = (double)t.v.bytes / (double)MIB;
        kept = (kept > (double)t.files ? kept : (double)t.files) / (double)t.v.calls;
        enum limited by = limit_of_device(fit, &t.v, t.start_ns);
        double saved = kept < 1 ? 1 - kept : 0, most = saved * (double)t.v.ns;
        double gain = by == BY_OPERATIONS ? most : saved * t.start_ns;
        x->most_ns += by == BY_EITHER ? most : gain;
        either |= by == BY_EITHER;
        finding_add(f, actor, &t.v, x->gain_known ? gain : (double)t.v.ns);
        evidence_add(&all.v, &t.v);
        all.calls += t.calls;
        all.median_bytes = t.median_bytes;
        for (int k = 0; k < ORDERS; k++)
            all.order[k] += t.order[k];
    }
    if (!fit || all.v.calls == 0 ||
        (all.v.bytes < BYTES_LEAST && all.v.calls < CALLS_LEAST))
        return finding_drop(f);
    if (!either || !x->gain_known)
        x->most_ns = 0;
    x->median_bytes = all.median_bytes;
    say_small(s, &all, fit->small_bytes);
    finding_end(f);
}

void judge_stdio(const struct slice *s)
{
    struct findings *f = s->f;
    int write = s->write;
    struct finding *x = finding_begin(s);
    char size[16], bytes[16];
    double least = 1;
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        for (int i = at - n; i < at; i++)
            if (slice_side(s, i, write))
                evidence_add(&v, &slice_side(s, i, write)->stdio);
        double all = (double)f->actor[actor].bytes[write];
        double share = all > 0 ? (double)v.bytes / all : 0;
        if (v.calls && share >= limit_of(STDIO_SHARE)) {
            finding_add(f, actor, &v, (double)v.ns);
            least = share < least ? share : least;
        }
    }
    if (!x || (double)x->v.bytes < limit_of(STDIO_BYTES))
        return finding_drop(f);
    finding_condition(f, STDIO_SHARE, least);
    finding_condition(f, STDIO_BYTES, (double)x->v.bytes);
    finding_say(f, "%lld stdio calls of %s each, %s in total", (long long)x->v.calls,
                units_bytes(size, x->v.bytes / x->v.calls),
                units_bytes(bytes, x->v.bytes));
    finding_end(f);
}

/* ---- needless -------------------------------------------------------------------- */

/* Judges accesses that need not reach the file system: files that nobody keeps, and
 * what HDF5 does on its own. */

/* ---- temporary -------------------------------------------------------------- */

static struct evidence kept_by_nobody(const struct findings *f, const struct cell *c,
                                      int64_t *written)
{
    const struct file *x = &f->file[c->file];
    struct evidence v = {0};
    if (!x->made || !x->removed || !is_remote(x->type))
        return v;
    for (int w = 0; w < 2; w++)
        if (c->side[w])
            evidence_add(&v, &c->side[w]->top);
    evidence_add(&v, &c->meta);
    log_sum(written, c->side[1] ? c->side[1]->top.bytes : 0);
    return v;
}

void judge_temporary(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    int64_t bytes = 0;
    double least = 1;
    char size[16];
    uint32_t actor;
    for (int at = 0, n; x && (n = slice_next(s, &at, &actor));) {
        struct evidence v = {0};
        int64_t written = 0;
        for (int i = at - n; i < at; i++) {
            struct evidence one = kept_by_nobody(f, &f->cell[s->cell[i]], &written);
            evidence_add(&v, &one);
        }
        double all = (double)f->actor[actor].bytes[1];
        double share = all > 0 ? (double)written / all : 0;
        if (!written || share < limit_of(TEMPORARY_SHARE))
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        log_sum(&bytes, written);
        least = share < least ? share : least;
    }
    if (!x || !bytes)
        return finding_drop(f);
    x->extra_bytes = bytes;
    finding_condition(f, TEMPORARY_SHARE, least);
    finding_say(f, "%s written to %s, in files that the run deletes",
                units_bytes(size, bytes), f->file[f->cell[s->cell[0]].file].type);
    finding_end(f);
}

/* ---- HDF5 ------------------------------------------------------------------- */

static bool is_shared(const struct slice *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->f->file[s->f->cell[s->cell[i]].file].sharers > 1)
            return true;
    return false;
}

void judge_metadata(const struct slice *s)
{
    struct findings *f = s->f;
    int all;
    char size[16];
    struct finding *x =
        slice_rare_ranks(s, RARE_META, limit_of(HDF5_META_CALLS), 1, &all);
    if (!x || all < 2 || x->members < limit_of(HDF5_META_RANKS) * all || !is_shared(s))
        return finding_drop(f);
    finding_condition(f, HDF5_META_RANKS, (double)x->members / all);
    finding_condition(f, HDF5_META_CALLS, (double)x->v.calls / x->members);
    finding_say(f, "%lld accesses of %s within H5F and H5D calls",
                (long long)x->v.calls, units_bytes(size, x->v.bytes / x->v.calls));
    finding_end(f);
}

void judge_fill(const struct slice *s)
{
    struct findings *f = s->f;
    int all;
    char size[16];
    struct finding *x = slice_rare_ranks(s, RARE_FILL, 1, 1, &all);
    if (!x || (double)x->v.bytes < limit_of(HDF5_FILL_BYTES))
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, HDF5_FILL_BYTES, (double)x->v.bytes);
    finding_say(f, "H5Dcreate writes %s of fill values", units_bytes(size, x->v.bytes));
    finding_end(f);
}
