/* A stretch of a file, written forwards in large requests that begin and end at
 * multiples of their size: two buffers, so that with IOMODE=ASYNC one is filled while
 * the other is written. */
#ifndef PFMLOAD_STORE_STREAM_H
#define PFMLOAD_STORE_STREAM_H

#include "run/run.h"

enum { STREAM_CHUNK = 4 << 20, STREAM_TAKE_MAX = 65536 };

/* What a stream allocates, for --dry-run. */
#define STREAM_BYTES (INT64_C(2) * (STREAM_CHUNK + STREAM_TAKE_MAX))

struct stream {
    struct run_file *file; /* for requests of STREAM_CHUNK, at least two at once */
    int64_t at;            /* in the file, of the buffer's first byte */
    int64_t fill;          /* bytes in the buffer */
    int64_t requests;      /* made so far */
    int now;
    uint8_t *buf[2];
    struct run_io io[2];
};

/* Local. Returns 0 or -ENOMEM with a sentence; stream_close is due whatever it says. */
int stream_open(struct stream *s, struct run_file *file);

/* Local. The next `n` <= STREAM_TAKE_MAX bytes of the file, zeroed, to be filled before
 * the next call. May write what is complete: collective where the file is. */
uint8_t *stream_take(struct stream *s, int64_t n);

/* Local. Where the next byte goes. */
static inline int64_t stream_at(const struct stream *s)
{
    return s->at + s->fill;
}

/* Local. Goes on at `offset`, wherever that is. */
void stream_seek(struct stream *s, int64_t offset);

/* Local. Writes all there is, and waits until it is written. */
void stream_flush(struct stream *s);

/* Local. How many requests stream_take and stream_flush make of `bytes` from `offset`
 * on. */
int64_t stream_requests(int64_t offset, int64_t bytes);

/* **Collective** where the file is. Takes part in collective requests with nothing to
 * write until `requests` were made. */
void stream_pad(struct stream *s, int64_t requests);

void stream_close(struct stream *s); /* Local. Frees the memory; writes nothing. */

#endif
