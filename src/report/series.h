/* Transfers over time, by their ends, in slots of equal length. When all slots are used
 * up, the length doubles and two become one, so that memory is constant, whatever the
 * length of the run: 6 KiB. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include <stdint.h>

#define SERIES_SLOTS 256
#define SERIES_SHIFT 20 /* a slot is 2^20 ns at first: 1.05 ms */

struct series_slot {
    int64_t bytes, calls, longest_ns;
};

struct series {
    int shift; /* a slot is 2^shift ns */
    struct series_slot slot[SERIES_SLOTS];
};

/* Local. Empties the series. */
void series_clear(struct series *s);

/* Local. Doubles the slots' length until `ns` lies in one of them, and shift is at
 * least `shift`. */
void series_grow(struct series *s, int64_t ns, int shift);

/* Local. Adds a transfer that ended at_ns after the beginning (before it: in the
 * first slot). */
static inline void series_add(struct series *s, int64_t at_ns, int64_t bytes,
                              int64_t latency_ns)
{
    int64_t i = at_ns > 0 ? at_ns >> s->shift : 0;
    if (i >= SERIES_SLOTS) {
        series_grow(s, at_ns, 0);
        i = at_ns >> s->shift;
    }
    struct series_slot *slot = &s->slot[i];
    slot->bytes += bytes;
    slot->calls++;
    if (latency_ns > slot->longest_ns)
        slot->longest_ns = latency_ns;
}

/* Local. Adds another series, which began `later_ns` after this one. Both grow
 * as necessary. */
void series_join(struct series *s, const struct series *other, int64_t later_ns);

#endif
