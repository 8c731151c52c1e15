/* Input: lanes take sections, sort them and, if not all records fit, write them as
 * runs. */
#include "base/buf.h"
#include "base/units.h"
#include "extsort/inside.h"
#include <string.h>

const struct lane *sections_held(const struct extsort *s, int64_t i)
{
    const struct lane *found = NULL;
    int64_t after = -1;
    for (; i >= 0; i--) {
        found = NULL;
        for (int k = 0; k < s->how.lanes; k++) {
            const struct lane *l = &s->lane[k];
            if (l->held && l->number > after && (!found || l->number < found->number))
                found = l;
        }
        if (!found)
            return NULL;
        after = found->number;
    }
    return found;
}

/* ---- runs ------------------------------------------------------------------------ */

struct sorted { /* a section that becomes a run */
    const struct extsort *s;
    const struct lane *l;
    int64_t at;
};

static void fill_by_index(void *context, void *to, int64_t n)
{
    struct sorted *x = context;
    sort_gather(&x->s->how.order, x->l->records, x->l->entry + x->at, n,
                x->l->n - x->at, to);
    x->at += n;
}

static void fill_in_place(void *context, void *to, int64_t n)
{
    struct sorted *x = context;
    int64_t bytes = x->s->how.order.bytes;
    memcpy(to, x->l->records + x->at * bytes, (size_t)(n * bytes));
    x->at += n;
}

void sections_spill(struct extsort *s, int lane)
{
    struct lane *l = &s->lane[lane];
    struct sorted sorted = {.s = s, .l = l};
    if (!l->held)
        return;
    if (l->grouped)
        s->how.order.sort((void *)(uintptr_t)l->records, l->n);
    l->held = l->grouped = false;
    if (!s->runs.file) { /* there is one lane, on the rank's thread */
        int64_t bytes = s->section * s->how.order.bytes;
        if (l->r->failed || runs_open(s, &s->runs, units_round_up(bytes, BUF_ALIGN)))
            return;
    }
    runs_write(s, lane, &s->runs, l->number, l->n, l->memory,
               s->how.order.sort ? fill_in_place : fill_by_index, &sorted);
}

/* ---- sections -------------------------------------------------------------------- */

bool extsort_take(struct extsort *s, int lane, struct extsort_section *section)
{
    struct lane *l = &s->lane[lane];
    if (l->held && s->records >= 0)
        return false; /* all records fit: each lane has one section */
    sections_spill(s, lane);
    if (l->r->failed)
        return false;
    int64_t number = s->taken++, first = number * s->section, left = s->records - first;
    if (s->records >= 0 && left <= 0)
        return false;
    *section = (struct extsort_section){
        .number = number, .first = first, .records = s->section, .room = l->room};
    if (s->records >= 0 && left < s->section)
        section->records = left;
    return true;
}

/* Groups records without sorting them in place, if they stay in memory (a last section
 * that is not full) and there is room. */
static bool sections_group(const struct extsort *s, struct lane *l)
{
    int64_t room = l->memory + s->d.each - l->records;
    return s->how.groups && !s->spills && !s->runs.n && l->n < s->section &&
           groups_make(&l->groups, &s->how.order, l->records, l->n, room);
}

void extsort_run(struct extsort *s, int lane, const struct extsort_section *section)
{
    struct lane *l = &s->lane[lane];
    if (l->r->failed || !section->records)
        return;
    l->records = section->room;
    l->n = section->records;
    l->number = section->number;
    l->came += l->n;
    l->grouped = sections_group(s, l);
    if (s->how.order.sort && !l->grouped)
        s->how.order.sort(section->room, l->n);
    else if (!l->grouped)
        sort_index(&s->how.order, l->records, l->n, l->entry);
    l->held = true;
    if (s->spills)
        sections_spill(s, lane);
}

int extsort_add(struct extsort *s, const void *from, int64_t n)
{
    struct extsort_section *x = &s->adding;
    int64_t bytes = s->how.order.bytes;
    while (n > 0 && !s->r->failed) {
        if (s->added == x->records && s->added) {
            extsort_run(s, 0, x);
            s->added = x->records = 0;
        }
        if (!s->added && !extsort_take(s, 0, x))
            break;
        int64_t room = x->records - s->added, some = n < room ? n : room;
        memcpy((char *)x->room + s->added * bytes, from, (size_t)(some * bytes));
        s->added += some;
        from = (const char *)from + some * bytes;
        n -= some;
    }
    return s->r->failed;
}
