#include "block/content.h"
#include "base/draw/shuffle.h"
#include "base/rng.h"

enum { GROUP = 100, TRIES = 64 };

static uint64_t key_of(const struct order *o, int place)
{
    return rng_mix(~o->mixed_key + (uint64_t)place);
}

/* True for `dedupe` of every GROUP numbers. */
static bool is_copy(const struct content *c, uint64_t key, int64_t i)
{
    return i && shuffle(i % GROUP, GROUP, key + (uint64_t)(i / GROUP)) < c->dedupe;
}

int64_t content_source(const struct content *c, const struct order *o, int place,
                       int64_t i)
{
    if (!c->dedupe)
        return i;
    uint64_t key = key_of(o, place);
    if (!is_copy(c, key, i))
        return i;
    for (uint64_t t = 0; t < TRIES; t++) {
        int64_t of = (int64_t)rng_below(rng_at(key, (uint64_t)i), t, (uint64_t)i);
        if (!is_copy(c, key, of))
            return of;
    }
    return 0;
}
