#include "block/order.h"
#include "block/shuffle.h"

int64_t order_block(const struct order *o, int place, int64_t i)
{
    if (!o->random)
        return i;
    return shuffle(i, o->layout.blks, o->seed * 8191 + (uint64_t)place);
}

struct extent order_extent(const struct order *o, int place, int64_t block)
{
    return layout_at(&o->layout, place, 0, block);
}
