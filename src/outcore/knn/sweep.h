/* The number of queries as the balance of I/O and computing: a list of numbers, and the
 * one from which on a pass takes longer. */
#ifndef OUTCORE_KNN_SWEEP_H
#define OUTCORE_KNN_SWEEP_H

#include <stdint.h>

enum { SWEEP_MOST = 64 };

struct sweep {
    int n; /* 0: no sweep */
    int64_t queries[SWEEP_MOST];
    double s[SWEEP_MOST], MBps[SWEEP_MOST]; /* of the fastest pass with each number;
                                             * 0: none */
};

/* A pass that takes this much longer than that with the fewest queries is no longer
 * limited by the device. */
#define SWEEP_LONGER 1.1

/* Local. Parses "1,2,4..256": ascending numbers; A..B: doubled from A up to B. text
 * NULL: no sweep. Returns 0, or -EINVAL with a sentence. */
int sweep_parse(struct sweep *s, const char *text);

/* Local. Adds the time and rate of a pass with queries[i]. */
void sweep_add(struct sweep *s, int i, double seconds, double MBps);

/* Local. The number of queries from which on all passes take at least SWEEP_LONGER
 * times as long as that with the fewest; linearly interpolated between two of the list.
 * A single slow pass with fewer queries does not count. 0: the pass with the most does
 * not take that long. */
double sweep_crossover(const struct sweep *s);

#endif
