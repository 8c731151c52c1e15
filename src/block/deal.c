#include "block/deal.h"

int64_t deal_count(const struct deal *d, int worker)
{
    return d->blocks / d->workers + (worker < d->blocks % d->workers);
}

int64_t deal_block(const struct deal *d, int worker, int64_t i)
{
    int64_t each = d->blocks / d->workers, rest = d->blocks % d->workers;
    if (d->interleaved)
        return i * d->workers + worker;
    return worker * each + (worker < rest ? worker : rest) + i;
}
