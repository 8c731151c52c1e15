/* ranks: 1; mpi: any */
/* Existing blocks are dealt to workers: each once, evenly. */
#include "block/order.h"
#include "tap.h"

static int deals_each_once(const struct deal *d)
{
    char *seen = calloc((size_t)d->blocks, 1);
    int whole = seen != NULL;
    int64_t all = 0;
    for (int w = 0; w < d->workers && whole; w++) {
        int64_t n = deal_count(d, w);
        all += n;
        whole = n >= d->blocks / d->workers && n <= d->blocks / d->workers + 1;
        for (int64_t i = 0; i < n && whole; i++) {
            int64_t at = deal_block(d, w, i);
            whole = at >= 0 && at < d->blocks && !seen[at] &&
                    (!i || at > deal_block(d, w, i - 1));
            if (whole)
                seen[at] = 1;
        }
    }
    free(seen);
    return whole && all == d->blocks;
}

static int in_a_row(const struct deal *d)
{
    int64_t next = 0;
    for (int w = 0; w < d->workers; w++)
        for (int64_t i = 0; i < deal_count(d, w); i++)
            if (deal_block(d, w, i) != next++)
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    static const int64_t sizes[] = {1, 2, 3, 7, 12, 100, 8192};
    int once = 1, row = 1;
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int workers = 1; workers < 14; workers++) {
            struct deal d = {.blocks = sizes[k], .workers = workers};
            once &= deals_each_once(&d);
            row &= in_a_row(&d);
            d.interleaved = true;
            once &= deals_each_once(&d);
        }
    tap_ok(once, "each block comes once, in order, and no worker has two more");
    tap_ok(row, "segments follow each other");
    struct deal large = {.blocks = INT64_MAX - 3, .workers = INT32_MAX};
    int64_t n = deal_count(&large, INT32_MAX - 1);
    tap_ok(deal_block(&large, INT32_MAX - 1, n - 1) == INT64_MAX - 4,
           "2^63 blocks are no overflow");
    large.interleaved = true;
    tap_ok(deal_block(&large, INT32_MAX - 1, n - 1) < large.blocks, "interleaved, too");
    return tap_end();
}
