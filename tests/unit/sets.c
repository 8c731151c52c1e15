/* ranks: 1 */
/* A stream in sets of operations: their numbers, and every byte in exactly one of them;
 * and the work on sets. */
#include "outcore/aio/flow.h"
#include "outcore/data/consume.h"
#include "tap.h"

static void test_known_answer(void)
{
    struct sets s;
    tap_ok(sets_make(&s, 1000000, 65536, 4) == 0 && s.op_bytes == 16384 &&
               s.ops == 62 && s.sets == 16,
           "1,000,000 bytes in sets of 4 and 64 KiB: 62 operations, 16 sets");
    tap_ok(sets_op(&s, 61).offset == 999424 && sets_op(&s, 61).bytes == 576,
           "the last operation is of 576 bytes");
    tap_ok(sets_count(&s, 14) == 4 && sets_count(&s, 15) == 2 &&
               sets_bytes(&s, 15) == 16384 + 576,
           "the last set has two operations");
}

/* True if operations and sets tile the stream. */
static int tiles(int64_t bytes, int64_t op_bytes, int64_t per_set)
{
    struct sets s;
    int64_t at = 0, in_sets = 0, ops = 0;
    if (sets_make(&s, bytes, op_bytes * per_set, per_set))
        return 0;
    for (int64_t i = 0; i < s.ops; i++) {
        struct sets_op op = sets_op(&s, i);
        if (op.offset != at || op.bytes < 1 || op.bytes > op_bytes)
            return 0;
        at += op.bytes;
    }
    for (int64_t k = 0; k < s.sets; k++) {
        if (sets_first(&s, k) != ops || sets_count(&s, k) < 1)
            return 0;
        ops += sets_count(&s, k);
        in_sets += sets_bytes(&s, k);
    }
    return at == bytes && in_sets == bytes && ops == s.ops;
}

static void test_all_bytes(void)
{
    int good = 1;
    for (int64_t bytes = 1; bytes <= 70; bytes++)
        for (int64_t op = 1; op <= 9; op++)
            for (int64_t n = 1; n <= 5; n++)
                good = good && tiles(bytes, op, n);
    tap_ok(good, "each byte is in one operation of one set, whatever the sizes");
}

static void test_large(void)
{
    struct sets s;
    tap_ok(sets_make(&s, INT64_MAX, INT64_C(1) << 40, 1 << 10) == 0 &&
               s.ops == INT64_C(1) << 33 &&
               sets_op(&s, s.ops - 1).bytes == (1 << 30) - 1,
           "2^63 - 1 bytes are counted");
    tap_ok(sets_make(&s, 100, 65537, 4) < 0 && strstr(err_get()->text, "no multiple"),
           "a set that its operations cannot share equally is refused");
    err_clear();
}

static void test_consume(void)
{
    struct consume c;
    unsigned char data[20], copy[20] = {0};
    for (int i = 0; i < 20; i++)
        data[i] = (unsigned char)(i + 1);
    uint64_t whole = consume_sum(data, 20);
    tap_ok(whole == UINT64_C(0x0807060504030201) + UINT64_C(0x100f0e0d0c0b0a09) +
                        UINT64_C(0x14131211),
           "the checksum is of 64-bit words, the last filled with zeros");
    tap_ok(consume_sum(data, 8) + consume_sum(data + 8, 12) == whole,
           "and the same in parts");
    tap_ok(!consume_parse(&c, "checksum") && consume(&c, data, 20, 20, NULL) == whole,
           "--consume=checksum makes it");
    tap_ok(!consume_parse(&c, "copy") && !consume(&c, data, 20, 20, copy) &&
               !memcmp(data, copy, 20),
           "--consume=copy copies");
    tap_ok(!consume_parse(&c, "sleep:250") && c.sleep_us == 250, "sleep:US is read");
    tap_ok(consume_parse(&c, "sleep:") && consume_parse(&c, "sleep:-1") &&
               consume_parse(&c, "sum"),
           "anything else is refused");
    err_clear();
}

int main(void)
{
    test_known_answer();
    test_all_bytes();
    test_large();
    test_consume();
    return tap_end();
}
