/* A graph on disk: PIF and PARTITION of a rank (format.h), and how edges get into
 * them; after the study of 2007, section 3.3. Edges are held in memory until there are
 * as many as the adjacency buffer holds; then a flush sorts them by vertex, appends a
 * chunk for each vertex to PARTITION, notes in PIF where it is, and links the chunk
 * that the vertex had last to it. */
#ifndef OUTCORE_GRAPH_STORE_H
#define OUTCORE_GRAPH_STORE_H

#include "outcore/graph/format.h"
#include "outcore/graph/pairs.h"
#include "outcore/graph/spans.h"
#include "run/stream.h"

struct store_moved { /* blocks that were read and written, or appended */
    struct spans pif, links;
    int64_t append_blocks, append_bytes;
};

struct store {
    struct run *r;
    struct run_file pif, partition;
    uint64_t vertices;      /* of the whole graph */
    int64_t block, request; /* bytes */
    int64_t capacity;       /* entries of the adjacency buffer */

    uint64_t *memory;         /* 4 x capacity numbers, which are: */
    struct pairs held, other; /* vertex and neighbour; `other`: memory for sorting */
    int64_t n;
    int64_t bytes; /* of PARTITION */
    char *tail;    /* of its last block what there is, from tail_at on */
    int64_t tail_at;
    struct extent *extent; /* STORE_PIECE of them */
    const void **with;
    struct run_stream *append;

    /* What there is so far, and of all neighbours: sum of 31 vertex + neighbour. */
    int64_t entries, chunks;
    uint64_t sum;
    struct store_moved moved;
};

enum { STORE_PIECE = 1 << 14 }; /* extents at once */

/* Local. Bytes of memory of a rank that store_open allocates. */
int64_t store_memory(const struct store *s);

/* Local. Vertices that this rank has. */
int64_t store_vertices(const struct store *s);

/* Local. The offset of a vertex of this rank in PIF. */
int64_t store_pif_at(const struct store *s, uint64_t vertex);

/* Local. Memory for an ingest; 0 or -ENOMEM with a sentence. The settings above are
 * set. store_close frees it. */
int store_open(struct store *s);
void store_close(struct store *s);

/* Local, in each repetition. Names the files. */
void store_name(struct store *s);

/* **Collective**, outside of phases: phase `make`, which is none of the work: PIF, of
 * zeros. Returns the agreed verdict. */
int store_make(struct store *s);

/* **Collective**, in a phase: opens both files, for an ingest or for reading. Returns
 * r->failed. */
int store_files_open(struct store *s, bool ingest);
int store_files_close(struct store *s, bool written);

/* Local, in a phase. Adds an entry, of a vertex of this rank; flushes where the buffer
 * is full. A failure is kept. */
void store_flush(struct store *s);
static inline void store_add(struct store *s, uint64_t vertex, uint64_t neighbour)
{
    s->held.key[s->n] = vertex;
    s->held.value[s->n++] = neighbour;
    if (s->n == s->capacity)
        store_flush(s);
}

/* Local. Whether n of s->extent are as many as belong into a pass where the next one is
 * at `offset`: no block is in two passes. */
bool store_piece_ends(const struct store *s, int64_t n, int64_t offset);

/* Local, in a phase that is none of the work: writes both files' heads. */
void store_heads(struct store *s);

/* **Collective.** Removes both, unless --keep. Returns the agreed verdict. */
int store_remove(struct store *s);

#endif
