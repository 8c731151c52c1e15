/* A scratch file for what does not fit into memory: a stream writes it, streams read
 * stretches of it. It has no name from its start on, so that nothing is left however
 * the process ends. */
#ifndef PFMLOAD_STORE_SPILL_H
#define PFMLOAD_STORE_SPILL_H

#include "run/stream.h"

enum {
    SPILL_TRANSFER = 4 << 20, /* bytes, at most; more is not faster */
    SPILL_DEPTH = 16          /* of a queue, of one file or of several */
};

/* By whom such files are read and written, and booked. */
struct spill_io {
    struct run *run;
    struct io_queue *queue; /* of several files; NULL: each has its own */
};

struct spill {
    struct spill_io io;
    struct run_file *file; /* NULL: no file yet */
    struct run_stream *writer;
    int64_t bytes; /* written */
};

/* Local. The least memory for a stream of records of so many bytes. */
int64_t spill_memory_least(const struct spill_io *io, int64_t record);

/* Local. Makes a file PREFIX.NUMBER; what is appended goes through so much memory,
 * which is aligned as streams want it. Returns 0 or -errno with a sentence, as the
 * others do; spill_close frees the space, and may be called twice. */
int spill_open(struct spill *f, const struct spill_io *io, const char *prefix,
               int64_t number, void *memory, int64_t memory_bytes);

int spill_append(struct spill *f, const void *from, int64_t bytes); /* Local. */

/* Local. All of it is to be in the file, before it is read. */
int spill_end(struct spill *f);

/* Local. A stream of the bytes [from, from + bytes), in whole records, in so much
 * memory. It is closed before the file is. */
int spill_read(struct spill *f, struct run_stream **s, int64_t from, int64_t bytes,
               int64_t record, void *memory, int64_t memory_bytes);

/* Local. The next records of such a stream, *n bytes; 0: there are no more. */
int spill_next(struct spill *f, struct run_stream *s, const void **records, int64_t *n);

void spill_close(struct spill *f);

#endif
