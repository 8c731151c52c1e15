/* CRC-32 as in zlib, gzip and Ethernet (polynomial 0xedb88320, reflected), which the
 * Sort Benchmark's programs use as checksum of records. No MPI, no files. */
#ifndef BASE_FORMAT_CRC_H
#define BASE_FORMAT_CRC_H

#include <stdbool.h>
#include <stdint.h>

/* ---- CRC-32 ---------------------------------------------------------------------- */

/* Local, any thread. The CRC of n bytes. */
uint32_t crc_of(const void *data, int64_t n);

/* Local, any thread. The CRC of bytes with the CRC `before`, followed by n bytes. */
uint32_t crc_more(uint32_t before, const void *data, int64_t n);

/* ---- CRC-32C --------------------------------------------------------------------- */

/* Remainders by the polynomial of CRC-32C (Castagnoli's, 0x82f63b78 reflected),
 * without the inversions at the beginning and end of a CRC: so zeros before data
 * change nothing, and parts computed separately can be combined in any order. No MPI,
 * no files. */

/* Local, any thread. The remainder of data with the remainder `before` (0: none)
 * followed by n bytes. ~crc32c_more(~0, data, n) is the CRC-32C of data. */
uint32_t crc32c_more(uint32_t before, const void *data, int64_t n);

/* Local, any thread. The remainder of data with the remainder `before` followed by
 * n zeros. */
uint32_t crc32c_zeros(uint32_t before, int64_t n);

/* Local. For tests: computes crc32c_more by the implementation number `way`, 0
 * being tables. Returns false if this processor or compiler lacks it, or it does
 * not exist. */
bool crc32c_way(int way, uint32_t before, const void *data, int64_t n, uint32_t *out);

#endif
