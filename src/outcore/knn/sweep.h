/* The number of queries as the knob between I/O and computing: a list of them, and
 * where a pass begins to take longer. */
#ifndef OUTCORE_KNN_SWEEP_H
#define OUTCORE_KNN_SWEEP_H

#include <stdint.h>

enum { SWEEP_MOST = 64 };

struct sweep {
    int n; /* 0: there is none */
    int64_t queries[SWEEP_MOST];
    double s[SWEEP_MOST], MBps[SWEEP_MOST]; /* of the fastest pass with each; 0: none */
};

/* A pass takes so much longer than that of the fewest queries: it is no longer the
 * device that it waits for. */
#define SWEEP_LONGER 1.1

/* Local. "1,2,4..256": numbers that rise; A..B: twice as many from A on, up to B. text
 * NULL: none. 0, or -EINVAL with a sentence. */
int sweep_parse(struct sweep *s, const char *text);

/* Local. A pass with queries[i] has taken so long, and has read at such a rate. */
void sweep_add(struct sweep *s, int i, double seconds, double MBps);

/* Local. The number of queries from which on all passes take SWEEP_LONGER times as long
 * as with the fewest, or longer; between two of the list by a straight line. A single
 * slow pass with fewer queries does not count. 0: that of the most does not. */
double sweep_crossover(const struct sweep *s);

#endif
