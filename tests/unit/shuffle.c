/* ranks: 1 */
/* The permutation behind random transfers: every block exactly once, and not in the
 * original order. */
#include "base/draw.h"
#include "tap.h"

/* Visits 0 .. n - 1; true if every number came once. `moved` counts those that changed
 * place. */
static int visit(int64_t n, uint64_t key, int64_t *moved)
{
    char *seen = calloc((size_t)n, 1);
    int whole = seen != NULL;
    *moved = 0;
    for (int64_t i = 0; i < n && whole; i++) {
        int64_t at = shuffle(i, n, key);
        whole = at >= 0 && at < n && !seen[at];
        if (whole)
            seen[at] = 1;
        *moved += at != i;
    }
    free(seen);
    return whole;
}

static void test_permutation(void)
{
    static const int64_t sizes[] = {1,  2,   3,    4,    5,    16,
                                    17, 100, 1023, 1024, 1025, 65537};
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        int64_t n = sizes[k], moved;
        tap_ok(visit(n, 42, &moved), "%lld blocks are each visited once", (long long)n);
        if (n >= 100)
            tap_ok(moved > n * 9 / 10, "and few of %lld keep their place",
                   (long long)n);
    }
}

static void test_key(void)
{
    int differ = 0, again = 0;
    for (int64_t i = 0; i < 1000; i++) {
        differ += shuffle(i, 1000, 1) != shuffle(i, 1000, 2);
        again += shuffle(i, 1000, 1) == shuffle(i, 1000, 1);
    }
    tap_ok(differ > 900, "another key gives another order");
    tap_ok(again == 1000, "the same key gives the same order");
}

static void test_large(void)
{
    int64_t n = INT64_C(1) << 40;
    tap_ok(shuffle(n - 1, n, 7) >= 0 && shuffle(n - 1, n, 7) < n,
           "2^40 blocks stay in range");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_permutation();
    test_key();
    test_large();
    return tap_end();
}
