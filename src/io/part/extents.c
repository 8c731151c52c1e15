/* A set of byte ranges, sorted and merged. */
#include "io/part/container.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The index of the first range that ends at or behind `offset`; n: none. */
static int64_t extents_find(const struct extents *x, int64_t offset)
{
    int64_t low = 0, high = x->n;
    if (x->n && x->range[x->n - 1].end < offset)
        return x->n;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (x->range[mid].end < offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int extents_make_room(struct extents *x)
{
    if (x->n < x->room)
        return 0;
    if (x->n == EXTENTS_MOST)
        return -E2BIG;
    int64_t room = x->room ? 2 * x->room : 64;
    struct extents_range *more = realloc(x->range, (size_t)room * sizeof *more);
    if (!more)
        return -ENOMEM;
    x->range = more;
    x->room = room;
    return 0;
}

static void extents_move(struct extents *x, int64_t to, int64_t from)
{
    memmove(&x->range[to], &x->range[from], (size_t)(x->n - from) * sizeof *x->range);
    x->n += to - from;
}

int extents_add(struct extents *x, int64_t begin, int64_t end)
{
    int64_t first = extents_find(x, begin), past = first;
    for (; past < x->n && x->range[past].begin <= end; past++) {
        begin = begin < x->range[past].begin ? begin : x->range[past].begin;
        end = end > x->range[past].end ? end : x->range[past].end;
    }
    int rc = past == first ? extents_make_room(x) : 0;
    if (rc)
        return rc;
    if (past != first + 1)
        extents_move(x, first + 1, past);
    x->range[first] = (struct extents_range){begin, end};
    return 0;
}

const struct extents_range *extents_from(const struct extents *x, int64_t offset)
{
    int64_t i = x->n ? extents_find(x, offset) : 0;
    if (i < x->n && x->range[i].end == offset)
        i++;
    return i < x->n ? &x->range[i] : NULL;
}

void extents_cut(struct extents *x, int64_t end)
{
    while (x->n && x->range[x->n - 1].begin >= end)
        x->n--;
    if (x->n && x->range[x->n - 1].end > end)
        x->range[x->n - 1].end = end;
}

int64_t extents_bytes(const struct extents *x)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < x->n; i++)
        sum += x->range[i].end - x->range[i].begin;
    return sum;
}

void extents_free(struct extents *x)
{
    free(x->range);
    *x = (struct extents){0};
}
