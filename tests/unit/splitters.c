/* ranks: 1 */
/* Choice of the rank that sorts a record: ranges of keys with about equally many
 * records, also if keys are equal; and never a later place before an earlier one of the
 * same key. */
#include "base/rng.h"
#include "outcore/sort/sections.h"
#include "tap.h"

enum { N = 20000, RECORD = 12, AT = 3, KEY = 5, RANKS_MOST = 9 };

static unsigned char records[N * RECORD];

static void make(uint64_t keys)
{
    for (int i = 0; i < N; i++) {
        uint64_t key = rng_below(1, (uint64_t)i, keys);
        for (int k = 0; k < KEY; k++)
            records[i * RECORD + AT + k] = (unsigned char)(key >> 8 * (KEY - 1 - k));
    }
}

/* Chooses as the ranks do together. */
static void choose(struct splitters *s, int ranks)
{
    static const struct sort_order order = {
        .kind = SORT_BYTES, .bytes = RECORD, .key_at = AT, .key_bytes = KEY};
    int64_t samples = splitters_samples(ranks, N), all = samples * ranks;
    splitters_start(s, &order, ranks);
    int64_t each = splitters_sample_bytes(s);
    char *sample = calloc((size_t)all, (size_t)each);
    struct sort_entry *e = calloc((size_t)all, sizeof *e);
    s->splitter = calloc(1, (size_t)splitters_bytes(s) + 1);
    for (int64_t i = 0; i < all; i++) {
        int64_t place = splitters_place(ranks, N, (int)(i / samples), i % samples);
        splitters_sample(s, records + place * RECORD + AT, place, sample + i * each);
    }
    splitters_choose(s, sample, all, e);
    free(e);
    free(sample);
}

static int key_compare(int i, int k)
{
    return memcmp(records + i * RECORD + AT, records + k * RECORD + AT, KEY);
}

/* Comparing every record with the extremes of each rank would be N^2: so it compares
 * with one of each rank and key. */
static void test(uint64_t keys, int ranks)
{
    struct splitters s;
    int count[RANKS_MOST] = {0}, least[RANKS_MOST], most[RANKS_MOST], apart = 1,
        fair = 1;
    make(keys);
    choose(&s, ranks);
    for (int i = 0; i < N; i++) {
        int k = splitters_rank(&s, records + i * RECORD, i);
        if (!count[k]++)
            least[k] = most[k] = i;
        int below = key_compare(i, least[k]), above = key_compare(i, most[k]);
        least[k] = below < 0 ? i : least[k]; /* the first of equal keys */
        most[k] = above >= 0 ? i : most[k];  /* the last of equal keys */
    }
    for (int k = 0; k < ranks; k++) {
        fair = fair && count[k] > N / ranks / 2 && count[k] < 2 * N / ranks;
        if (!k || !count[k] || !count[k - 1])
            continue;
        int order = key_compare(most[k - 1], least[k]);
        apart = apart && (order < 0 || (!order && most[k - 1] < least[k]));
    }
    tap_ok(apart, "%d keys, %d ranks: one's range ends before the next one's",
           (int)keys, ranks);
    tap_ok(fair, "%d keys, %d ranks: about equally many records", (int)keys, ranks);
    free(s.splitter);
}

static void test_places(void)
{
    int64_t before = -1, good = 1;
    int64_t samples = splitters_samples(7, INT64_MAX / 100);
    for (int rank = 0; rank < 7; rank++)
        for (int64_t i = 0; i < samples; i++) {
            int64_t place = splitters_place(7, INT64_MAX / 100, rank, i);
            good = good && place > before && place < INT64_MAX / 100;
            before = place;
        }
    tap_ok(good, "samples are in order of their places, of any number of records");
    tap_ok(splitters_samples(100000, INT64_MAX) == 32 && splitters_samples(3, 5) == 5 &&
               splitters_samples(3, 5000) == 96,
           "32 of each rank for each rank, but not too many");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    for (int ranks = 1; ranks <= RANKS_MOST; ranks += 4) {
        test(UINT64_C(1) << 30, ranks);
        test(3, ranks);
        test(1, ranks);
    }
    test_places();
    return tap_end();
}
