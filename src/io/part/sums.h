/* Checksums of a partition: of each block of 64 KiB the remainder of its bytes, zeros
 * up to its end, by CRC-32C's polynomial (base/format/crc32c.h). A block that was never
 * written is zeros and has 0. They are kept up with each write, in any order of them;
 * what was written over in part is read again at the end. doc/container.md has the
 * file. */
#ifndef IO_PART_SUMS_H
#define IO_PART_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#define SUMS_BLOCK (INT64_C(64) << 10)

struct sums; /* of one partition */

/* Which partition it is of, and how long that is. */
struct sums_of {
    uint64_t id; /* of the container */
    int64_t part, bytes;
};

/* Local. Of a partition without bytes. NULL: no memory. */
struct sums *sums_make(void);
void sums_free(struct sums *s); /* may be NULL */

/* Local. Bytes that are written at `at`. */
void sums_write(struct sums *s, int64_t at, const void *data, int64_t bytes);

/* Local. The partition is cut. */
void sums_cut(struct sums *s, int64_t bytes);

/* Local. Reads again from `part` what is needed, and writes the file `path`; *all: a
 * checksum of that file. 0 or -errno with a sentence. */
int sums_store(struct sums *s, const char *path, const struct sums_of *of,
               const char *part, bool durable, uint32_t *all);

/* Local. The file's, if it is of that partition and has that checksum. 0 or -errno with
 * a sentence. */
int sums_load(struct sums **s, const char *path, const struct sums_of *of,
              uint32_t all);

/* What is found in a partition. */
struct sums_found {
    int64_t bad, first; /* blocks that differ; the number of the first, -1: none */
};

/* Local. Reads the partition `part` of so many bytes. 0 or -errno with a sentence. */
int sums_check(const struct sums *s, const char *part, int64_t bytes,
               struct sums_found *found);

/* Local. Those of a partition as it is. 0 or -errno with a sentence. */
int sums_take(struct sums **s, const char *part, int64_t bytes);

#endif
