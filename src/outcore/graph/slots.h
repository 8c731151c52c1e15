/* The number of slots of outcore graph's streams. */
#ifndef OUTCORE_GRAPH_SLOTS_H
#define OUTCORE_GRAPH_SLOTS_H

#include "run/run.h"

/* Local. Two, if one of them can be in flight while the other one is filled. */
static inline int graph_slots(const struct run *r)
{
    return r->queues ? 2 : 1;
}

#endif
