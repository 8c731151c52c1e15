/* ranks: 1 */
/* Records for sorting, and the CRC-32 that sums them up, compared with another
 * implementation of the same definition (and zlib over its records). */
#include "outcore/data/records.h"
#include "base/format/crc.h"
#include "base/rng.h"
#include "tap.h"

enum { N = 10000 };

static unsigned char all[N * RECORDS_BYTES], parts[N * RECORDS_BYTES];

static int64_t place(int64_t i)
{
    return i * RECORDS_BYTES;
}

static void make(const struct records *r)
{
    records_make(r, 0, N, all);
    records_make(r, 4000, N - 4000, parts + 4000 * RECORDS_BYTES);
    records_make(r, 0, 1, parts);
    records_make(r, 1, 3999, parts + RECORDS_BYTES);
}

static void test_known(bool ascii, uint64_t sum, uint32_t whole, const char *key)
{
    struct records r = {.key = rng_key(1, RNG_RECORDS), .ascii = ascii};
    const char *kind = ascii ? "ascii" : "binary";
    uint64_t crcs = 0;
    records_prepare(&r);
    make(&r);
    for (int i = 0; i < N; i++)
        crcs += crc_of(all + place(i), RECORDS_BYTES);
    tap_ok(crcs == sum, "%s records: the sum of their CRC-32", kind);
    tap_ok(crc_of(all, sizeof all) == whole, "%s records: the CRC of all", kind);
    tap_ok(!memcmp(all, key, RECORDS_KEY_BYTES), "%s records: the first key", kind);
    tap_ok(!memcmp(all, parts, sizeof all), "%s records: the same in parts", kind);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, RECORDS_BYTES);
}

/* Counts records with the key of record i / 2, and those that repeat one. */
static void test_duplicates(void)
{
    struct records r = {.key = rng_key(1, RNG_RECORDS), .duplicates = 0.3};
    int halves = 0, repeated = 0;
    records_prepare(&r);
    make(&r);
    for (int i = 1; i < N; i++)
        halves += !memcmp(all + place(i), all + place(i / 2), RECORDS_KEY_BYTES);
    qsort(all, N, RECORDS_BYTES, by_bytes);
    for (int i = 1; i < N; i++)
        repeated += !memcmp(all + place(i), all + place(i - 1), RECORDS_KEY_BYTES);
    tap_ok(halves > 2800 && halves < 3200, "duplicates=0.3: %d of %d keys", halves, N);
    tap_ok(repeated == halves, "each of them repeats a key (%d)", repeated);
    r.duplicates = 1;
    make(&r);
    for (int i = 1, same = 0; i < N; i++) {
        same += !memcmp(all, all + place(i), RECORDS_KEY_BYTES);
        if (i == N - 1)
            tap_ok(same == i, "duplicates=1: there is one key");
    }
}

static void test_skew(void)
{
    struct records r = {.key = rng_key(1, RNG_RECORDS), .skew = 1};
    int first = 0, second = 0;
    records_prepare(&r);
    make(&r);
    for (int i = 0; i < N; i++) {
        const unsigned char *key = all + place(i);
        first += !key[0] && !key[1];
        second += !key[0] && key[1] == 1;
    }
    /* 1 / H(65536) = 0.0857 */
    tap_ok(first > 770 && first < 945, "skew=1: %d prefixes are the first one", first);
    tap_ok(second > 370 && second < 490, "and %d the second one", second);
    tap_ok(!memcmp(all, parts, sizeof all), "the same in parts");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_ok(crc_of("123456789", 9) == 0xcbf43926, "the CRC-32 of 123456789");
    test_known(false, 0x1373aedc2652, 0x819d2268,
               "\xd2\xf6\xd0\x47\x0b\xe1\xa7\xb1\xe5\xea");
    test_known(true, 0x139b692cd5a9, 0xa50912e7, "n;=C)u>F2O");
    test_duplicates();
    test_skew();
    return tap_end();
}
