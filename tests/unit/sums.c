/* limit: 120
 * CRC-32C by each way of this processor, compared with the definition; and the
 * checksums of a partition that is written in any order, overwritten, truncated, and
 * opened again: they are those of its bytes. */
#include "tap.h"

#include "base/format/crc.h"
#include "io/part/container.h"

#define BYTES (5 * SUMS_BLOCK)

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

/* ---- CRC-32C --------------------------------------------------------------------- */

static uint32_t by_bits(uint32_t x, const unsigned char *p, int64_t n)
{
    for (; n > 0; n--) {
        x ^= *p++;
        for (int bit = 0; bit < 8; bit++)
            x = x & 1 ? x >> 1 ^ UINT32_C(0x82f63b78) : x >> 1;
    }
    return x;
}

static void test_crc(void)
{
    static unsigned char buf[4096], zeros[4096];
    uint32_t found;
    for (size_t i = 0; i < sizeof buf; i++)
        buf[i] = (unsigned char)draw(256);
    tap_ok(~crc32c_more(~UINT32_C(0), "123456789", 9) == UINT32_C(0xe3069283),
           "the check value of CRC-32C");
    for (int way = 0; way < 4; way++) {
        int wrong = 0, tried = 0;
        for (int i = 0; i < 2000; i++) {
            uint32_t at = draw(1000), n = draw(3000), before = draw(1 << 24) * 251;
            if (!crc32c_way(way, before, buf + at, n, &found))
                break;
            tried++;
            wrong += found != by_bits(before, buf + at, n);
        }
        if (tried)
            tap_ok(!wrong, "way %d is right", way);
        else
            tap_skip("way %d: not with this processor or compiler", way);
    }
    tap_ok(!crc32c_way(4, 0, buf, 1, &found), "there are no more ways");
    int wrong = 0;
    for (int i = 0; i < 200; i++) {
        uint32_t n = draw(4096), before = draw(1 << 24) * 251;
        wrong += crc32c_zeros(before, n) != by_bits(before, zeros, n);
    }
    tap_ok(!wrong, "zeros that follow need not be looked at");
}

/* ---- a partition ----------------------------------------------------------------- */

static char part[TAP_PATH], file[TAP_PATH];
static unsigned char model[BYTES];

struct state {
    struct sums *sums;
    int fd;
    int64_t bytes;
};

static void put(struct state *s, int64_t at, int64_t n)
{
    for (int64_t i = at; i < at + n; i++)
        model[i] = (unsigned char)draw(256);
    sums_write(s->sums, at, model + at, n);
    if (pwrite(s->fd, model + at, (size_t)n, at) != n)
        tap_diag("the partition cannot be written");
    s->bytes = s->bytes > at + n ? s->bytes : at + n;
}

/* Writes whole blocks, consecutive runs of odd lengths, or small pieces anywhere. */
static void put_something(struct state *s, int64_t *next)
{
    uint32_t kind = draw(4);
    int64_t at = kind == 0 ? draw(5) * SUMS_BLOCK : kind == 1 ? *next : draw(BYTES);
    int64_t n = kind == 0   ? SUMS_BLOCK
                : kind == 3 ? 1024
                            : 1 + draw(kind == 1 ? 9000 : 3000);
    at = kind == 3 ? at / 1024 * 1024 : at;
    n = n < BYTES - at ? n : BYTES - at;
    if (n > 0)
        put(s, at, n);
    *next = at + n;
}

static void cut(struct state *s, int64_t bytes)
{
    memset(model + bytes, 0, (size_t)(BYTES - bytes));
    s->bytes = bytes < s->bytes ? bytes : s->bytes;
    sums_cut(s->sums, bytes);
    if (ftruncate(s->fd, s->bytes))
        tap_diag("the partition cannot be cut");
}

/* True if checksums, stored and loaded, match the file, and detect a flipped bit. */
static bool hold(struct state *s)
{
    struct sums_of of = {77, 3, s->bytes};
    struct sums_found found = {0};
    uint32_t all, at = draw((uint32_t)s->bytes);
    unsigned char flipped = model[at] ^ 4;
    bool good = !sums_store(s->sums, file, &of, part, false, &all);
    sums_free(s->sums);
    s->sums = NULL;
    good = good && !sums_load(&s->sums, file, &of, all) &&
           !sums_check(s->sums, part, s->bytes, &found) && !found.bad;
    if (!good || pwrite(s->fd, &flipped, 1, at) != 1)
        return false;
    good = !sums_check(s->sums, part, s->bytes, &found) && found.bad == 1 &&
           found.first == at / SUMS_BLOCK;
    return pwrite(s->fd, model + at, 1, at) == 1 && good;
}

static bool lives(int number)
{
    struct state s = {.sums = sums_make(), .fd = open(part, O_RDWR | O_CREAT, 0600)};
    int64_t next = 0;
    bool good = s.fd >= 0 && s.sums;
    memset(model, 0, sizeof model);
    seed = (uint32_t)number;
    for (int epoch = 0; epoch < 3 && good; epoch++) {
        for (uint32_t i = 1 + draw(30); i > 0; i--)
            put_something(&s, &next);
        if (draw(2))
            cut(&s, 1 + draw(BYTES - 1));
        for (uint32_t i = 1 + draw(4); i > 0; i--)
            put_something(&s, &next);
        good = hold(&s);
    }
    if (!good)
        tap_diag("%d: %s", number, err_get()->text);
    sums_free(s.sums);
    close(s.fd);
    unlink(part);
    unlink(file);
    return good;
}

static void test_partitions(void)
{
    int good = 0, all = 60;
    for (int i = 0; i < all; i++)
        good += lives(i);
    tap_ok(good == all, "%d of %d partitions are summed up as they are", good, all);
}

/* Bytes far out need memory and time only for what was written there. */
static void test_holes(void)
{
    struct state s = {.sums = sums_make(), .fd = open(part, O_RDWR | O_CREAT, 0600)};
    struct sums_of of = {1, 0, (INT64_C(1) << 40) + 5};
    struct sums_found found = {0};
    struct sums *taken = NULL;
    uint32_t all;
    sums_write(s.sums, INT64_C(1) << 40, "abcde", 5);
    bool good = pwrite(s.fd, "abcde", 5, INT64_C(1) << 40) == 5 &&
                !sums_store(s.sums, file, &of, part, false, &all) &&
                !sums_check(s.sums, part, of.bytes, &found) && !found.bad &&
                !sums_take(&taken, part, of.bytes) &&
                !sums_check(taken, part, of.bytes, &found) && !found.bad;
    tap_ok(good, "a byte behind 1 TiB: %s", err_get()->text);
    sums_free(taken);
    good = pwrite(s.fd, "x", 1, INT64_C(1) << 39) == 1 &&
           !sums_check(s.sums, part, of.bytes, &found) && found.bad == 1 &&
           found.first == (INT64_C(1) << 39) / SUMS_BLOCK;
    tap_ok(good, "a byte that comes to be in the hole is found");
    sums_free(s.sums);
    close(s.fd);
    unlink(part);
    unlink(file);
}

/* Checksums of another partition, container or length, or changed ones, are refused. */
static void test_refused(void)
{
    struct sums_of of = {5, 2, 100}, other[] = {{6, 2, 100}, {5, 3, 100}, {5, 2, 101}};
    struct sums *s = sums_make(), *found;
    uint32_t all = 0;
    sums_write(s, 0, "hello", 5);
    bool good = !sums_store(s, file, &of, part, true, &all);
    for (int i = 0; i < 3; i++) {
        good = good && sums_load(&found, file, &other[i], all);
        err_clear();
    }
    tap_ok(good, "those of another partition are refused");
    tap_ok(sums_load(&found, file, &of, all + 1) && err_get()->text[0],
           "those that the header does not know are, too: %s", err_get()->text);
    err_clear();
    tap_ok(!truncate(file, 66) && sums_load(&found, file, &of, all),
           "and those that were cut: %s", err_get()->text);
    err_clear();
    sums_free(s);
    unlink(file);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(part, "part");
    tap_path(file, "sums");
    test_crc();
    test_partitions();
    test_holes();
    test_refused();
    return tap_end();
}
