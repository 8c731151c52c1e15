/* CRC-32 as zlib, gzip and Ethernet have it (polynomial 0xedb88320, reflected), by
 * which the Sort Benchmark's programs sum up records. No MPI, no files. */
#ifndef BASE_FORMAT_CRC_H
#define BASE_FORMAT_CRC_H

#include <stdint.h>

/* Local, any thread. Of n bytes. */
uint32_t crc_of(const void *data, int64_t n);

/* Local, any thread. Of what has the CRC `before`, and of n bytes that follow it. */
uint32_t crc_more(uint32_t before, const void *data, int64_t n);

#endif
