/* Remainders by the polynomial of CRC-32C (Castagnoli's, 0x82f63b78 reflected), without
 * the inversions that a CRC begins and ends with: so zeros before data change nothing,
 * and what was summed up apart can be put together in any order. No MPI, no files. */
#ifndef BASE_FORMAT_CRC32C_H
#define BASE_FORMAT_CRC32C_H

#include <stdbool.h>
#include <stdint.h>

/* Local, any thread. Of what has the remainder `before` (0: nothing) and n bytes that
 * follow it. ~crc32c_more(~0, data, n) is the CRC-32C of data. */
uint32_t crc32c_more(uint32_t before, const void *data, int64_t n);

/* Local, any thread. Of what has the remainder `before`, and n zeros that follow it. */
uint32_t crc32c_zeros(uint32_t before, int64_t n);

/* Local. For tests: the same by way `way`, 0 that of tables; false: this processor or
 * compiler has it not, or there is none. */
bool crc32c_way(int way, uint32_t before, const void *data, int64_t n, uint32_t *out);

#endif
