/* ranks: 1 */
/* Nothing is lost when slots grow longer, and each transfer is in the slot of its
 * end. */
#include "report/phase.h"
#include "tap.h"

static struct series s;
static const int64_t first_ns = (int64_t)1 << SERIES_SHIFT;

static int64_t total(const struct series *x)
{
    int64_t sum = 0;
    for (int i = 0; i < SERIES_SLOTS; i++)
        sum += x->slot[i].bytes;
    return sum;
}

static bool is(int i, int64_t bytes, int64_t calls, int64_t longest_ns)
{
    const struct series_slot *x = &s.slot[i];
    return x->bytes == bytes && x->calls == calls && x->longest_ns == longest_ns;
}

static void check_places(void)
{
    series_clear(&s);
    tap_ok(s.shift == SERIES_SHIFT && total(&s) == 0, "a series begins with nothing");
    series_add(&s, 0, 1, 5);
    series_add(&s, first_ns - 1, 2, 3);
    series_add(&s, first_ns, 4, 7);
    series_add(&s, -first_ns, 8, 2);
    series_add(&s, SERIES_SLOTS * first_ns - 1, 16, 9);
    tap_ok(is(0, 11, 3, 5), "what ended before the begin is in the first slot");
    tap_ok(is(1, 4, 1, 7), "the next slot begins where one ends");
    tap_ok(is(SERIES_SLOTS - 1, 16, 1, 9) && s.shift == SERIES_SHIFT,
           "the last slot is used");
}

static void check_growth(void)
{
    series_add(&s, SERIES_SLOTS * first_ns, 32, 1);
    tap_ok(s.shift == SERIES_SHIFT + 1, "one more, and slots are twice as long");
    tap_ok(is(0, 15, 4, 7) && is(SERIES_SLOTS / 2 - 1, 16, 1, 9) &&
               is(SERIES_SLOTS / 2, 32, 1, 1) && is(SERIES_SLOTS / 2 + 1, 0, 0, 0),
           "two slots are one, with the longer of the longest");
    series_add(&s, INT64_MAX, 64, 1);
    tap_ok(total(&s) == 127 && s.slot[SERIES_SLOTS - 1].bytes == 64,
           "the end of time is in the last slot, and nothing is lost");
}

static void check_same(void)
{
    static struct series fine, coarse;
    series_clear(&coarse);
    series_grow(&coarse, 0, SERIES_SHIFT + 5);
    series_clear(&fine);
    for (int i = 0; i < 5000; i++) {
        int64_t at = (int64_t)(i * 2654435761u % 1000) * first_ns;
        series_add(&fine, at, i, i);
        series_add(&coarse, at, i, i);
    }
    series_grow(&fine, 0, coarse.shift);
    tap_ok(!memcmp(&fine, &coarse, sizeof fine),
           "slots that grew are those that were long from the begin");
}

static void check_join(void)
{
    static struct series late;
    series_clear(&s);
    series_clear(&late);
    series_add(&s, 3 * first_ns, 1, 1);
    series_add(&late, first_ns, 2, 8);
    series_join(&s, &late, 2 * first_ns);
    tap_ok(is(3, 3, 2, 8), "what began later is joined where it was");
    series_join(&s, &late, -5 * first_ns);
    tap_ok(is(0, 2, 1, 8), "what began earlier in the first slot");
    series_grow(&late, 0, SERIES_SHIFT + 3);
    series_join(&s, &late, 0);
    tap_ok(s.shift == SERIES_SHIFT + 3 && total(&s) == 7,
           "of two lengths the longer one is taken");
    series_join(&s, &late, SERIES_SLOTS * 16 * first_ns);
    tap_ok(s.shift == SERIES_SHIFT + 5 && total(&s) == 9,
           "and a longer one where neither reaches");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    check_places();
    check_growth();
    check_same();
    check_join();
    return tap_end();
}
