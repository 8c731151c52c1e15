/* Stamped data: incompressible, different for every different identity, and a wrong
 * byte is found and explained. */
#include "tap.h"

#include "base/buf.h"
#include "base/stamp.h"

#define SIZE (5 * 4096 + 1237)

static const struct stamp here = {.seed = 42, .version = 1, .rank = 3, .mat = 7};
static unsigned char block[SIZE], other[SIZE];

static void test_round_trip(void)
{
    static const int64_t sizes[] = {0, 1, 7, 8, 9, 40, 4095, 4096, 4097, SIZE};
    static const int64_t starts[] = {0, 8, 32, 40, 4088, 4096, 123456};
    int bad = 0, beyond = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof starts / sizeof *starts; j++) {
            memset(block, 0xee, sizeof block);
            stamp_fill(block, starts[j], sizes[i], &here);
            bad += stamp_check(block, starts[j], sizes[i], &here, NULL, 0) != -1;
            beyond += sizes[i] < SIZE && block[sizes[i]] != 0xee;
        }
    tap_ok(bad == 0, "what is filled is accepted, whatever size and start");
    tap_ok(beyond == 0, "nothing is written past the end");
}

/* A block filled in pieces of any size is the block filled at once. */
static void test_pieces(void)
{
    int64_t at = 0, n;

    stamp_fill(block, 0, SIZE, &here);
    for (srand(1); at < SIZE; at += n) {
        n = 8 * (1 + rand() % 700);
        n = n < SIZE - at ? n : SIZE - at;
        stamp_fill(other + at, at, n, &here);
    }
    tap_ok(!memcmp(block, other, SIZE), "pieces make the same bytes as the whole");
}

/* Every byte of the block counts. */
static void test_every_byte(void)
{
    int missed = 0;

    stamp_fill(block, 0, SIZE, &here);
    for (int64_t i = 0; i < SIZE; i++) {
        block[i] ^= 0x10;
        missed += stamp_check(block, 0, SIZE, &here, NULL, 0) != i;
        block[i] ^= 0x10;
    }
    tap_ok(missed == 0, "each changed byte is found, at its offset");
    block[5000] ^= 1;
    tap_ok(stamp_check(block + 4096, 4096, SIZE - 4096, &here, NULL, 0) == 5000,
           "offsets count from the start of the block, not of the piece");
}

/* Counts words that two different stamps have in common, beside the clear header. */
static int words_in_common(const struct stamp *a, const struct stamp *b)
{
    int same = 0;

    stamp_fill(block, 0, SIZE, a);
    stamp_fill(other, 0, SIZE, b);
    for (int64_t i = 0; i + 8 <= SIZE; i += 8)
        same += i % 4096 >= 64 && !memcmp(block + i, other + i, 8);
    return same;
}

static void differs(struct stamp b, const char *what)
{
    tap_ok(words_in_common(&here, &b) == 0, "another %s: no word is the same", what);
    stamp_fill(block, 0, 64, &b);
    tap_ok(stamp_check(block, 0, 64, &here, NULL, 0) != -1,
           "another %s: found in the first 64 bytes", what);
}

static void test_identity(void)
{
    struct stamp b = here;

    b.seed++;
    differs(b, "seed");
    b = here;
    b.rep++;
    differs(b, "repetition");
    b = here;
    b.pass++;
    differs(b, "pass");
    b = here;
    b.version++;
    differs(b, "version");
    b.version = here.version + 256;
    differs(b, "version, 256 later");
    b = here;
    b.rank++;
    differs(b, "rank");
    b.rank = here.rank + (1 << 24);
    differs(b, "rank, 2^24 higher");
    b = here;
    b.mat++;
    differs(b, "matrix");
    b = here;
    b.rank = here.mat;
    b.mat = here.rank;
    differs(b, "order of rank and matrix");
}

/* The word at one offset of the block must not turn up at another. */
static void test_place(void)
{
    tap_ok((stamp_fill(block, 0, 4096, &here), stamp_fill(other, 4096, 4096, &here),
            memcmp(block + 64, other + 64, 8) != 0),
           "the same place of the next unit holds another word");
    tap_ok(stamp_check(other, 0, 4096, &here, NULL, 0) != -1,
           "a unit in another unit's place is found");
}

/* Compressible data would flatter storage that compresses: all 256 values of a
 * byte must come about equally often, and few words twice. */
static void test_noise(void)
{
    int count[256] = {0}, lowest = SIZE, highest = 0;

    stamp_fill(block, 0, SIZE, &here);
    for (int i = 0; i < SIZE; i++)
        count[block[i]] += i % 4096 >= 64;
    for (int i = 0; i < 256; i++) {
        lowest = count[i] < lowest ? count[i] : lowest;
        highest = count[i] > highest ? count[i] : highest;
    }
    tap_ok(lowest > SIZE / 256 / 2 && highest < SIZE / 256 * 5 / 2,
           "bytes are spread evenly (%d to %d, mean %d)", lowest, highest, SIZE / 256);
}

static void explains(const char *clause, const char *what)
{
    char why[512] = "";
    int64_t at = stamp_check(block, 0, SIZE, &here, why, sizeof why);

    tap_ok(at >= 0 && strstr(why, clause), "%s is recognised (\"%s\")", what, clause);
    if (!strstr(why, clause))
        tap_diag("offset %lld: %s", (long long)at, why);
}

static void test_reasons(void)
{
    struct stamp b = here;
    char small[8], why[512] = "";

    buf_poison(block, SIZE);
    explains("poison", "a buffer that was not read into");
    memset(block, 0, SIZE);
    explains("zeros", "a hole in the file");
    b.rank = 5;
    stamp_fill(block, 0, SIZE, &b);
    explains("found rank 5", "another rank's block");
    b = here;
    b.version = 0;
    stamp_fill(block, 0, SIZE, &b);
    explains("found what rank 3 wrote earlier (repetition 0, pass 0, block 7, "
             "version 0, offset 0): the file system served stale data",
             "an earlier version");
    b = here;
    b.version = 2;
    stamp_fill(block, 0, SIZE, &b);
    explains("expected rank 3, block 7, version 1", "whose block it should be");
    explains("found rank 3, block 7, version 2", "a later version");
    b = here;
    b.mat_is = "file";
    stamp_check(block, 0, SIZE, &b, why, sizeof why);
    tap_ok(strstr(why, "expected rank 3, file 7") &&
               strstr(why, "found rank 3, file 7"),
           "what is numbered has the program's name: %s", why);
    struct stamp now = {.seed = 42, .rep = 2, .pass = 1, .version = 1};
    struct stamp before = {.seed = 42, .rep = 1, .pass = 3, .version = 2};
    stamp_fill(block, 0, SIZE, &before);
    stamp_check(block, 0, SIZE, &now, why, sizeof why);
    tap_ok(strstr(why, "wrote earlier (repetition 1, pass 3") != NULL,
           "an earlier repetition's block is stale: %s", why);
    stamp_fill(block, 0, SIZE, &now);
    stamp_check(block, 0, SIZE, &before, why, sizeof why);
    tap_ok(!strstr(why, "earlier"), "a later one's is not: %s", why);
    b = here;
    b.seed = 43;
    stamp_fill(block, 0, SIZE, &b);
    explains("another run's", "another run's block");
    stamp_fill(block, 0, SIZE, &here);
    block[100]++;
    explains("changed", "a damaged unit");
    block[100]--;
    memmove(block, block + 4096, 4096);
    explains("offset 4096", "a unit in the wrong place");
    tap_ok(stamp_check(block, 0, SIZE, &here, small, sizeof small) >= 0 &&
               memchr(small, 0, sizeof small),
           "a reason too long for its buffer is cut");
}

static void test_hash(void)
{
    int same = 0;

    stamp_fill(block, 0, SIZE, &here);
    uint64_t h = stamp_hash(block, SIZE);
    for (int i = 0; i < SIZE; i += 13) {
        block[i] ^= 1;
        same += stamp_hash(block, SIZE) == h;
        block[i] ^= 1;
    }
    tap_ok(stamp_hash(block, SIZE) == h, "the same bytes have the same fingerprint");
    tap_ok(same == 0, "one changed bit changes it");
    tap_ok(stamp_hash(block, SIZE) != stamp_hash(block, SIZE - 1),
           "so does the length");
    struct stamp_hashing pieces;
    stamp_hash_begin(&pieces);
    for (int64_t at = 0, n; at < SIZE; at += n) {
        n = at % 101 < SIZE - at ? at % 101 : SIZE - at;
        n += n == 0;
        stamp_hash_add(&pieces, block + at, n);
    }
    tap_ok(stamp_hash_end(&pieces) == h, "in pieces it is the same");
}

/* Compressible data are checked as well: any byte, another block or version. */
static void test_plain(void)
{
    struct stamp s = here, later = here;
    int found = 0, alike = 0;
    s.plain = later.plain = 75;
    later.version++;
    stamp_fill(block, 0, SIZE, &s);
    stamp_fill(other, 0, SIZE, &later);
    tap_ok(stamp_check(block, 0, SIZE, &s, NULL, 0) == -1, "a block that compresses");
    tap_ok(stamp_check(block, 0, SIZE, &here, NULL, 0) == 128,
           "is another one than the same without, from its 128th byte on");
    for (int i = 0; i < SIZE; i += 7) {
        block[i] ^= 1;
        found += stamp_check(block, 0, SIZE, &s, NULL, 0) == i;
        block[i] ^= 1;
    }
    tap_ok(found == (SIZE + 6) / 7, "a changed byte of it is found, wherever it is");
    for (int i = 56; i < SIZE; i++)
        alike += i % 4096 >= 56 && block[i] == other[i];
    tap_ok(alike < SIZE / 8, "another version repeats another word");
}

static void test_version(void)
{
    struct stamp s = here;
    stamp_fill(block, 0, SIZE, &here);
    s.version = 77;
    tap_ok(stamp_version(block, SIZE, &s) == here.version, "the version is told");
    tap_ok(stamp_version(block, 55, &s) == -1, "not of a part of a stamp");
    s.mat++;
    tap_ok(stamp_version(block, SIZE, &s) == -1, "not of another block");
    buf_poison(block, SIZE);
    tap_ok(stamp_version(block, SIZE, &here) == -1, "not of other bytes");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_plain();
    test_version();
    test_round_trip();
    test_pieces();
    test_every_byte();
    test_identity();
    test_place();
    test_noise();
    test_reasons();
    test_hash();
    return tap_end();
}
