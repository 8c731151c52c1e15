#include "iotrace/read/access.h"

static enum access_kind kind_of_access(struct access *a, struct access_count *n,
                                       int64_t offset)
{
    int64_t jump = offset - a->at;
    bool again = a->jumped && jump == a->jump;
    if (!a->begun || offset == a->end)
        return ACCESS_SEQUENTIAL;
    a->jump = jump;
    if (again && a->counted_random) { /* now the kind of the last jump is known */
        n->calls[ACCESS_RANDOM]--;
        n->bytes[ACCESS_RANDOM] -= a->bytes;
        n->calls[ACCESS_STRIDED]++;
        log_sum(&n->bytes[ACCESS_STRIDED], a->bytes);
    }
    return again ? ACCESS_STRIDED : ACCESS_RANDOM;
}

void access_count(struct access *a, struct access_count *n, int64_t offset,
                  int64_t bytes)
{
    enum access_kind kind = ACCESS_UNKNOWN;
    if (offset >= 0) {
        kind = kind_of_access(a, n, offset);
        a->jumped = kind != ACCESS_SEQUENTIAL;
        a->counted_random = kind == ACCESS_RANDOM;
        a->at = offset;
        if (__builtin_add_overflow(offset, bytes, &a->end))
            a->end = offset;
        a->bytes = bytes;
        a->begun = true;
    }
    n->calls[kind]++;
    log_sum(&n->bytes[kind], bytes);
}

bool told_by(struct told *t, const struct event *e)
{
    bool *told = &t->lane[e->thread % 256];
    bool moves = op_moves((enum trace_class)e->class);
    if (e->level > 0)
        return moves && e->offset >= 0 && !*told;
    *told = !moves || e->offset >= 0;
    return moves && e->offset >= 0;
}
