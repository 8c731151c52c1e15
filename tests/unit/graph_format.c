/* ranks: 1 */
/* The parts of a graph's files: their bytes, sorting, and counts of blocks. */
#include "base/rng.h"
#include "outcore/graph/store.h"
#include "tap.h"

/* ---- bytes ----------------------------------------------------------------------- */

static void check_heads(void)
{
    static const unsigned char numbers[] = {8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0,
                                            0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    unsigned char head[PIF_HEAD], none[PIF_HEAD] = {0};
    memset(head, 0xff, sizeof head);
    format_pif_head(head, 0x0102030405060708, 9, 256);
    tap_ok(!memcmp(head, "LLPIF001", 8) && !memcmp(head + 8, numbers, 24) &&
               !memcmp(head + 32, none, 32),
           "head of PIF");
    memset(head, 0xff, sizeof head);
    format_partition_head(head, 0x0102030405060708, 9);
    tap_ok(!memcmp(head, "LLPART01", 8) && !memcmp(head + 8, numbers, 16) &&
               !memcmp(head + 24, none, 40),
           "head of PARTITION");
    format_csr_head(head, "LLOFFS01", 0x0102030405060708, 9, 256);
    tap_ok(!memcmp(head, "LLOFFS01", 8) && !memcmp(head + 8, numbers, 24) &&
               !memcmp(head + 32, none, 32),
           "head of a file of rows");
    uint64_t number[3];
    tap_ok(format_head(head, "LLOFFS01", number, 3) &&
               number[0] == 0x0102030405060708 && number[1] == 9 && number[2] == 256,
           "and is read");
    tap_ok(!format_head(head, "LLOFFS02", number, 3), "but for another one");
}

static void check_entry(void)
{
    static const unsigned char bytes[PIF_ENTRY] = {64, 0, 0, 0, 0, 0, 0, 0,
                                                   0,  1, 0, 0, 1, 0, 0, 0};
    char made[PIF_ENTRY];
    struct pif_entry e = {64, (UINT64_C(1) << 32) + 256};
    format_put_pif_entry(made, e);
    tap_ok(!memcmp(made, bytes, PIF_ENTRY), "an entry of PIF has these bytes");
    struct pif_entry read = format_pif_entry(bytes);
    tap_ok(read.first == e.first && read.last == e.last, "and is read from them");
}

/* CRCs are those of zlib, over the number of the vertex, the count and the
 * neighbours. */
static void check_chunk(void)
{
    static const unsigned char bytes[CHUNK_HEAD] = {
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 5,    0,    0,    0,
        0,    1,    0,    0,    3,    0,    0,    0,    0x3f, 0xca, 0x66, 0x81};
    uint64_t three[] = {1, 4, 4}, far[] = {(UINT64_C(1) << 48) - 1};
    format_turn(three, 3);
    format_turn(far, 1);
    uint32_t crc = format_crc(4, 3, three);
    tap_ok(crc == 0x8166ca3f && format_crc(UINT64_C(1) << 47, 1, far) == 0x20b735d3 &&
               format_crc(0, 0, NULL) == 0x7bd5c66f,
           "CRC of vertex, count and neighbours");
    struct chunk c = {0x1122334455667788, (UINT64_C(1) << 40) + 5, 3, crc};
    char made[CHUNK_HEAD];
    format_put_chunk(made, &c);
    tap_ok(!memcmp(made, bytes, CHUNK_HEAD), "a chunk's head has these bytes");
    struct chunk read = format_chunk(bytes);
    tap_ok(read.next == c.next && read.vertex == c.vertex && read.count == c.count &&
               read.crc == c.crc,
           "and is read from them");
}

/* ---- sorting --------------------------------------------------------------------- */

enum { MANY = 5000 };

static uint64_t memory[4][MANY];

/* Sorts `n` keys below 2^bits, each with its number. */
static void sort_keys(int64_t n, int bits, bool falling)
{
    struct pairs of = {memory[0], memory[1]}, other = {memory[2], memory[3]};
    uint64_t before[MANY];
    bool sorted = true, stable = true, same = true;
    for (int64_t i = 0; i < n; i++) {
        before[i] = falling ? (uint64_t)(n - i) : rng_at(7, (uint64_t)i) >> (64 - bits);
        of.key[i] = before[i];
        of.value[i] = (uint64_t)i;
    }
    pairs_sort(&of, &other, n);
    for (int64_t i = 0; i < n; i++) {
        same &= of.value[i] < (uint64_t)n && before[of.value[i]] == of.key[i];
        if (i == 0)
            continue;
        sorted &= of.key[i - 1] <= of.key[i];
        stable &= of.key[i - 1] < of.key[i] || of.value[i - 1] < of.value[i];
    }
    tap_ok(sorted && stable && same,
           "%d keys below 2^%d%s: sorted, equal ones in their order, with their values",
           (int)n, bits, falling ? ", falling" : "");
}

static void check_sort(void)
{
    static const int bits[] = {1, 3, 11, 12, 22, 23, 48, 64};
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
        sort_keys(MANY, bits[i], false);
    sort_keys(MANY, 13, true);
    sort_keys(2, 2, true);
    sort_keys(1, 64, false);
    struct pairs of = {memory[0], memory[1]}, other = {memory[2], memory[3]};
    pairs_sort(&of, &other, 0);
    tap_ok(of.key == memory[0] && other.key == memory[2],
           "no pairs stay where they are");
}

/* ---- blocks ---------------------------------------------------------------------- */

static void check_spans(void)
{
    struct spans s = {.block = 256, .end = 1000};
    spans_add(&s, 300, 310);
    tap_ok(s.blocks == 1 && s.bytes == 256, "some bytes of a block move it");
    spans_add(&s, 310, 512);
    tap_ok(s.blocks == 1 && s.bytes == 256, "it moves once");
    spans_add(&s, 511, 513);
    tap_ok(s.blocks == 2 && s.bytes == 512, "and with it the next one, for a byte");
    spans_add(&s, 990, 1000);
    tap_ok(s.blocks == 3 && s.bytes == 512 + 1000 - 768,
           "of the last one what the file has");
    spans_again(&s, 2000);
    spans_add(&s, 0, 1);
    tap_ok(s.blocks == 4 && s.bytes == 1000, "the next pass moves a block again");
    spans_add(&s, 100, 2000);
    tap_ok(s.blocks == 11 && s.bytes == 1000 + 2000 - 256, "many at once");
    const int64_t far = INT64_C(1) << 45;
    spans_again(&s, far + 1000);
    spans_add(&s, far + 255, far + 257);
    tap_ok(s.blocks == 13 && s.bytes == 1000 + 2000 - 256 + 512, "beyond 2^32 bytes");
}

int main(void)
{
    check_heads();
    check_entry();
    check_chunk();
    check_sort();
    check_spans();
    return tap_end();
}
