/* ranks: 1 */
/* Vectors from a seed: known ones (of an implementation in Python's integers), and the
 * same ones however they are made in parts. */
#include "base/rng.h"
#include "outcore/data/records.h"
#include "tap.h"

enum { N = 100000, DIM = 32 };

static int are(const float *x, const double *bits24, int n)
{
    for (int i = 0; i < n; i++)
        if ((double)x[i] * 0x1p24 != bits24[i])
            return 0;
    return 1;
}

static void test_known(const float *x)
{
    static const double first[] = {5856054, 12094088, 169752, 15646960},
                        last[] = {7831683, 15538804, 5152939},
                        query[] = {10630307, 7800161, 9991990, 15478626};
    float q[4];
    double sum = 0;
    for (int64_t i = 0; i < (int64_t)N * DIM; i++)
        sum += (double)x[i] * 0x1p24;
    vectors_make(rng_key(1, RNG_QUERIES), 4, 0, 1, q);
    tap_ok(are(x, first, 4), "seed 1: the first vector begins with %.9f %.9f",
           (double)x[0], (double)x[1]);
    tap_ok(are(x + (int64_t)N * DIM - 3, last, 3), "the last one's end");
    tap_ok(sum == 26837391798466.0, "the sum of %d vectors of %d", N, DIM);
    tap_ok(are(q, query, 4), "queries are of a stream of their own");
}

static void test_parts(const float *x)
{
    enum { PARTS = 7, ROWS = 1000 };
    static float y[ROWS * DIM];
    for (int64_t p = 0; p < PARTS; p++) {
        int64_t first = ROWS * p / PARTS, end = ROWS * (p + 1) / PARTS;
        vectors_make(rng_key(1, RNG_VECTORS), DIM, 90000 + first, end - first,
                     y + first * DIM);
    }
    tap_ok(!memcmp(x + 90000 * DIM, y, sizeof y), "made in %d parts: the same",
           (int)PARTS);
    vectors_make(rng_key(1, RNG_VECTORS), DIM / 2, 180000, 2 * ROWS, y);
    tap_ok(!memcmp(x + 90000 * DIM, y, sizeof y),
           "half the dimension is the same numbers");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    float *x = malloc(sizeof *x * N * DIM);
    if (!x)
        return 1;
    vectors_make(rng_key(1, RNG_VECTORS), DIM, 0, N, x);
    test_known(x);
    test_parts(x);
    free(x);
    return tap_end();
}
