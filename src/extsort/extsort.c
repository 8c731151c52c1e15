#include "extsort/extsort.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/units.h"
#include "extsort/inside.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void extsort_lanes(struct extsort *s, run_lane_body *body, void *context)
{
    if (s->how.lanes > 1)
        run_lanes(s->r, body, context);
    else
        body(s->r, context);
}

/* ---- start and end --------------------------------------------------------------- */

static int open_lane(struct extsort *s, int i)
{
    const struct division *d = &s->d;
    struct lane *l = &s->lane[i];
    size_t sources = (size_t)(division_tables(d, s->how.lanes) /
                              (int64_t)(sizeof(struct source) + sizeof(struct node)));
    l->memory = s->memory + i * d->each;
    l->room = l->memory + d->writing;
    int64_t room = units_round_up(d->capacity * s->how.order.bytes, BUF_ALIGN);
    l->entry = (struct sort_entry *)(void *)(l->room + room + BUF_ALIGN);
    l->merge.s = s;
    if (i >= s->how.merge_lanes)
        return 0;
    l->merge.source = thread_alloc(sources * sizeof *l->merge.source, "a sort");
    l->merge.tree = thread_alloc(sources * sizeof *l->merge.tree, "a sort");
    return l->merge.source && l->merge.tree ? 0 : -ENOMEM;
}

static int open_memory_and_lanes(struct extsort *s)
{
    void *memory = NULL;
    int rc = buf_reserve_huge(&memory, s->d.memory, "the sort");
    s->memory = memory;
    s->lane = mem_new(s->how.lanes, sizeof *s->lane, "a sort");
    if (!rc && !s->lane)
        rc = -ENOMEM;
    for (int i = 0; i < s->how.lanes && !rc; i++)
        rc = open_lane(s, i);
    return rc;
}

int extsort_open(struct extsort **out, struct run *r, const struct extsort_how *how,
                 int64_t records)
{
    struct division d;
    struct extsort *s = NULL;
    int rc = division_make(&d, r, how, records);
    *out = NULL;
    if (!rc && strlen(how->scratch) >= sizeof s->scratch)
        rc = err_set(-EINVAL, how->scratch, -1, "the file's path is too long");
    if (rc)
        return rc;
    s = mem_new(1, sizeof *s, "a sort");
    if (!s)
        return -ENOMEM;
    s->r = r;
    s->how = *how;
    s->d = d;
    extsort_scratch(s, how->scratch);
    pthread_mutex_init(&s->lock, NULL);
    rc = open_memory_and_lanes(s);
    *out = s;
    if (rc)
        extsort_close(out);
    return rc;
}

void extsort_scratch(struct extsort *s, const char *prefix)
{
    snprintf(s->scratch, sizeof s->scratch, "%s", prefix);
}

int extsort_begin(struct extsort *s, int64_t records)
{
    bool fits = records >= 0 && records <= s->d.capacity * s->how.lanes;
    extsort_end(s);
    s->records = records;
    s->section = division_section(&s->d, &s->how, records);
    s->spills = records >= 0 && !fits;
    s->taken = 0;
    s->files = s->came_runs = s->passes = 0;
    for (int i = 0; i < s->how.lanes; i++) {
        struct lane *l = &s->lane[i];
        l->r = s->how.lanes > 1 ? run_lane_of(s->r, i) : s->r;
        l->merge.r = l->r;
        l->held = l->grouped = false;
        l->came = l->read_bytes = l->write_bytes = 0;
    }
    if (!s->r->failed && !fits && s->how.lanes > 1)
        runs_open(s, &s->runs,
                  units_round_up(s->section * s->how.order.bytes, BUF_ALIGN));
    return s->r->failed;
}

void extsort_end(struct extsort *s)
{
    for (int i = 0; i < s->how.merge_lanes; i++)
        merge_end(&s->lane[i].merge);
    runs_close(s, &s->runs);
    split_free(s);
    s->adding = (struct extsort_section){.records = 0};
    s->added = 0;
}

void extsort_close(struct extsort **sorter)
{
    struct extsort *s = *sorter;
    *sorter = NULL;
    if (!s)
        return;
    if (s->lane)
        extsort_end(s);
    for (int i = 0; s->lane && i < s->how.lanes; i++) {
        free(s->lane[i].merge.source);
        free(s->lane[i].merge.tree);
    }
    free(s->lane);
    buf_free(s->memory);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

struct extsort_counts extsort_counts(const struct extsort *s)
{
    struct extsort_counts c = {.runs = s->came_runs, .passes = s->passes};
    if (!c.runs)
        c.runs = s->runs.n; /* it is still being written */
    c.memory_bytes =
        s->d.memory + s->how.merge_lanes * division_tables(&s->d, s->how.lanes);
    for (int i = 0; i < s->how.lanes; i++) {
        c.records += s->lane[i].came;
        c.read_bytes += s->lane[i].read_bytes;
        c.write_bytes += s->lane[i].write_bytes;
    }
    c.records += s->added;
    return c;
}

/* ---- passes ---------------------------------------------------------------------- */

struct pass {
    struct extsort *s;
    struct runs_file longer;
    int64_t together, runs;
    _Atomic int64_t taken;
};

static void fill_by_merge(void *merge, void *to, int64_t n)
{
    merge_take(merge, to, n, false);
}

/* Merges runs g x together and up into one. */
static void merge_group(struct pass *p, int lane, int64_t g)
{
    struct extsort *s = p->s;
    struct lane *l = &s->lane[lane];
    int64_t first = g * p->together, records = 0, place;
    int64_t n = s->runs.n - first < p->together ? s->runs.n - first : p->together;
    for (int64_t i = 0; i < n; i++)
        records += s->runs.run[first + i].records;
    if (!merge_start(s, lane, first, n, NULL, NULL, &place))
        runs_write(s, lane, &p->longer, g, records, s->memory + lane * s->d.merging,
                   fill_by_merge, &l->merge);
    merge_end(&l->merge);
}

static void pass_lane(struct run *r, void *pass)
{
    struct pass *p = pass;
    int lane = extsort_lane_of(p->s, r);
    int64_t g;
    while (lane < p->s->how.merge_lanes && !r->failed && (g = p->taken++) < p->runs)
        merge_group(p, lane, g);
}

static int by_run_number(const void *a, const void *b)
{
    const struct sorted_run *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void order_runs(struct runs_file *f)
{
    if (f->n)
        qsort(f->run, (size_t)f->n, sizeof *f->run, by_run_number);
}

static int merge_pass(struct extsort *s, int64_t together)
{
    struct pass p = {
        .s = s, .together = together, .runs = units_div_up(s->runs.n, together)};
    if (!runs_open(s, &p.longer, s->runs.stride * together))
        extsort_lanes(s, pass_lane, &p);
    runs_settle(s, &p.longer);
    runs_close(s, s->r->failed ? &p.longer : &s->runs);
    if (s->r->failed)
        return s->r->failed;
    s->runs = p.longer;
    order_runs(&s->runs);
    s->passes++;
    return 0;
}

/* ---- the result ------------------------------------------------------------------ */

static void spill_lane(struct run *r, void *sorter)
{
    struct extsort *s = sorter;
    sections_spill(s, extsort_lane_of(s, r));
}

int extsort_settle(struct extsort *s)
{
    if (s->added) {
        s->adding.records = s->added;
        extsort_run(s, 0, &s->adding);
        s->added = 0;
    }
    if (s->runs.n && !s->r->failed)
        extsort_lanes(s, spill_lane, s);
    order_runs(&s->runs);
    s->came_runs = s->runs.n;
    return runs_settle(s, &s->runs);
}

int extsort_plan(struct extsort *s, int parts)
{
    int64_t together;
    int rc = extsort_settle(s);
    s->parts = parts;
    while (!rc && (together = division_together(&s->d, s->runs.n)))
        rc = merge_pass(s, together);
    if (!rc)
        run_fail(s->r, split_make(s));
    return s->r->failed;
}

int64_t extsort_sources(const struct extsort *s)
{
    int64_t n = s->runs.n;
    while (!s->runs.n && sections_held(s, n))
        n++;
    return n;
}

int extsort_part(struct extsort *s, int lane, int part, int64_t *first)
{
    struct merge *m = &s->lane[lane].merge;
    const struct split *from = part && s->split ? &s->split[part - 1] : NULL;
    const struct split *until =
        part + 1 < s->parts && s->split ? &s->split[part] : NULL;
    merge_end(m);
    *first = 0;
    if (m->r->failed)
        return m->r->failed;
    return merge_start(s, lane, 0, extsort_sources(s), from, until, first);
}

int extsort_finish(struct extsort *s)
{
    int64_t first;
    int rc = extsort_plan(s, 1);
    return rc ? rc : extsort_part(s, 0, 0, &first);
}

int64_t extsort_next(struct extsort *s, int lane, void *to, int64_t most)
{
    return merge_take(&s->lane[lane].merge, to, most, false);
}

const void *extsort_record(struct extsort *s, int lane)
{
    return merge_record(&s->lane[lane].merge);
}

/* Returns the records of a group, which are contiguous in memory. */
static const void *group_in_memory(struct merge *m, int64_t *n)
{
    const struct sort_order *o = &m->s->how.order;
    struct source *x = &m->source[0];
    const char *first = m->sources ? x->at : NULL, *at = first;
    *n = 0;
    if (!first)
        return NULL;
    uint64_t word = sort_word(o, first, 0);
    while (at < x->end && sort_word(o, at, 0) == word)
        at += o->bytes;
    x->at = at < x->end ? at : NULL;
    *n = (at - first) / o->bytes;
    return first;
}

const void *extsort_group(struct extsort *s, int lane, int64_t *n)
{
    struct merge *m = &s->lane[lane].merge;
    if (!m->running && s->lane[lane].grouped)
        return groups_next(&s->lane[lane].groups, &s->how.order, n);
    if (!m->running)
        return group_in_memory(m, n);
    *n = merge_take(m, m->result, m->result_records, true);
    return m->result;
}
