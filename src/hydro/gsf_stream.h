/* A window that moves forwards over a file. Inside of gsf.c. */
#ifndef HYDRO_GSF_STREAM_H
#define HYDRO_GSF_STREAM_H

#include "base/told.h"
#include <stdint.h>

struct gsf_stream {
    int fd;
    char *path;
    int64_t bytes; /* of the file when it was opened */
    int64_t at;    /* in the file, where the window's unread part begins */
    uint8_t *window;
    int begin, end;   /* the unread part */
    struct told told; /* of each read */
};

/* Local. Opens a regular file; *s is zero before, but for who is told. gsf_stream_close
 * is due whatever it returns: 0, or -errno with a sentence. */
int gsf_stream_open(struct gsf_stream *s, const char *path);

static inline int64_t gsf_stream_left(const struct gsf_stream *s)
{
    return s->bytes - s->at;
}

/* Local. Makes the next n bytes (at most gsf_stream_left and a record with its head)
 * visible at *p until the next call. Returns 0, or -errno with a sentence. */
int gsf_stream_see(struct gsf_stream *s, int n, const uint8_t **p);

/* Local. Moves n bytes on, at most gsf_stream_left; what was not read stays unread. */
void gsf_stream_skip(struct gsf_stream *s, int64_t n);

void gsf_stream_close(struct gsf_stream *s);

#endif
