/* Checksums of the blocks of a file: of what was written to it, and of what was read
 * from it. Each is the remainder of a block's bytes by CRC-32C's polynomial
 * (base/format/crc32c.h), which does not depend on the pieces in which the bytes come:
 * lanes and ranks may read other stretches than were written, and the exclusive or of
 * their sums is that of the file. No MPI, no files. */
#ifndef OUTCORE_DATA_WRITTEN_H
#define OUTCORE_DATA_WRITTEN_H

#include <stdint.h>

#define WRITTEN_BLOCK (1 << 18) /* bytes that have one checksum */

struct written {
    int64_t blocks; /* for which there is room */
    uint32_t *written, *read;
    uint32_t *all; /* for whoever adds up what several have read */
};

/* Local. Makes room for a file of so many bytes; sums that are there stay. 0, or
 * -ENOMEM with a sentence. written_free frees it. */
int written_room(struct written *s, int64_t bytes);
void written_free(struct written *s);

/* Local. Makes all sums of `which` zero: one of those above. */
void written_clear(const struct written *s, uint32_t *which);

/* Local, by any thread. Adds n bytes that are at offset `at` of the file, for which
 * there is room, to s->written or s->read. */
void written_add(uint32_t *which, int64_t at, const void *data, int64_t n);

/* Local. The offset of the first block in which `read` differs from what was written;
 * -1: none. */
int64_t written_differ(const struct written *s, const uint32_t *read);

#endif
