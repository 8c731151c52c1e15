/* Remainders by reflected polynomials of 32 bits: what crc.c and crc32c.c share. */
#ifndef BASE_FORMAT_CRC_TABLE_H
#define BASE_FORMAT_CRC_TABLE_H

#include <stdint.h>

struct crc_table {
    uint32_t of[8][256];
};

/* Local. Once for each polynomial. */
void crc_table_make(struct crc_table *t, uint32_t polynomial);

/* Local, any thread. Of what has the remainder x and n bytes that follow it, with no
 * inversion before or after. */
uint32_t crc_table_more(const struct crc_table *t, uint32_t x, const void *data,
                        int64_t n);

#endif
