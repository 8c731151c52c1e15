/* A file that is read forwards. Private to gsf.c. */
#ifndef HYDRO_GSF_STREAM_H
#define HYDRO_GSF_STREAM_H

#include "hydro/gsf.h"
#include <stdint.h>

struct gsf_stream {
    struct gsf_source source;
    char *path;
    int64_t at; /* file offset of the next byte */
    /* The last piece, and its part that is still to come; all of it if `at` is
     * before it. */
    const uint8_t *piece;
    int64_t piece_at, piece_bytes;
    uint8_t *window; /* a record split across pieces: `held` bytes from */
    int64_t held;    /* `at` on; 0: none */
    int fd;          /* of the stream's own source; -1: the source is the caller's */
    uint8_t *own;    /* buffer of that source */
};

/* Local. Uses the caller's source, or, if it is NULL, opens a regular file.
 * gsf_stream_close must be called whatever it returns: 0, or -errno with a sentence. */
int gsf_stream_open(struct gsf_stream *s, const char *path,
                    const struct gsf_source *source);

static inline int64_t gsf_stream_left(const struct gsf_stream *s)
{
    return s->source.bytes - s->at;
}

/* Local. Makes the next n bytes (at most gsf_stream_left and a record with its head)
 * visible at *p until the next call. Returns 0, or -errno with a sentence. */
int gsf_stream_see(struct gsf_stream *s, int n, const uint8_t **p);

/* Local. Moves n bytes on, at most gsf_stream_left, without reading them. */
void gsf_stream_skip(struct gsf_stream *s, int64_t n);

void gsf_stream_close(struct gsf_stream *s);

#endif
