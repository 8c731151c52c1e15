#include "base/format/crc.h"
#include <pthread.h>

#define POLYNOMIAL UINT32_C(0xedb88320)

static uint32_t table[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (x & 1 ? POLYNOMIAL : 0);
        table[0][i] = x;
    }
    for (int t = 1; t < 8; t++)
        for (int i = 0; i < 256; i++) {
            uint32_t x = table[t - 1][i];
            table[t][i] = x >> 8 ^ table[0][x & 255];
        }
}

/* Eight bytes at a time (M. E. Kounavis, F. L. Berry: "Novel table lookup-based
 * algorithms for high-performance CRC generation", IEEE Trans. Computers 57, 2008). */
uint32_t crc_more(uint32_t before, const void *data, int64_t n)
{
    const unsigned char *p = data;
    uint32_t x = ~before;
    pthread_once(&made, make_table);
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = x ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 |
                            (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        x = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
            table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
            table[0][p[7]];
    }
    for (; n > 0; n--)
        x = x >> 8 ^ table[0][(x ^ *p++) & 255];
    return ~x;
}

uint32_t crc_of(const void *data, int64_t n)
{
    return crc_more(0, data, n);
}
