/* Consumes bytes that were read, before their buffer is reused. */
#ifndef OUTCORE_DATA_CONSUME_H
#define OUTCORE_DATA_CONSUME_H

#include <stdint.h>

enum consume_how { CONSUME_NONE, CONSUME_CHECKSUM, CONSUME_COPY, CONSUME_SLEEP };

struct consume {
    enum consume_how how;
    int64_t sleep_us; /* per set */
};

/* Local. Parses "none", "checksum", "copy" or "sleep:US". Returns 0, or -EINVAL with
 * a sentence. */
int consume_parse(struct consume *c, const char *text);

/* Local. Consumes `bytes` at buf, a whole set or a part of one of set_bytes. copy:
 * room for as many bytes, for CONSUME_COPY. Returns the amount to add to the checksum,
 * else 0. */
uint64_t consume(const struct consume *c, const void *buf, int64_t bytes,
                 int64_t set_bytes, void *copy);

/* Local. The sum of the 64-bit words at buf, modulo 2^64, the last one padded with zero
 * bytes. The sum of the whole is that of its parts, if all of them but the last are
 * multiples of 8 bytes. */
uint64_t consume_sum(const void *buf, int64_t bytes);

#endif
