/* Calls that a library makes on behalf of the program. A call at an unknown place is
 * looked through: of HDF5 and PnetCDF, and transfers of MPI-IO through a view with
 * gaps. Sooner or later, a call within it has a place. */
#include "iotrace/skeleton/skeleton.h"

#define OFFSET_BITS 60

bool skeleton_is_placed(const struct event *e)
{
    int64_t end;
    return e->class != CLASS_COPY && e->offset >= 0 && !(e->offset >> OFFSET_BITS) &&
           !__builtin_add_overflow(e->offset, e->bytes, &end);
}

bool skeleton_is_through(const struct event *e)
{
    const struct op *op = op_get(e->op);
    if (op_is_of_format(op))
        return true;
    return op->library == LIBRARY_MPI && op_moves((enum trace_class)e->class) &&
           !op->begins && !op->ends && e->bytes >= 0 && !skeleton_is_placed(e);
}

bool skeleton_visits(struct skeleton_depth threads[SKELETON_THREADS],
                     const struct event *e, int *within)
{
    struct skeleton_depth *t = &threads[e->thread % SKELETON_THREADS];
    int level = e->level;
    *within = LIBRARY_NONE;
    if (e->other_end || !op_is_io((enum trace_class)e->class) || level > t->depth ||
        (level && e->start_ns > t->end_ns[level - 1]))
        return false;
    t->depth = level;
    if (level)
        *within = t->library[0];
    if (level == SKELETON_LEVELS || !skeleton_is_through(e))
        return true;
    t->library[level] = op_get(e->op)->library;
    t->end_ns[level] = e->start_ns + e->duration_ns;
    t->depth++;
    return true;
}
