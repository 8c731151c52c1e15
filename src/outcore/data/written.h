/* Checksums of the blocks of a file: of what was written to it, and of what was read
 * from it. Each is the remainder of a block's bytes by CRC-32C's polynomial
 * (base/format/crc.h), which does not depend on the pieces in which the bytes come:
 * lanes and ranks may read other ranges than were written, and the exclusive or of
 * their sums is that of the file. No MPI, no files. */
#ifndef OUTCORE_DATA_WRITTEN_H
#define OUTCORE_DATA_WRITTEN_H

#include <stdint.h>

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

#endif
