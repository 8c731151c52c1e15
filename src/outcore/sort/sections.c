#include "outcore/sort/sections.h"
#include "base/err.h"
#include "base/units.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sections_open(struct sections *s, struct extsort *sorter, int64_t record, int lanes)
{
    *s = (struct sections){.sorter = sorter, .record = record, .lanes = lanes};
    s->of = calloc((size_t)lanes, sizeof *s->of);
    s->order = calloc((size_t)lanes, sizeof *s->order);
    s->taken = calloc((size_t)lanes, sizeof *s->taken);
    if (s->of && s->order && s->taken)
        return 0;
    return err_set(-ENOMEM, NULL, -1, "no memory for sections of %d lane%s", lanes,
                   units_s(lanes));
}

void sections_close(struct sections *s)
{
    free(s->of);
    free(s->order);
    free(s->taken);
    *s = (struct sections){.sorter = NULL};
}

static void take(struct run *r, void *sections)
{
    struct sections *s = sections;
    int i = r->lane;
    s->taken[i] = extsort_take(s->sorter, i, &s->of[i]);
    if (!s->taken[i])
        s->of[i].records = 0;
}

/* Sorts the sections by number. Each lane has one; lanes are few, and take them in
 * about this order. */
static void put_in_order(struct sections *s)
{
    s->room = s->filled = 0;
    for (int i = 0; i < s->lanes; i++) {
        int k = i;
        for (; k > 0 && s->of[s->order[k - 1]].number > s->of[i].number; k--)
            s->order[k] = s->order[k - 1];
        s->order[k] = i;
        s->room += s->of[i].records;
    }
}

void sections_start(struct run *r, struct sections *s)
{
    run_lanes(r, take, s);
    put_in_order(s);
}

/* The beginning of the lane's section in the room of all. */
static int64_t begin_of(const struct sections *s, int lane)
{
    int64_t begin = 0;
    for (int k = 0; s->order[k] != lane; k++)
        begin += s->of[s->order[k]].records;
    return begin;
}

static void copy(struct run *r, void *sections)
{
    const struct sections *s = sections;
    const struct extsort_section *mine = &s->of[r->lane];
    int64_t begin = begin_of(s, r->lane), end = begin + mine->records;
    int64_t from = s->filled > begin ? s->filled : begin;
    int64_t to = s->filled + s->n < end ? s->filled + s->n : end;
    if (from < to && !r->failed)
        memcpy((char *)mine->room + (from - begin) * s->record,
               s->from + (from - s->filled) * s->record,
               (size_t)((to - from) * s->record));
}

static void sort(struct run *r, void *sections)
{
    struct sections *s = sections;
    struct extsort_section mine = s->of[r->lane];
    int64_t there = s->filled - begin_of(s, r->lane);
    there = there < 0 ? 0 : there;
    mine.records = there < mine.records ? there : mine.records;
    if (s->taken[r->lane])
        extsort_run(s->sorter, r->lane, &mine);
}

void sections_add(struct run *r, struct sections *s, const void *from, int64_t n)
{
    s->from = from;
    while (n > 0 && !r->failed) {
        s->n = n < s->room - s->filled ? n : s->room - s->filled;
        run_lanes(r, copy, s);
        s->filled += s->n;
        s->from += s->n * s->record;
        n -= s->n;
        if (s->filled == s->room) {
            run_lanes(r, sort, s);
            sections_start(r, s);
        }
    }
}

void sections_finish(struct run *r, struct sections *s)
{
    run_lanes(r, sort, s);
}
