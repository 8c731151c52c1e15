/* ranks: 1 */
/* Numbers by counter, compared with published ones: SplitMix64's own sequence of the
 * seed 1234567, and those that other implementations of our keys must give. */
#include "base/rng.h"
#include "tap.h"

static void test_published(void)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < 5; i++)
        tap_ok(rng_at(1234567, i) == expected[i], "SplitMix64 of 1234567, number %d",
               (int)i);
}

static void test_below(uint64_t seed, uint64_t stream, const uint64_t *expected, int n)
{
    int right = 0;
    for (int i = 0; i < n; i++)
        right += rng_below(rng_key(seed, stream), (uint64_t)i, 1000) == expected[i];
    tap_ok(right == n, "%d numbers below 1000 of seed %d, stream %d", n, (int)seed,
           (int)stream);
}

static void test_keys(void)
{
    static const uint64_t graph[] = {738, 448, 535, 98, 819, 364};
    static const uint64_t vectors[] = {438, 681, 359, 958, 576, 422};
    uint64_t key = rng_key(1, RNG_GRAPH);
    tap_ok(key == UINT64_C(0xdec1469c8d51e97b), "the key of seed 1, stream 1");
    tap_ok(rng_at(key, 0) == UINT64_C(13625505645108458277) &&
               rng_at(key, 1) == UINT64_C(8269527995984263926) &&
               rng_at(key, 2) == UINT64_C(9872765972531663236),
           "and its first three numbers");
    tap_ok(rng_key(42, RNG_VECTORS) == UINT64_C(0x43f7cbd99213b62f),
           "the key of seed 42, stream 3");
    test_below(1, RNG_GRAPH, graph, 6);
    test_below(42, RNG_VECTORS, vectors, 6);
}

static void test_range(void)
{
    int inside = 0, reads[3] = {0};
    double sum = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        double x = rng_real(rng_key(7, RNG_IMAGE), i);
        inside += x >= 0 && x < 1;
        sum += x;
        for (uint64_t seed = 1; seed <= 2; seed++)
            reads[seed] += rng_below(rng_key(seed, RNG_MIXED), i, 100) < 30;
    }
    tap_ok(inside == 1000 && sum > 450 && sum < 550, "real numbers are in [0, 1)");
    tap_ok(reads[1] == 316 && reads[2] == 294, "30 %% of 1000 are %d and %d", reads[1],
           reads[2]);
    tap_ok(rng_below(3, 9, 1) == 0, "below 1 there is 0");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_published();
    test_keys();
    test_range();
    return tap_end();
}
