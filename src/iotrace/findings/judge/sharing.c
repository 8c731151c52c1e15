/* Judges ranks that use the same file: all read the same bytes, or they take turns. */
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_NS ((int64_t)50 * 1000000) /* longer than a turn on a shared core */

struct edge {
    int64_t at;
    int step;
};

static int edges_by_place(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->step - y->step;
}

/* Returns the bytes of a file that at least `least` ranks have read. */
static int64_t common_bytes(struct findings *f, const struct file *x, int least)
{
    int64_t n = 0, edges = 0, common = 0, from = 0;
    for (uint32_t c = x->cells; c; c = f->cell[c - 1].next)
        if (f->cell[c - 1].side[0])
            n += extents_count(f->cell[c - 1].side[0]->seen);
    struct edge *edge = mem_new(2 * n + 1, sizeof *edge, "the findings");
    if (!edge) {
        f->memory = -ENOMEM;
        return 0;
    }
    for (uint32_t c = x->cells; c; c = f->cell[c - 1].next) {
        const struct side *s = f->cell[c - 1].side[0];
        struct extents_walk w = {0};
        int64_t begin, end;
        while (s && extents_walk(s->seen, &w, &begin, &end)) {
            edge[edges++] = (struct edge){begin, 1};
            edge[edges++] = (struct edge){end, -1};
        }
    }
    qsort(edge, (size_t)edges, sizeof *edge, edges_by_place);
    for (int64_t i = 0, depth = 0; i < edges; i++) {
        if (depth >= least)
            common += edge[i].at - from;
        depth += edge[i].step;
        from = edge[i].at;
    }
    free(edge);
    return common;
}

/* Returns the common part of what a rank has read of a file. */
static struct evidence common_of(const struct side *s, int64_t common)
{
    struct evidence v = s->alone;
    double share = v.bytes > common ? (double)common / (double)v.bytes : 1;
    v.bytes = v.bytes > common ? common : v.bytes;
    v.ns = (int64_t)(share * (double)v.ns);
    return v;
}

void judge_read_by_all(const struct slice *s)
{
    struct findings *f = s->f;
    int ranks = scope_actors(f),
        least = (int)(limit_of(READ_BY_ALL_ALL) * ranks + 0.999);
    char bytes[16], all[16];
    int64_t read = 0, once = 0;
    if (ranks < limit_of(READ_BY_ALL_RANKS))
        return;
    struct finding *x = finding_begin(s);
    for (int i = 0; x && i < s->n; i++) {
        const struct cell *c = &f->cell[s->cell[i]];
        const struct file *file = &f->file[c->file];
        if (c->side[0])
            read += c->side[0]->alone.bytes;
        /* A file's first cell stands for all of them. */
        if (file->cells != s->cell[i] + 1 || file->sharers < (uint32_t)least)
            continue;
        int64_t common = common_bytes(f, file, least);
        once += common;
        for (uint32_t k = file->cells; common && k; k = f->cell[k - 1].next) {
            const struct side *side = f->cell[k - 1].side[0];
            struct evidence v = side ? common_of(side, common) : (struct evidence){0};
            if (v.calls)
                finding_add(f, f->cell[k - 1].actor, &v,
                            (double)v.ns * (ranks - 1) / ranks);
        }
    }
    double share = read && x ? (double)x->v.bytes / (double)read : 0;
    if (!x || share < limit_of(READ_BY_ALL_SHARE) ||
        (double)once < limit_of(READ_BY_ALL_BYTES))
        return finding_drop(f);
    if (f->hosts < 2)
        x->cap = SEVERITY_LOW; /* after the first read, the page cache has it */
    x->extra_bytes = x->v.bytes - once;
    finding_condition(f, READ_BY_ALL_SHARE, share);
    finding_condition(f, READ_BY_ALL_RANKS, ranks);
    finding_say(f, "%d ranks read the same %s, %s in total", x->members,
                units_bytes(bytes, once), units_bytes(all, x->v.bytes));
    finding_end(f);
}

/* ---- turns ------------------------------------------------------------------ */

struct window {
    int64_t begin, end;
    const struct side *side;
    uint32_t actor;
};

static int by_begin(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int windows_of(const struct findings *f, const struct file *x, int write,
                      struct window *w)
{
    int n = 0;
    for (uint32_t c = x->cells; c; c = f->cell[c - 1].next) {
        const struct side *s = f->cell[c - 1].side[write];
        if (s && s->alone.calls && s->high > s->low)
            w[n++] = (struct window){s->alone.first_ns, s->alone.last_ns, s,
                                     f->cell[c - 1].actor};
    }
    qsort(w, (size_t)n, sizeof *w, by_begin);
    return n;
}

/* Returns the share of the windows' time in which two are open; *shortest is the
 * shortest window. */
static double overlap_of(const struct window *w, int n, int64_t *shortest)
{
    int64_t sum = 0, both = 0, end = w[0].end;
    *shortest = INT64_MAX;
    for (int i = 0; i < n; i++) {
        int64_t length = w[i].end - w[i].begin;
        sum += length;
        *shortest = length < *shortest ? length : *shortest;
        if (i > 0 && w[i].begin < end)
            both += (w[i].end < end ? w[i].end : end) - w[i].begin;
        end = w[i].end > end ? w[i].end : end;
    }
    return sum > 0 ? (double)both / (double)sum : 1;
}

/* True if no two ranks have a byte in common. */
static bool are_apart(const struct window *w, int n)
{
    int64_t low = INT64_MAX, high = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        low = w[i].side->low < low ? w[i].side->low : low;
        high = w[i].side->high > high ? w[i].side->high : high;
        sum += w[i].side->high - w[i].side->low;
    }
    return sum <= high - low;
}

static void judge_turns_of(const struct slice *s, const struct file *x,
                           struct window *w)
{
    struct findings *f = s->f;
    int n = windows_of(f, x, s->write, w);
    int64_t shortest;
    char time[16];
    if (n < limit_of(TURNS_RANKS) || !are_apart(w, n))
        return;
    double overlap = overlap_of(w, n, &shortest);
    bool short_of_cores = f->cores == 0 || n > f->cores;
    if (overlap >= limit_of(TURNS_OVERLAP))
        return;
    if (short_of_cores && shortest < WINDOW_NS) {
        f->why_not[ID_TURNS] = "ranks that share cores may take turns for that";
        return;
    }
    struct finding *y = finding_begin(s);
    for (int i = 0; y && i < n; i++)
        finding_add(f, w[i].actor, &w[i].side->alone,
                    (double)w[i].side->alone.ns * (n - 1) / n);
    if (!y)
        return;
    y->extra_bytes = y->v.bytes;
    finding_condition(f, TURNS_OVERLAP, overlap);
    finding_condition(f, TURNS_RANKS, n);
    finding_say(f, "%d ranks transfer their parts in turn, for at least %s", n,
                units_seconds(time, (double)shortest * 1e-9));
    finding_end(f);
}

void judge_turns(const struct slice *s)
{
    struct findings *f = s->f;
    struct window *w = calloc((size_t)f->actors + 1, sizeof *w);
    for (int i = 0; w && i < s->n; i++) {
        const struct file *x = &f->file[f->cell[s->cell[i]].file];
        if (x->cells == s->cell[i] + 1 && x->sharers >= limit_of(TURNS_RANKS))
            judge_turns_of(s, x, w);
    }
    free(w);
}

/* ---- risks ----------------------------------------------------------------------- */

/* Judges risks: for each group of files those that risks.c has counted. There is no
 * threshold: one is enough. */

/* Collects a risk, which has no time at stake. */
static struct finding *collect_risk(const struct slice *s, enum rare kind)
{
    int all;
    struct finding *x = slice_rare_ranks(s, kind, 1, 0, &all);
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

static void judge_errors(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, RARE_FAILED);
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

void judge_refused(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, RARE_REFUSED);
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
    struct finding *x = collect_risk(s, RARE_CUT);
    char calls[48], bytes[16];
    if (!x)
        return;
    finding_say(f, "%s stopped short, and nobody wrote the remaining %s",
                count_text(calls, x->v.calls, "write"), units_bytes(bytes, x->v.bytes));
    finding_end(f);
}

void judge_failed(const struct slice *s)
{
    judge_errors(s);
    judge_cut(s);
}

void judge_race(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, RARE_RACED);
    char calls[48];
    if (!x)
        return;
    finding_say(f, "%s overlap in place and in time",
                count_text(calls, x->v.calls, "write"));
    finding_end(f);
}

void judge_stale(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, RARE_STALE);
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

void judge_renamed(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = collect_risk(s, RARE_RENAMED);
    char calls[48];
    if (!x)
        return;
    finding_say(f, "%s without an fsync after the last write",
                count_text(calls, x->v.calls, "rename"));
    finding_end(f);
}
