/* Judges accesses that need not reach the file system: files that nobody keeps, and
 * what HDF5 does on its own. */
#include "base/units.h"
#include "iotrace/findings/inside.h"

#define SHARE 0.10
#define PER_RANK 16 /* small accesses to metadata */
#define ALL 0.9

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

static void judge_temporary(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(f, ID_TEMPORARY, s->group, -1);
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
        if (!written || share < SHARE)
            continue;
        finding_add(f, actor, &v, (double)v.ns);
        log_sum(&bytes, written);
        least = share < least ? share : least;
    }
    if (!x || !bytes)
        return finding_drop(f);
    x->gain_known = false;
    x->extra_bytes = bytes;
    finding_condition(f, "of the bytes that a rank writes are removed by the run",
                      least, ">=", SHARE, "share");
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

static void judge_metadata(const struct slice *s)
{
    struct findings *f = s->f;
    int all;
    char size[16];
    struct finding *x = slice_rare_ranks(s, ID_HDF5_META, RARE_META, PER_RANK, 1, &all);
    if (!x || all < 2 || x->members < ALL * all || !is_shared(s))
        return finding_drop(f);
    finding_condition(f, "of the ranks access the metadata themselves",
                      (double)x->members / all, ">=", ALL, "share");
    finding_condition(f, "such accesses of a rank, in the mean",
                      (double)x->v.calls / x->members, ">=", PER_RANK, "calls");
    finding_say(f, "%lld accesses of %s within H5F and H5D calls",
                (long long)x->v.calls, units_bytes(size, x->v.bytes / x->v.calls));
    finding_end(f);
}

static void judge_fill(const struct slice *s)
{
    struct findings *f = s->f;
    int all;
    char size[16];
    struct finding *x = slice_rare_ranks(s, ID_HDF5_FILL, RARE_FILL, 1, 1, &all);
    if (!x || x->v.bytes < MIB)
        return finding_drop(f);
    x->extra_bytes = x->v.bytes;
    finding_condition(f, "bytes written by H5Dcreate", (double)x->v.bytes,
                      ">=", (double)MIB, "bytes");
    finding_say(f, "H5Dcreate writes %s of fill values", units_bytes(size, x->v.bytes));
    finding_end(f);
}

void judge_needless(const struct slice *s, int write)
{
    if (write)
        return; /* it has no direction: judge it once */
    judge_temporary(s);
    judge_metadata(s);
    judge_fill(s);
}
