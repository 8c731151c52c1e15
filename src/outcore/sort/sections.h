/* Deals consecutive records to the sections of an external sorter, which all lanes fill
 * and sort: one section of each lane at a time. */
#ifndef OUTCORE_SORT_SECTIONS_H
#define OUTCORE_SORT_SECTIONS_H

#include "extsort/extsort.h"
#include "run/run.h"
#include "run/stream.h"

/* ---- reading --------------------------------------------------------------------- */

/* Reads ranges of the input into memory by many requests in flight. */

/* Room needed beyond a range: direct I/O reads whole blocks. */
#define READING_MORE (2 * IO_DIRECT_ALIGN)

/* Local. The bytes before the range that are read with it, and all bytes read. */
int64_t reading_lead(const struct run_file *f, int64_t offset);
int64_t reading_bytes(const struct run_file *f, int64_t offset, int64_t bytes);

/* Local, of a lane. Reads its share of a range that `lanes` lanes read together, each
 * with the same room, of bytes + READING_MORE and aligned to BUF_ALIGN; the range
 * begins reading_lead bytes into it. A failure is kept. */
void reading_share(struct run_file *f, void *room, int64_t offset, int64_t bytes,
                   int lane, int lanes);

/* ---- sections -------------------------------------------------------------------- */

struct sections {
    struct extsort *sorter;
    int64_t record; /* bytes of a record */
    int lanes;
    struct extsort_section *of; /* for each lane; in the order of their numbers: */
    int *order;                 /* of[order[0]] comes first */
    bool *taken;
    int64_t room, filled; /* records of all sections together */
    const char *from;     /* records to copy next, */
    int64_t n;            /* and their number */
};

/* Local. Returns -ENOMEM with a sentence. */
int sections_open(struct sections *s, struct extsort *sorter, int64_t record,
                  int lanes);
void sections_close(struct sections *s);

/* Local, on the rank's thread, in a phase. Call start before the first record of a
 * sort, add to copy the next n, and finish after the last one. */
void sections_start(struct run *r, struct sections *s);
void sections_add(struct run *r, struct sections *s, const void *from, int64_t n);
void sections_finish(struct run *r, struct sections *s);

/* ---- writing --------------------------------------------------------------------- */

/* Writes a lane's part of the output: consecutive records, from any byte of the file
 * on. With direct I/O a stream writes whole blocks, and the ends, whose blocks are also
 * another lane's, are written through the page cache. */

struct writing {
    struct run_stream *stream;
    struct run_file *edge; /* NULL: the stream writes everything */
    int64_t record, most;  /* bytes of a record; records of a room */
    int64_t from, at;      /* offsets of the first byte, and of the next */
    char *chunk;           /* with an edge: a room */
    char *head, *rest;     /* with an edge: a block each */
    int64_t head_bytes, rest_bytes;
    int64_t head_end; /* offset where the stream begins */
};

/* Local. The bytes of the stream's slots within `memory` (0: too little), and the total
 * memory then. */
int64_t writing_slot_bytes(const struct run_file *f, bool edge, int64_t record,
                           int64_t memory);
int64_t writing_memory(const struct run_file *f, bool edge, int64_t record,
                       int64_t slot_bytes);

/* Local, of a lane. `memory`: of writing_memory bytes, aligned to BUF_ALIGN. Returns 0,
 * or -errno with a sentence, which is kept. */
int writing_open(struct writing *w, struct run_file *f, struct run_file *edge,
                 int64_t from, int64_t record, int64_t slot_bytes, void *memory);

/* Local. Returns room for w->most records; and takes the number filled in. */
void *writing_room(struct writing *w);
void writing_done(struct writing *w, int64_t records);

/* Local. Writes the rest, and waits for it. */
void writing_close(struct writing *w);

#endif
