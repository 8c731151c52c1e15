/* Walks through a step's places, one after the other. */
#include "replay/replay.h"
#include <string.h>

void replay_extents_begin(struct replay_extents *x, const struct skeleton_step *t,
                          int64_t rank)
{
    memset(x, 0, sizeof *x);
    x->plan = skeleton_plan_of(t, rank);
    x->at = -1;
    if (x->plan) {
        x->place = skeleton_place(&x->plan->of, rank);
        x->walk.of = &x->plan->order;
    }
}

/* Goes to the next descriptor: the one that the order names or, without an order, the
 * same one until it has repeated often enough. */
static bool next_descriptor(struct replay_extents *x)
{
    const struct skeleton_plan *p = x->plan;
    if (p->listed && !sequence_next(&x->walk, &x->at))
        return false;
    if (!p->listed && x->times == 0) {
        if (++x->at >= p->ds)
            return false;
        x->times = p->d[x->at].repeats;
    }
    x->times -= !p->listed;
    x->is = ldad_plan_rank(&p->d[x->at].plan, x->place);
    x->chunk = 0;
    x->chunks = ldad_chunks(&x->is);
    return true;
}

bool replay_extents_next(struct replay_extents *x, int64_t *offset, int64_t *bytes)
{
    if (!x->plan || (x->chunk == x->chunks && !next_descriptor(x)))
        return false;
    *offset = ldad_chunk(&x->is, x->chunk++);
    *bytes = x->is.size;
    return true;
}
