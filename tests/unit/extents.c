/* Sets of ranges compared with a byte for each place: in random order, one after the
 * other, over existing ranges, and with holes. */
#include "iotrace/findings/inside.h"
#include "tap.h"

#define SPACE 60000
#define FAR ((int64_t)1 << 40) /* place of the model's first byte */

static uint64_t state;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

struct both {
    struct extents *x;
    char model[SPACE];
    bool good;
};

static void both_add(struct both *b, int64_t begin, int64_t n)
{
    int64_t there = 0;
    for (int64_t i = begin; i < begin + n; i++)
        there += b->model[i];
    memset(b->model + begin, 1, (size_t)n);
    b->good &= extents_add(&b->x, FAR + begin, FAR + begin + n) == there;
}

static void both_remove(struct both *b, int64_t begin, int64_t n)
{
    memset(b->model + begin, 0, (size_t)n);
    extents_remove(b->x, FAR + begin, FAR + begin + n);
}

static bool both_meet(const struct both *b, int64_t begin, int64_t n)
{
    bool any = memchr(b->model + begin, 1, (size_t)n) != NULL;
    return extents_meet(b->x, FAR + begin, FAR + begin + n) == any;
}

/* True if both have the same ranges, in order. */
static bool both_same(const struct both *b)
{
    struct extents_walk w = {0};
    int64_t begin, end, at = 0, n = 0;
    for (; extents_walk(b->x, &w, &begin, &end); at = end - FAR, n++)
        if (begin - FAR < at || end <= begin ||
            memchr(b->model + at, 1, (size_t)(begin - FAR - at)) ||
            memchr(b->model + begin - FAR, 0, (size_t)(end - begin)))
            return false;
    return !memchr(b->model + at, 1, (size_t)(SPACE - at)) && extents_count(b->x) == n;
}

/* Adds `most` bytes at once; `removes` of ten steps remove some. */
static void test_random(int most, int removes)
{
    struct both *b = calloc(1, sizeof *b);
    int64_t ranges = 0;
    b->good = true;
    for (int step = 0; step < 40000; step++) {
        int64_t n = 1 + below(most), at = below(SPACE - n);
        if (below(10) < removes)
            both_remove(b, at, n);
        else if (below(4) == 0 && at + 3 * n < SPACE)
            for (int k = 0; k < 3; k++) /* continues where it stopped */
                both_add(b, at + k * n, n);
        else
            both_add(b, at, n);
        b->good &= both_meet(b, below(SPACE - 50), 50);
        ranges = extents_count(b->x) > ranges ? extents_count(b->x) : ranges;
    }
    tap_ok(b->good && both_same(b),
           "40,000 steps of at most %d bytes, %d of 10 take away: up to %lld ranges",
           most, removes, (long long)ranges);
    extents_free(&b->x);
    free(b);
}

/* Adds every other byte, from the front or the back, and then all between them. */
static void test_ordered(bool from_back)
{
    struct both *b = calloc(1, sizeof *b);
    b->good = true;
    for (int i = 0; i < SPACE / 2; i++)
        both_add(b, 2 * (from_back ? SPACE / 2 - 1 - i : i), 1);
    bool many = extents_count(b->x) == SPACE / 2 && both_same(b);
    for (int i = 0; i < SPACE / 2; i++)
        both_add(b, 2 * i + 1, 1);
    tap_ok(b->good && many && extents_count(b->x) == 1 && both_same(b),
           "30,000 ranges from the %s become one", from_back ? "back" : "front");
    both_remove(b, 100, 200);
    tap_ok(extents_count(b->x) == 2 && both_same(b), "a hole makes two of it");
    both_remove(b, 0, SPACE);
    tap_ok(extents_count(b->x) == 0 && both_same(b), "nothing is left");
    extents_free(&b->x);
    free(b);
}

int main(void)
{
    test_random(3, 0);
    test_random(3, 4);
    test_random(40, 3);
    test_random(2000, 6);
    test_ordered(false);
    test_ordered(true);
    return tap_end();
}
