/* Numbers as little-endian bytes, in the files of a container. */
#ifndef IO_PART_BYTES_H
#define IO_PART_BYTES_H

#include <stdint.h>

static inline void bytes_put(unsigned char *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(v >> (8 * i));
}

static inline uint64_t bytes_get(const unsigned char *in, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | in[i];
    return v;
}

#endif
