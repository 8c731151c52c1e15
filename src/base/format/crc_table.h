/* Remainders by reflected polynomials of 32 bits, for crc.c and crc32c.c. */
#ifndef BASE_FORMAT_CRC_TABLE_H
#define BASE_FORMAT_CRC_TABLE_H

#include <stdint.h>

struct crc_table {
    uint32_t of[8][256];
};

/* Local. Makes the table of a polynomial, once. */
void crc_table_make(struct crc_table *t, uint32_t polynomial);

/* Local, any thread. The remainder of data with the remainder x followed by n bytes,
 * without inversion before or after. */
uint32_t crc_table_more(const struct crc_table *t, uint32_t x, const void *data,
                        int64_t n);

#endif
