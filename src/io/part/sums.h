/* Checksums of a partition: for each block of 64 KiB the remainder of its bytes, padded
 * with zeros, by CRC-32C's polynomial (base/format/crc32c.h). A block that was never
 * written is all zeros and has 0. They are updated with each write, in any order;
 * blocks that were partly overwritten are read again at the end. doc/container.md
 * describes the file. */
#ifndef IO_PART_SUMS_H
#define IO_PART_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#define SUMS_BLOCK (INT64_C(64) << 10)

struct sums; /* of a partition */

/* Identity and length of the partition. */
struct sums_of {
    uint64_t id; /* the container's */
    int64_t part, bytes;
};

/* Local. Makes the checksums of an empty partition. NULL: no memory. */
struct sums *sums_make(void);
void sums_free(struct sums *s); /* may be NULL */

/* Local. Updates them for bytes written at `at`. */
void sums_write(struct sums *s, int64_t at, const void *data, int64_t bytes);

/* Local. Updates them after the partition was cut. */
void sums_cut(struct sums *s, int64_t bytes);

/* Local. Reads again from `part` what is needed, and writes the file `path`; *all: a
 * checksum of that file. Returns 0, or -errno with a sentence. */
int sums_store(struct sums *s, const char *path, const struct sums_of *of,
               const char *part, bool durable, uint32_t *all);

/* Local. Loads the file, if it belongs to that partition and has the checksum `all`.
 * Returns 0, or -errno with a sentence. */
int sums_load(struct sums **s, const char *path, const struct sums_of *of,
              uint32_t all);

/* The result of checking a partition. */
struct sums_found {
    int64_t bad, first; /* number of blocks that differ, and the first of them,
                         * -1: none */
};

/* Local. Reads and checks the partition `part` of `bytes`. Returns 0, or -errno with
 * a sentence. */
int sums_check(const struct sums *s, const char *part, int64_t bytes,
               struct sums_found *found);

/* Local. Computes the checksums of an existing partition. Returns 0, or -errno with
 * a sentence. */
int sums_take(struct sums **s, const char *part, int64_t bytes);

#endif
