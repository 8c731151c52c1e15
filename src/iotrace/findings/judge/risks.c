/* Judges risks: for each group of files those that risks.c has counted. There is no
 * threshold: one is enough. */
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <string.h>

/* Collects a risk, which has no time at stake. */
static struct finding *collect_risk(const struct slice *s, enum id id, enum rare kind)
{
    int all;
    struct finding *x = slice_rare_ranks(s, id, kind, 1, 0, &all);
    if (x && x->members)
        return x;
    finding_drop(s->f);
    return NULL;
}

/* Prints a count such as "1 write" or "7 writes". */
static const char *count_text(char out[48], int64_t n, const char *what)
{
    snprintf(out, 48, "%lld %s%s", (long long)n, what, units_s(n));
    return out;
}

static void judge_failed(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_FAILED, RARE_FAILED);
    int64_t error = 0;
    char calls[48];
    if (!x)
        return;
    for (int i = 0; i < s->n; i++) {
        const struct rarities *r = f->cell[s->cell[i]].rarities;
        error = r && r->error ? r->error : error;
    }
    finding_say(f, "%s failed: %s", count_text(calls, x->v.calls, "call"),
                strerror((int)error));
    finding_end(f);
}

/* Returns the unit for O_DIRECT. It may be less than a file system's block, and is
 * never more than that and a page; the block of a network file system is the optimal
 * one, which is larger. */
static int64_t direct_unit(const struct findings *f, const struct slice *s)
{
    enum { PAGE = 4096, LARGE = 65536 };
    int64_t block = f->file[f->cell[s->cell[0]].file].block_bytes;
    return block > PAGE && block <= LARGE ? block : PAGE;
}

static void judge_refused(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_REFUSED, RARE_REFUSED);
    const struct rarities *last = NULL;
    char calls[48], unit[16], where[64] = "";
    if (!x)
        return;
    for (int i = 0; i < s->n; i++) {
        const struct rarities *r = f->cell[s->cell[i]].rarities;
        last = r && r->v[RARE_REFUSED] ? r : last;
    }
    if (last && last->refused_bytes && last->refused_at >= 0)
        snprintf(where, sizeof where, "; the last was of %lld bytes at offset %lld",
                 (long long)last->refused_bytes, (long long)last->refused_at);
    finding_say(f,
                "%s failed with EINVAL: multiples of %s are safe for O_DIRECT, in "
                "memory, offset and size%s",
                count_text(calls, x->v.calls, "transfer"),
                units_bytes(unit, direct_unit(f, s)), where);
    finding_end(f);
}

static void judge_cut(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_FAILED, RARE_CUT);
    char calls[48], bytes[16];
    if (!x)
        return;
    finding_say(f, "%s stopped short, and nobody wrote the remaining %s",
                count_text(calls, x->v.calls, "write"), units_bytes(bytes, x->v.bytes));
    finding_end(f);
}

static void judge_race(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_RACE, RARE_RACED);
    char calls[48];
    if (!x)
        return;
    finding_say(f, "%s overlap in place and in time",
                count_text(calls, x->v.calls, "write"));
    finding_end(f);
}

static void judge_stale(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_STALE, RARE_STALE);
    char calls[48], bytes[16];
    if (!x)
        return;
    finding_say(f,
                "%s of %s that another %s wrote, without a sync or close there, and an "
                "open or sync here, in between",
                count_text(calls, x->v.calls, "read"), units_bytes(bytes, x->v.bytes),
                f->ask.client);
    finding_end(f);
}

static void judge_renamed(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, ID_RENAMED, RARE_RENAMED);
    char calls[48];
    if (!x)
        return;
    finding_say(f, "%s without an fsync after the last write",
                count_text(calls, x->v.calls, "rename"));
    finding_end(f);
}

void judge_risks(const struct slice *s, int write)
{
    if (write)
        return; /* it has no direction: judge it once */
    judge_race(s);
    judge_stale(s);
    judge_failed(s);
    judge_refused(s);
    judge_cut(s);
    judge_renamed(s);
}
