#include "report/series.h"
#include <string.h>

void series_clear(struct series *s)
{
    memset(s, 0, sizeof *s);
    s->shift = SERIES_SHIFT;
}

static void join_slot(struct series_slot *to, const struct series_slot *from)
{
    to->bytes += from->bytes;
    to->calls += from->calls;
    if (from->longest_ns > to->longest_ns)
        to->longest_ns = from->longest_ns;
}

static void double_length(struct series *s)
{
    for (int i = 0; i < SERIES_SLOTS / 2; i++) {
        struct series_slot pair = s->slot[2 * i];
        join_slot(&pair, &s->slot[2 * i + 1]);
        s->slot[i] = pair;
    }
    memset(s->slot + SERIES_SLOTS / 2, 0, sizeof s->slot / 2);
    s->shift++;
}

void series_grow(struct series *s, int64_t ns, int shift)
{
    while (s->shift < shift || ns >> s->shift >= SERIES_SLOTS)
        double_length(s);
}

void series_join(struct series *s, const struct series *other, int64_t later_ns)
{
    series_grow(s, 0, other->shift);
    for (int i = 0; i < SERIES_SLOTS; i++) {
        int64_t at_ns = ((int64_t)i << other->shift) + later_ns;
        if (!other->slot[i].calls)
            continue;
        at_ns = at_ns > 0 ? at_ns : 0;
        series_grow(s, at_ns, 0);
        join_slot(&s->slot[at_ns >> s->shift], &other->slot[i]);
    }
}
