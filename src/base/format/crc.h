/* CRC-32 as in zlib, gzip and Ethernet (polynomial 0xedb88320, reflected), which the
 * Sort Benchmark's programs use as checksum of records. No MPI, no files. */
#ifndef BASE_FORMAT_CRC_H
#define BASE_FORMAT_CRC_H

#include <stdint.h>

/* Local, any thread. The CRC of n bytes. */
uint32_t crc_of(const void *data, int64_t n);

/* Local, any thread. The CRC of bytes with the CRC `before`, followed by n bytes. */
uint32_t crc_more(uint32_t before, const void *data, int64_t n);

#endif
