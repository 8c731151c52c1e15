/* Finds the rank of each byte. The digits of a rank's number are levels among those of
 * time: if all levels lie within each other by stride, an offset is read digit by
 * digit. */
#include "algebra/descriptor.h"
#include "algebra/set.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

#define BY_TABLE INT64_MAX

static void add_level(struct ldad_map *m, int64_t stride, int64_t count, int64_t weight)
{
    int k = m->levels;
    if (count == 1)
        return;
    for (; k > 0 && m->level[k - 1].stride < stride; k--)
        m->level[k] = m->level[k - 1];
    m->level[k] = (struct ldad_map_level){stride, count, weight};
    m->levels++;
}

/* Adds the rank's digits as levels. A digit that lowers the start is counted from its
 * last value. */
static void add_digits(struct ldad_map *m)
{
    int64_t weight = 1;
    for (int i = m->plan.digits - 1; i >= 0; i--) {
        const struct ldad_digit *d = &m->plan.digit[i];
        int64_t last = d->count - 1;
        if (d->step < 0) {
            m->low += last * d->step;
            m->rank0 += last * weight;
            add_level(m, -d->step, d->count, -weight);
        } else {
            add_level(m, d->step, d->count, weight);
        }
        weight *= d->count;
    }
}

/* Inserts the table of starts among the strides, by the least distance of two ranks. */
static void add_table(struct ldad_map *m)
{
    const struct ldad_plan *p = &m->plan;
    int64_t least = INT64_MAX;
    for (int64_t r = 1; r < p->ranks; r++)
        if (p->starts[r] - p->starts[r - 1] < least)
            least = p->starts[r] - p->starts[r - 1];
    add_level(m, least, p->ranks, BY_TABLE);
}

/* True if levels lie within each other. A table around plain chunks cuts those that are
 * too long. */
static bool is_nested(const struct ldad_map *m)
{
    int64_t extent = m->each.size;
    for (int i = m->levels - 1; i >= 0; i--) {
        const struct ldad_map_level *l = &m->level[i];
        bool table = l->weight == BY_TABLE, cuts = table && i == m->levels - 1;
        if (l->stride < extent && !cuts)
            return false;
        extent += table ? m->plan.starts[l->count - 1] : (l->count - 1) * l->stride;
    }
    return true;
}

bool ldad_map_fits(struct ldad_map *m, const struct ldad_plan *p)
{
    *m = (struct ldad_map){.plan = *p};
    if (!ldad_normal(&p->each, &m->plan.each))
        return false;
    m->each = m->plan.each;
    m->low = m->each.start;
    for (int i = 0; i < m->each.levels; i++)
        add_level(m, m->each.level[i].stride, ldad_count(&m->each.level[i]), 0);
    if (p->starts)
        add_table(m);
    else
        add_digits(m);
    return is_nested(m);
}

int ldad_map_make(struct ldad_map *m, const struct ldad_plan *p)
{
    char text[LDAD_TEXT];
    int rc = ldad_plan_check(p);
    if (rc || ldad_map_fits(m, p))
        return rc;
    ldad_print(text, sizeof text, &p->each);
    return err_usage("%lld ranks that access %s each, and so on, are %s: their bytes "
                     "cannot be told apart by where they are",
                     (long long)p->ranks, text,
                     ldad_plan_disjoint(p) == LDAD_NO ? "overlapped" : "not nested");
}

/* The last rank of a table that starts at or before `rest`. */
static int64_t find_start(const struct ldad_plan *p, int64_t rest)
{
    int64_t low = 0, high = p->ranks;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (p->starts[mid] <= rest)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Reads one digit of the rest of an offset; sets `next` to the distance of the next
 * one, if another follows. */
static int64_t read_digit(const struct ldad_map *m, const struct ldad_map_level *l,
                          int64_t *rest, int64_t *next)
{
    bool table = l->weight == BY_TABLE;
    int64_t digit = table ? find_start(&m->plan, *rest) : *rest / l->stride;
    digit = digit < l->count ? digit : l->count - 1;
    int64_t at = table ? m->plan.starts[digit] : digit * l->stride;
    if (digit + 1 < l->count)
        *next = (table ? m->plan.starts[digit + 1] : at + l->stride) - *rest;
    *rest -= at;
    return digit;
}

/* Returns how many bytes from `offset` on belong to the same rank, or to nobody (rank
 * -1), by levels: there may be more after the next level begins. */
static int64_t locate(const struct ldad_map *m, int64_t offset, int64_t *rank)
{
    int64_t rest = offset - m->low, next = INT64_MAX, left = m->plan.end - offset;
    *rank = -1;
    if (left <= 0)
        return INT64_MAX;
    if (rest < 0)
        return -rest;
    int64_t whose = m->rank0;
    for (int i = 0; i < m->levels; i++) {
        int64_t weight = m->level[i].weight;
        int64_t digit = read_digit(m, &m->level[i], &rest, &next);
        whose += weight == BY_TABLE ? digit : digit * weight;
    }
    if (rest >= m->each.size)
        return next < left ? next : INT64_MAX;
    *rank = whose;
    int64_t chunk = m->each.size - rest < next ? m->each.size - rest : next;
    return chunk < left ? chunk : left;
}

int64_t ldad_map_bytes(const struct ldad_map *m, int64_t r)
{
    struct ldad d = ldad_plan_rank(&m->plan, r);
    return ldad_before(&d, m->plan.end);
}

struct ldad_run ldad_map_run(const struct ldad_map *m, int64_t offset, int64_t bytes)
{
    struct ldad_run run = {.offset = offset};
    int64_t left = locate(m, offset, &run.rank), rank = run.rank;
    while (rank == run.rank && run.bytes < bytes) {
        run.bytes += left < bytes - run.bytes ? left : bytes - run.bytes;
        if (run.bytes < bytes)
            left = locate(m, offset + run.bytes, &rank);
    }
    if (run.rank >= 0) {
        struct ldad d = ldad_plan_rank(&m->plan, run.rank);
        run.at = ldad_before(&d, offset);
    }
    return run;
}

int64_t ldad_map_offset(const struct ldad_map *m, int64_t r, int64_t at)
{
    if (r < 0 || r >= m->plan.ranks || at < 0 || at >= ldad_map_bytes(m, r))
        return -1;
    struct ldad d = ldad_plan_rank(&m->plan, r);
    return ldad_at(&d, at);
}

bool ldad_map_lands(const struct ldad_map *m, int64_t r, int64_t offset, int64_t bytes,
                    int64_t *at)
{
    int64_t end;
    if (r < 0 || r >= m->plan.ranks || offset < 0 ||
        __builtin_add_overflow(offset, bytes, &end) || end > m->plan.end)
        return false;
    struct ldad d = ldad_plan_rank(&m->plan, r);
    *at = ldad_before(&d, offset);
    return ldad_before(&d, end) - *at == bytes;
}

static bool same_starts(const struct ldad_plan *a, const struct ldad_plan *b)
{
    if (!a->starts || !b->starts)
        return a->starts == b->starts;
    return !memcmp(a->starts, b->starts, (size_t)a->ranks * sizeof *a->starts);
}

bool ldad_map_same(const struct ldad_map *a, const struct ldad_map *b)
{
    bool same = a->plan.ranks == b->plan.ranks && a->plan.end == b->plan.end &&
                a->low == b->low && a->rank0 == b->rank0 && a->levels == b->levels &&
                ldad_same(&a->each, &b->each) && same_starts(&a->plan, &b->plan);
    for (int i = 0; same && i < a->levels; i++)
        same = a->level[i].stride == b->level[i].stride &&
               a->level[i].count == b->level[i].count &&
               a->level[i].weight == b->level[i].weight;
    return same;
}
