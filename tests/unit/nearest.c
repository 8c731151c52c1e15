/* ranks: 1 */
/* The k nearest of each query, compared with a plain sort: in any order, with distances
 * that are equal, infinite or NaN. */
#include "base/rng.h"
#include "outcore/knn/kernel.h"
#include "tap.h"

enum { N = 1000 };

static int compare(const void *a, const void *b)
{
    return nearest_before(b, a) - nearest_before(a, b);
}

/* Returns one of few values, so that many are equal; some are infinite or NaN. */
static float distance(uint64_t i)
{
    uint64_t x = rng_below(5, i, 40);
    return x == 0 ? NAN : x == 1 ? INFINITY : (float)x * 0.25F;
}

static int sorted(struct neighbour *to)
{
    int n = 0;
    for (uint64_t i = 0; i < N; i++)
        if (!isnan(distance(i)))
            to[n++] = (struct neighbour){distance(i), i};
    qsort(to, (size_t)n, sizeof *to, compare);
    return n;
}

static int same(const struct neighbour *a, const struct neighbour *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (a[i].id != b[i].id || !(a[i].d2 >= b[i].d2 && a[i].d2 <= b[i].d2))
            return 0;
    return 1;
}

/* Offers numbers from..end-1, in pieces, to query 1 of two. */
static void offer(struct nearest *n, uint64_t from, uint64_t end)
{
    float d2[7];
    for (uint64_t i = from; i < end; i += 7) {
        int64_t count = end - i < 7 ? (int64_t)(end - i) : 7;
        for (int64_t j = 0; j < count; j++)
            d2[j] = distance(i + (uint64_t)j);
        nearest_offer(n, 0, d2, count, i);
        nearest_offer(n, 1, d2, count, i);
    }
}

static void test_lists(int64_t k)
{
    static struct neighbour all[N], room[N];
    struct nearest one, other;
    int n = sorted(all);
    if (nearest_open(&one, 3, k) || nearest_open(&other, 2, k))
        exit(1);
    nearest_begin(&one, 2);
    nearest_begin(&other, 2);
    offer(&one, 0, N);
    nearest_sort(&one);
    tap_ok(same(one.list + k, all, k < n ? k : n), "the %d nearest of %d", (int)k, n);
    tap_ok(one.nans == N - n, "%d were NaN, counted once", N - n);
    tap_ok(k <= n || one.list[2 * k - 1].id == NEAREST_NONE,
           "nothing stands where there are too few");
    nearest_begin(&one, 2);
    offer(&one, 0, 333);
    offer(&other, 333, N);
    nearest_sort(&one);
    nearest_sort(&other);
    nearest_merge(one.list + k, other.list + k, k, room);
    tap_ok(same(other.list + k, all, k < n ? k : n), "of two parts, merged");
    nearest_close(&one);
    nearest_close(&other);
}

/* Tests the limits of distances: nothing is below zero, and infinity makes room for any
 * other. */
static void test_limits(void)
{
    struct nearest n;
    const float zeros[] = {0, 0, 0}, large[] = {INFINITY, 3e38F, INFINITY};
    if (nearest_open(&n, 1, 1))
        exit(1);
    nearest_begin(&n, 1);
    nearest_offer(&n, 0, zeros, 3, 7);
    tap_ok(n.list[0].id == 7 && n.limit[0] < 0, "of equal ones the lowest number");
    nearest_begin(&n, 1);
    nearest_offer(&n, 0, large, 1, 0);
    tap_ok(n.list[0].id == 0, "infinitely far is a neighbour where there is no other");
    nearest_offer(&n, 0, large, 3, 1);
    tap_ok(n.list[0].id == 2, "and makes room for one that is not");
    nearest_close(&n);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_lists(1);
    test_lists(10);
    test_lists(999);
    test_limits();
    return tap_end();
}
