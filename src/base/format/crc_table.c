#include "base/format/crc_table.h"

void crc_table_make(struct crc_table *t, uint32_t polynomial)
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

/* Computes eight bytes at a time (M. E. Kounavis, F. L. Berry: "Novel table
 * lookup-based algorithms for high-performance CRC generation", IEEE Trans. Computers
 * 57, 2008). */
uint32_t crc_table_more(const struct crc_table *t, uint32_t x, const void *data,
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
