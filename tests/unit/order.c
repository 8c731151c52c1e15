/* ranks: 1 */
/* The order of records, compared with qsort(3) and a comparison that follows the
 * definition, and with known answers for generated records. */
#include "sort/order.h"
#include "base/rng.h"
#include "tap.h"

enum { MOST = 20000, RECORD = 40 };

static struct sort_entry entry[MOST];
static char records[MOST * RECORD], sorted[MOST * RECORD];
static const struct sort_order *by;

/* Compares by the definition of totalOrder, for numbers that differ. */
static int compare_floats(float x, float y)
{
    int a = signbit(x) ? -1 : 1, b = signbit(y) ? -1 : 1;
    uint32_t p, q;
    memcpy(&p, &x, 4);
    memcpy(&q, &y, 4);
    if (p == q)
        return 0;
    if (a != b)
        return a;
    if (isnan(x) || isnan(y))
        return p > q ? a : -a;
    return x < y ? -1 : 1;
}

static int compare_keys(const char *a, const char *b)
{
    if (by->kind == SORT_BYTES)
        return memcmp(a + by->key_at, b + by->key_at, (size_t)by->key_bytes);
    for (int64_t i = 0; i < by->key_bytes; i += 4) {
        float x, y;
        memcpy(&x, a + by->key_at + i, 4);
        memcpy(&y, b + by->key_at + i, 4);
        int differ = compare_floats(x, y);
        if (differ)
            return differ;
    }
    return 0;
}

static int compare_places(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    int differ = compare_keys(records + x * by->bytes, records + y * by->bytes);
    return differ ? differ : x < y ? -1 : 1;
}

static bool as_qsort(int64_t n)
{
    static int64_t place[MOST];
    bool same = true;
    for (int64_t i = 0; i < n; i++)
        place[i] = i;
    qsort(place, (size_t)n, sizeof *place, compare_places);
    for (int64_t i = 0; i < n; i++)
        same = same && place[i] == entry[i].place &&
               !memcmp(sorted + i * by->bytes, records + place[i] * by->bytes,
                       (size_t)by->bytes);
    return same;
}

/* Fills with few values, so that many keys have long equal prefixes. */
static void fill(int64_t n, uint64_t values)
{
    for (int64_t i = 0; i < n * by->bytes; i++)
        records[i] = (char)(rng_below(42, (uint64_t)i, values) * (255 / (values - 1)));
}

static void test_sizes(const char *what, const struct sort_order *o, uint64_t values)
{
    static const int64_t sizes[] = {0, 1, 2, 24, 25, 1000, MOST};
    int right = 0;
    by = o;
    for (int k = 0; k < 7; k++) {
        fill(sizes[k], values);
        sort_index(o, records, sizes[k], entry);
        sort_gather(o, records, entry, sizes[k], sizes[k], sorted);
        right += as_qsort(sizes[k]);
    }
    tap_ok(right == 7, "%s: as qsort(3) does it, up to %d", what, MOST);
}

static void test_special_floats(void)
{
    static const struct sort_order o = {
        .kind = SORT_FLOATS, .bytes = 4, .key_at = 0, .key_bytes = 4};
    static const uint32_t rising[] = {0xffffffff, 0xff800001, 0xff800000, 0xff7fffff,
                                      0xbf800000, 0x80000001, 0x80000000, 0x00000000,
                                      0x00000001, 0x3f800000, 0x7f7fffff, 0x7f800000,
                                      0x7f800001, 0x7fffffff};
    int wrong = 0;
    for (int i = 0; i < 14; i++)
        for (int k = 0; k < 14; k++) {
            int found = sort_compare(&o, &rising[i], &rising[k]);
            wrong += found != (i > k) - (i < k);
        }
    tap_ok(!wrong, "-NaN < -inf < -1 < -0 < 0 < 1 < inf < NaN");
}

static void test_stable(void)
{
    static const struct sort_order o = {
        .kind = SORT_BYTES, .bytes = RECORD, .key_at = 8, .key_bytes = 16};
    int64_t in_order = 0;
    memset(records, 7, sizeof records);
    sort_index(&o, records, MOST, entry);
    for (int64_t i = 0; i < MOST; i++)
        in_order += entry[i].place == i;
    tap_ok(in_order == MOST, "equal keys stay in their order");
    for (int64_t i = 0; i < MOST; i++)
        records[i * RECORD + 23] = (char)(i % 2);
    sort_index(&o, records, MOST, entry);
    tap_ok(entry[0].place == 0 && entry[1].place == 2 && entry[MOST / 2].place == 1,
           "and so they do where the last byte of a key differs");
}

int main(int argc, char **argv)
{
    static const struct sort_order ten = {
        .kind = SORT_BYTES, .bytes = 20, .key_at = 3, .key_bytes = 10};
    static const struct sort_order long_key = {
        .kind = SORT_BYTES, .bytes = RECORD, .key_at = 0, .key_bytes = RECORD};
    static const struct sort_order short_key = {
        .kind = SORT_BYTES, .bytes = 9, .key_at = 4, .key_bytes = 1};
    static const struct sort_order floats = {
        .kind = SORT_FLOATS, .bytes = RECORD, .key_at = 0, .key_bytes = RECORD};
    static const struct sort_order odd = {
        .kind = SORT_FLOATS, .bytes = 24, .key_at = 4, .key_bytes = 12};
    tap_start(&argc, &argv, 0);
    test_sizes("10 bytes in the middle", &ten, 256);
    test_sizes("40 bytes of two values", &long_key, 2);
    test_sizes("one byte", &short_key, 3);
    test_sizes("10 numbers", &floats, 256);
    test_sizes("10 numbers of few values", &floats, 2);
    test_sizes("3 numbers in the middle", &odd, 4);
    test_special_floats();
    test_stable();
    return tap_end();
}
