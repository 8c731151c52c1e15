/* Writes a lane's part of the output: consecutive records, from any byte of the file
 * on. With direct I/O a stream writes whole blocks, and the ends, whose blocks are also
 * another lane's, are written through the page cache. */
#ifndef OUTCORE_SORT_WRITING_H
#define OUTCORE_SORT_WRITING_H

#include "run/stream.h"

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
