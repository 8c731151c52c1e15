/* What a lane writes of the output: records in a row, from any byte of the file on.
 * Past the page cache a stream writes whole blocks, and the ends, whose blocks are
 * another lane's as well, go by way of it. */
#ifndef OUTCORE_SORT_WRITING_H
#define OUTCORE_SORT_WRITING_H

#include "run/stream.h"

struct writing {
    struct run_stream *stream;
    struct run_file *edge; /* NULL: the stream writes all */
    int64_t record, most;  /* bytes; records of a room */
    int64_t from, at;      /* in the file: the first byte, the next */
    char *chunk;           /* with an edge: a room */
    char *head, *rest;     /* with an edge: a block each */
    int64_t head_bytes, rest_bytes;
    int64_t head_end; /* where the stream begins */
};

/* Local. The slots of the stream where this much memory is there for all (0: too
 * little), and what all takes then. */
int64_t writing_slot_bytes(const struct run_file *f, bool edge, int64_t record,
                           int64_t memory);
int64_t writing_memory(const struct run_file *f, bool edge, int64_t record,
                       int64_t slot_bytes);

/* Local, of a lane. `memory`: of writing_memory bytes, aligned to BUF_ALIGN. Returns 0,
 * or -errno with a sentence, which is kept. */
int writing_open(struct writing *w, struct run_file *f, struct run_file *edge,
                 int64_t from, int64_t record, int64_t slot_bytes, void *memory);

/* Local. Room for w->most records; and how many of them it has got. */
void *writing_room(struct writing *w);
void writing_done(struct writing *w, int64_t records);

/* Local. Writes what there is, and waits for it. */
void writing_close(struct writing *w);

#endif
