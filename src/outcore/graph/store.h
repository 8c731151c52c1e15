/* A graph on disk: two files per rank (format.h), one of places and one of lists of
 * neighbours, and the way edges get into them. There are two layouts. In chunks, after
 * the study of 2007, section 3.3, the files are PIF and PARTITION: edges are held in
 * memory until the adjacency buffer is full; then a flush sorts them by vertex, appends
 * a chunk for each vertex to PARTITION, notes its place in PIF, and links the vertex's
 * previous chunk to it. In rows (csr.h) edges are sorted first, and each file is
 * written once. */
#ifndef OUTCORE_GRAPH_STORE_H
#define OUTCORE_GRAPH_STORE_H

#include "outcore/graph/format.h"
#include "run/run.h"
#include "run/stream.h"

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

#endif
