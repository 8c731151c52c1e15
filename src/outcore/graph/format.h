/* The bytes of PIF (places of each vertex's adjacency) and PARTITION (chunks of
 * adjacency, in chains), little-endian. After the study of 2007, section 3.3, which
 * leaves the format open. No MPI, no files.
 *
 *   PIF        64 bytes: "LLPIF001", vertices, bytes of PARTITION, chunks; then for
 *              each vertex of the rank 16: offset of its first chunk, of its last; 0:
 *              it has none
 *   PARTITION  64 bytes: "LLPART01", vertices, entries; then chunks, 8-byte aligned:
 *              offset of the next one (0: it is the last), vertex, 32-bit count, CRC-32
 *              of vertex, count and neighbours, then the neighbours
 *
 * With P ranks, rank v mod P has vertex v, as entry v / P. Neither file has block
 * sizes. */
#ifndef OUTCORE_GRAPH_FORMAT_H
#define OUTCORE_GRAPH_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* The magic of files: PIF and PARTITION, and those of rows (csr.h). */
#define FORMAT_PIF "LLPIF001"
#define FORMAT_PARTITION "LLPART01"
#define FORMAT_OFFSETS "LLOFFS01"
#define FORMAT_NEIGHBOURS "LLNEIG01"

enum {
    PIF_HEAD = 64,
    PIF_ENTRY = 16,
    PARTITION_HEAD = 64,
    CHUNK_HEAD = 24,
    CSR_HEAD = 64,
    CHUNK_ALIGN = 8
};

struct pif_entry {
    uint64_t first, last;
};

struct chunk {
    uint64_t next, vertex;
    uint32_t count, crc;
};

/* Local. Make the heads of both files, 64 bytes each. */
void format_pif_head(void *to, uint64_t vertices, uint64_t bytes, uint64_t chunks);
void format_partition_head(void *to, uint64_t vertices, uint64_t entries);

/* Local. Makes the head of a file of rows (csr.h), 64 bytes; magic: its first 8. */
void format_csr_head(void *to, const char *magic, uint64_t vertices, uint64_t entries,
                     uint64_t sum);

/* Local. Reads the first n numbers of a head, at most 7; false: its magic differs. */
bool format_head(const void *from, const char *magic, uint64_t number[], int n);

/* Local. Decode and encode an entry of PIF. */
struct pif_entry format_pif_entry(const void *from);
void format_put_pif_entry(void *to, struct pif_entry e);

/* Local. Decode and encode a chunk's first CHUNK_HEAD bytes. */
struct chunk format_chunk(const void *from);
void format_put_chunk(void *to, const struct chunk *c);

/* Local. The CRC of a chunk; neighbours as in the file. */
uint32_t format_crc(uint64_t vertex, uint32_t count, const void *neighbours);

/* Local. Converts numbers in memory to those of a file, or back, in place. */
void format_turn(uint64_t *number, int64_t n);

/* ---- pairs ----------------------------------------------------------------------- */

/* Sorts pairs of 64-bit numbers, each half in its own array, by the first. No MPI,
 * no files. */

/* Local. Sorts n pairs by their keys; pairs of equal keys stay in order. `other`: as
 * much memory again, whose content is lost. The arrays may be exchanged: the result is
 * in `of`. */
struct pairs {
    uint64_t *key, *value;
};
void pairs_sort(struct pairs *of, struct pairs *other, int64_t n);

/* ---- spans ----------------------------------------------------------------------- */

/* Counts the blocks that a pass over sorted places moves: each one with some place in
 * it, once. No MPI, no files. */

struct spans {
    int64_t block, end; /* bytes of a block, and of the file */
    int64_t next;       /* first block that is not counted yet */
    int64_t blocks, bytes;
};

/* Local. Adds the blocks of bytes from .. to - 1, with `from` not less than in the
 * previous call. */
static inline void spans_add(struct spans *s, int64_t from, int64_t to)
{
    int64_t first = from / s->block, last = (to - 1) / s->block;
    first = first > s->next ? first : s->next;
    if (last < first)
        return;
    int64_t end = (last + 1) * s->block;
    s->blocks += last - first + 1;
    s->bytes += (end < s->end ? end : s->end) - first * s->block;
    s->next = last + 1;
}

/* Local. Begins the next pass, over a file of `end` bytes. */
static inline void spans_again(struct spans *s, int64_t end)
{
    s->next = 0;
    s->end = end;
}

#endif
