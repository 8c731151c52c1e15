#include "base/format/crc.h"
#include <pthread.h>
#include <string.h>

/* Remainders by reflected polynomials of 32 bits. */

struct crc_table {
    uint32_t of[8][256];
};

/* Local. Makes the table of a polynomial, once. */
static void crc_table_make(struct crc_table *t, uint32_t polynomial)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (x & 1 ? polynomial : 0);
        t->of[0][i] = x;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) {
            uint32_t x = t->of[k - 1][i];
            t->of[k][i] = x >> 8 ^ t->of[0][x & 255];
        }
}

/* Local, any thread. The remainder of data with the remainder x followed by n bytes,
 * without inversion before or after. Computes eight bytes at a time (M. E. Kounavis,
 * F. L. Berry: "Novel table lookup-based algorithms for high-performance CRC
 * generation", IEEE Trans. Computers 57, 2008). */
static uint32_t crc_table_more(const struct crc_table *t, uint32_t x, const void *data,
                               int64_t n)
{
    const unsigned char *p = data;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = x ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 |
                            (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        x = t->of[7][low & 255] ^ t->of[6][low >> 8 & 255] ^ t->of[5][low >> 16 & 255] ^
            t->of[4][low >> 24] ^ t->of[3][p[4]] ^ t->of[2][p[5]] ^ t->of[1][p[6]] ^
            t->of[0][p[7]];
    }
    for (; n > 0; n--)
        x = x >> 8 ^ t->of[0][(x ^ *p++) & 255];
    return x;
}

/* ---- CRC-32 ---------------------------------------------------------------------- */

static struct crc_table table;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    crc_table_make(&table, UINT32_C(0xedb88320));
}

uint32_t crc_more(uint32_t before, const void *data, int64_t n)
{
    pthread_once(&made, make_table);
    return ~crc_table_more(&table, ~before, data, n);
}

uint32_t crc_of(const void *data, int64_t n)
{
    return crc_more(0, data, n);
}

/* ---- CRC-32C --------------------------------------------------------------------- */

#define POLYNOMIAL UINT32_C(0x82f63b78)

/* ---- tables: any processor ------------------------------------------------------- */

static struct crc_table crc32c_table;
static pthread_once_t crc32c_made = PTHREAD_ONCE_INIT;

static uint32_t by_table(uint32_t x, const void *data, int64_t n)
{
    return crc_table_more(&crc32c_table, x, data, n);
}

/* ---- polynomials ----------------------------------------------------------------- */

/* The product a b mod P; the highest power is the lowest bit. */
static uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        sum ^= a & bit ? b : 0;
        b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return sum;
}

/* The power x^n mod P. */
static uint32_t power(int64_t n)
{
    uint32_t result = UINT32_C(1) << 31, square = UINT32_C(1) << 30;
    for (; n; n >>= 1) {
        result = n & 1 ? product(result, square) : result;
        square = product(square, square);
    }
    return result;
}

uint32_t crc32c_zeros(uint32_t before, int64_t n)
{
    return before && n ? product(before, power(8 * n)) : before;
}

/* ---- x86 ------------------------------------------------------------------------- */

/* Folding. Data that lies D bits before other data counts there as its product with
 * x^D: 128 bits as that of their halves with x^(D+32) and x^(D-32), as the processor's
 * products of reflected numbers are 33 bits longer than the halves (V. Gopal et al.:
 * "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel
 * 2009). So a few registers hold data that counts as everything before; the CRC-32C
 * instruction sums up their bytes at the end. */
#if defined __x86_64__ && (defined __clang__ || __GNUC__ >= 8)
#include <immintrin.h>

enum { WIDE = 256, NARROW = 64 }; /* bytes held in registers */

static uint64_t fold_wide[2], fold_narrow[2];

static void make_folds(void)
{
    for (int high = 0; high < 2; high++) {
        fold_wide[high] = (uint64_t)power(8 * WIDE + (high ? -32 : 32)) << 1;
        fold_narrow[high] = (uint64_t)power(8 * NARROW + (high ? -32 : 32)) << 1;
    }
}

__attribute__((target("sse4.2"))) static uint32_t by_word(uint32_t x, const void *data,
                                                          int64_t n)
{
    const unsigned char *p = data;
    uint64_t word, y = x;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        y = _mm_crc32_u64(y, word);
    }
    for (x = (uint32_t)y; n > 0; n--)
        x = _mm_crc32_u8(x, *p++);
    return x;
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t
by_narrow(uint32_t x, const void *data, int64_t n)
{
    const __m128i *p = data;
    const __m128i by =
        _mm_set_epi64x((long long)fold_narrow[1], (long long)fold_narrow[0]);
    __m128i kept[4];
    if (n < NARROW)
        return by_word(x, data, n);
    for (int i = 0; i < 4; i++)
        kept[i] = _mm_loadu_si128(p + i);
    kept[0] = _mm_xor_si128(kept[0], _mm_cvtsi32_si128((int)x));
    for (p += 4, n -= NARROW; n >= NARROW; p += 4, n -= NARROW)
        for (int i = 0; i < 4; i++)
            kept[i] =
                _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(kept[i], by, 0x00),
                                            _mm_clmulepi64_si128(kept[i], by, 0x11)),
                              _mm_loadu_si128(p + i));
    return by_word(by_word(0, kept, NARROW), p, n);
}

__attribute__((target("sse4.2,avx512f,vpclmulqdq"))) static uint32_t
by_wide(uint32_t x, const void *data, int64_t n)
{
    const char *p = data;
    const __m512i by = _mm512_set_epi64(
        (long long)fold_wide[1], (long long)fold_wide[0], (long long)fold_wide[1],
        (long long)fold_wide[0], (long long)fold_wide[1], (long long)fold_wide[0],
        (long long)fold_wide[1], (long long)fold_wide[0]);
    __m512i kept[4];
    if (n < WIDE)
        return by_narrow(x, data, n);
    for (int i = 0; i < 4; i++)
        kept[i] = _mm512_loadu_si512(p + 64 * i);
    kept[0] = _mm512_xor_si512(
        kept[0], _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (int)x));
    for (p += WIDE, n -= WIDE; n >= WIDE; p += WIDE, n -= WIDE)
        for (int i = 0; i < 4; i++)
            kept[i] = _mm512_ternarylogic_epi64(
                _mm512_clmulepi64_epi128(kept[i], by, 0x00),
                _mm512_clmulepi64_epi128(kept[i], by, 0x11),
                _mm512_loadu_si512(p + 64 * i), 0x96); /* a ^ b ^ c */
    return by_word(by_word(0, kept, WIDE), p, n);
}

static bool has_way(int way)
{
    bool sse = __builtin_cpu_supports("sse4.2");
    return way == 1   ? sse
           : way == 2 ? sse && __builtin_cpu_supports("pclmul")
                      : sse && __builtin_cpu_supports("pclmul") &&
                            __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("vpclmulqdq");
}
#else
#define by_word by_table
#define by_narrow by_table
#define by_wide by_table

static void make_folds(void)
{
}

static bool has_way(int way)
{
    (void)way;
    return false;
}
#endif

/* ---- the fastest available ------------------------------------------------------- */

typedef uint32_t way_fn(uint32_t x, const void *data, int64_t n);

static way_fn *const ways[] = {by_table, by_word, by_narrow, by_wide};
enum { WAYS = sizeof ways / sizeof *ways };

static way_fn *best;

static void crc_prepare(void)
{
    crc_table_make(&crc32c_table, POLYNOMIAL);
    make_folds();
    for (int way = 0; way < WAYS; way++)
        if (!way || has_way(way))
            best = ways[way];
}

uint32_t crc32c_more(uint32_t before, const void *data, int64_t n)
{
    pthread_once(&crc32c_made, crc_prepare);
    return best(before, data, n);
}

bool crc32c_way(int way, uint32_t before, const void *data, int64_t n, uint32_t *out)
{
    pthread_once(&crc32c_made, crc_prepare);
    if (way < 0 || way >= WAYS || (way && !has_way(way)))
        return false;
    *out = ways[way](before, data, n);
    return true;
}
