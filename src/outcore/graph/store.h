/* A graph on disk: two files per rank (see below), one of places and one of lists of
 * neighbours, and the way edges get into them. There are two layouts. In chunks, after
 * the study of 2007, section 3.3, the files are PIF and PARTITION: edges are held in
 * memory until the adjacency buffer is full; then a flush sorts them by vertex, appends
 * a chunk for each vertex to PARTITION, notes its place in PIF, and links the vertex's
 * previous chunk to it. In rows (csr.c) edges are sorted first, and each file is
 * written once. */
#ifndef OUTCORE_GRAPH_STORE_H
#define OUTCORE_GRAPH_STORE_H

#include "run/run.h"
#include "run/stream/stream.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- the format ------------------------------------------------------------------ */

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

/* The magic of files: PIF and PARTITION, and those of rows. */
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

/* Local. Makes the head of a file of rows, 64 bytes; magic: its first 8. */
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

/* ---- slots ----------------------------------------------------------------------- */

/* Local. Two, if one of them can be in flight while the other one is filled. */
static inline int graph_slots(const struct run *r)
{
    return r->queues ? 2 : 1;
}

/* ---- the store ------------------------------------------------------------------- */

struct store;
struct csr;

struct store_moved { /* blocks read and written, or appended */
    struct spans pif, links;
    int64_t append_blocks, append_bytes;
    int64_t sort_read_bytes, sort_write_bytes; /* of the sorter's runs */
};

struct store_searched { /* blocks of both files that a search has read */
    struct spans places, lists;
    int64_t rounds, longest; /* in a batch */
    uint64_t sum;            /* sum of 31 vertex + neighbour over
                              * collected neighbours */
};

/* The functions that differ between the layouts, all local except `make`; see the
 * functions of these names below. */
struct store_layout {
    const char *places, *lists;             /* names of files, */
    const char *places_magic, *lists_magic; /* and their magic */
    bool made; /* places are prefilled with zeros, and heads are written last */
    int64_t (*memory)(const struct store *s);
    int64_t (*places_bytes)(const struct store *s);
    int (*open)(struct store *s);
    void (*close)(struct store *s);
    void (*begin)(struct store *s); /* begins an ingest, with both files open */
    void (*add)(struct store *s, const uint64_t *edge, int64_t n);
    void (*end)(struct store *s);
    void (*abandon)(struct store *s); /* closes streams, before the files are closed */
};
extern const struct store_layout store_chunks, store_csr;

/* A graph that an earlier run has stored (stored.c), by the heads of this
 * rank's files. */
struct store_kept {
    const char *name; /* files are NAME.PIF.0 and so on; NULL: this run stores one */
    int64_t bytes, entries, chunks; /* of PARTITION, as in struct store */
    int64_t all_entries;            /* over all ranks */
    uint64_t sum;                   /* of rows, as in struct store; 0: not known */
};

struct store {
    const struct store_layout *layout;
    struct run *r;
    struct run_file pif, partition;
    uint64_t vertices;      /* of the whole graph */
    int64_t block, request; /* bytes */
    int64_t capacity;       /* entries of the adjacency buffer */

    uint64_t *memory;         /* 4 x capacity numbers, for: */
    struct pairs held, other; /* vertex and neighbour; `other`: memory for sorting */
    int64_t n;
    int64_t bytes; /* of PARTITION */
    char *tail;    /* the present part of its last block, from tail_at on */
    int64_t tail_at;
    struct extent *extent; /* STORE_PIECE of them */
    const void **with;
    struct run_stream *append;
    struct csr *csr; /* for the layout in rows */
    struct store_kept kept;

    /* Totals so far, and the sum of 31 vertex + neighbour over all neighbours. */
    int64_t entries, chunks;
    uint64_t sum;
    struct store_moved moved;
    struct store_searched searched;
};

/* Extents at a time: half of them, of 8 bytes, exceed the largest block. */
enum { STORE_PIECE = 1 << 18 };

/* Local. The bytes of memory of a rank that store_open allocates. */
int64_t store_memory(const struct store *s);

/* Local. The number of this rank's vertices. */
int64_t store_vertices(const struct store *s);

/* Local. The offset of a vertex of this rank in PIF. */
int64_t store_pif_at(const struct store *s, uint64_t vertex);

/* Local, when the members above are set. Allocates memory for an ingest; 0, or -ENOMEM
 * with a sentence. store_close frees it. */
int store_open(struct store *s);
void store_close(struct store *s);

/* Local, in each repetition. Names the files. */
void store_name(struct store *s);

/* **Collective**, outside of phases. Makes PIF, of zeros, in phase `make_pif`, which is
 * not part of the work. Rows need nothing. Returns the agreed verdict. */
int store_make(struct store *s);

/* **Collective**, in a phase. Open both files, for an ingest or for reading; and close
 * them. Return r->failed. */
int store_files_open(struct store *s, bool ingest);
int store_files_close(struct store *s, bool written);

/* Local, in a phase. Adds n edges, of vertices of this rank; those that exceed the
 * memory go to disk. A failure is kept. */
void store_add(struct store *s, const uint64_t *edge, int64_t n);

/* Local, in a phase, after all edges: writes those in memory. */
void store_end(struct store *s);

/* Local. True if n of s->extent fill a pass when the next one is at `offset`: no block
 * is in two passes. */
bool store_piece_ends(const struct store *s, int64_t n, int64_t offset);

/* **Collective**, in a phase that is not part of the work: writes both files' heads,
 * unless an ingest has. */
void store_heads(struct store *s);

/* Local. Resets the counts when a search begins. */
static inline void store_searched_none(struct store *s)
{
    s->searched =
        (struct store_searched){.places.block = s->block, .lists.block = s->block};
}

/* **Collective**, after a phase. Returns 0, or -EIO with a sentence if the bytes
 * counted differ from those that all ranks together were to move; `read` and `written`:
 * by this one. */
int store_moved_all(const struct store *s, const char *phase, int64_t read,
                    int64_t written);

/* **Collective.** Removes both files, unless --keep or an earlier run has stored them.
 * Returns the agreed verdict. */
int store_remove(struct store *s);

/* ---- stored graphs --------------------------------------------------------------- */

/* Local. The path of this rank's file of s->kept.name, PIF or another one. A name that
 * is too long is cut, and then not found. */
void stored_path(const struct store *s, const char *which, char *path, size_t size);

/* **Collective**, in `plan`, with s->kept.name and the layout set. Reads both files'
 * heads, and sets s->vertices and s->kept. Returns the agreed verdict: -EIO with a
 * sentence if the heads do not belong to such files, of these sizes, from as many
 * ranks. Does not read beyond the heads. */
int stored_plan(struct store *s);

/* ---- rows ------------------------------------------------------------------------ */

/* A graph in rows, "compressed sparse rows": all neighbours of a vertex follow each
 * other, so that a list is one read. An ingest sorts the edges by vertex, out of core
 * (extsort), and writes both files once, from beginning to end.
 *
 *   OFFSETS     64 bytes: "LLOFFS01", vertices, entries of the rank, and of all of them
 *               the sum of 31 vertex + neighbour (0: not known); then for each vertex
 *               of the rank, and once more, the number of entries before it
 *   NEIGHBOURS  64 bytes: "LLNEIG01", the same; then the neighbours, in the order of
 *               the stream of edges
 *
 * All are 64-bit little-endian numbers. With P ranks, rank v mod P has vertex v. */

/* Local. The memory for searching, 16 bytes for each vertex of a batch; neighbours
 * found take 8 bytes each in addition. Returns 0, or -ENOMEM with a sentence; csr_close
 * frees it, even if it is incomplete. */
int64_t csr_batch_memory(int64_t most);
int csr_batch_open(struct store *s, int64_t most);

/* Local, in a phase. Collects the neighbours of n vertices of this rank, which are in
 * order: vertex by vertex, in *found until the next call. Returns their number; a
 * failure is kept: offsets or neighbours that cannot belong to this graph. */
int64_t csr_collect(struct store *s, const uint64_t *vertex, int64_t n,
                    const uint64_t **found);

/* Local. The number of neighbours of vertex i in the last batch collected. */
int64_t csr_row(const struct store *s, int64_t i);

/* Local. Returns room for *n numbers, for a check, with undefined content. */
uint64_t *csr_room(struct store *s, int64_t *n);

/* Local, in `plan`. Returns 0, or -EINVAL with a sentence: the adjacency buffer is too
 * small for sorting. */
int csr_check(const struct store *s);

#endif
