/* Consumes bytes that were read, before their buffer is reused. */
#ifndef OUTCORE_DATA_CONSUME_H
#define OUTCORE_DATA_CONSUME_H

#include <stdint.h>

/* ---- what was written ------------------------------------------------------------ */

/* Checksums of the blocks of a file: of what was written to it, and of what was read
 * from it. Each is the remainder of a block's bytes by CRC-32C's polynomial
 * (base/format/crc.h), which does not depend on the pieces in which the bytes come:
 * lanes and ranks may read other ranges than were written, and the exclusive or of
 * their sums is that of the file. No MPI, no files. */

#define WRITTEN_BLOCK (1 << 18) /* bytes with one checksum */

struct written {
    int64_t blocks; /* allocated */
    uint32_t *written, *read;
    uint32_t *all; /* for adding up what several lanes have read */
};

/* Local. Makes room for a file of `bytes`; present sums stay. Returns 0, or -ENOMEM
 * with a sentence. written_free frees it. */
int written_room(struct written *s, int64_t bytes);
void written_free(struct written *s);

/* Local. Sets all sums of `which`, one of the arrays above, to zero. */
void written_clear(const struct written *s, uint32_t *which);

/* Local, by any thread. Adds n bytes at offset `at` of the file, for which there must
 * be room, to s->written or s->read. */
void written_add(uint32_t *which, int64_t at, const void *data, int64_t n);

/* Local. The offset of the first block in which `read` differs from what was written;
 * -1: none. */
int64_t written_differ(const struct written *s, const uint32_t *read);

/* ---- what is read ---------------------------------------------------------------- */

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
