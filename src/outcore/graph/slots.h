/* Slots of the streams of outcore graph. */
#ifndef OUTCORE_GRAPH_SLOTS_H
#define OUTCORE_GRAPH_SLOTS_H

#include "run/run.h"

/* Local. Two, where one of them can be in flight while the other one is filled. */
static inline int graph_slots(const struct run *r)
{
    return r->queues ? 2 : 1;
}

#endif
