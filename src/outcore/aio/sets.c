/* Divides a stream into operations, and these into sets. Arithmetic only. */
#include "base/err.h"
#include "base/units.h"
#include "outcore/aio/flow.h"

int sets_make(struct sets *s, int64_t bytes, int64_t set_bytes, int64_t per_set)
{
    if (set_bytes % per_set)
        return err_usage("--set-bytes=%lld is no multiple of --set=%lld: the "
                         "operations of a set are equally large",
                         (long long)set_bytes, (long long)per_set);
    *s = (struct sets){
        .bytes = bytes, .op_bytes = set_bytes / per_set, .per_set = per_set};
    s->ops = units_div_up(bytes, s->op_bytes);
    s->sets = units_div_up(s->ops, per_set);
    return 0;
}

struct sets_op sets_op(const struct sets *s, int64_t i)
{
    struct sets_op op = {.offset = i * s->op_bytes, .bytes = s->op_bytes};
    if (op.bytes > s->bytes - op.offset)
        op.bytes = s->bytes - op.offset;
    return op;
}

int64_t sets_first(const struct sets *s, int64_t k)
{
    return k * s->per_set;
}

int64_t sets_count(const struct sets *s, int64_t k)
{
    int64_t left = s->ops - sets_first(s, k);
    return left < s->per_set ? left : s->per_set;
}

int64_t sets_bytes(const struct sets *s, int64_t k)
{
    struct sets_op last = sets_op(s, sets_first(s, k) + sets_count(s, k) - 1);
    return last.offset + last.bytes - sets_first(s, k) * s->op_bytes;
}
