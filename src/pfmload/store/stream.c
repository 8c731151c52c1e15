#include "pfmload/store/stream.h"
#include "base/buf.h"
#include <string.h>

int stream_open(struct stream *s, struct run_file *file)
{
    void *buf[2] = {NULL, NULL};
    int rc = 0;
    memset(s, 0, sizeof *s);
    s->file = file;
    for (int i = 0; i < 2 && !rc; i++) {
        rc = buf_alloc(&buf[i], STREAM_CHUNK + STREAM_TAKE_MAX, "writing");
        s->buf[i] = buf[i];
        if (!rc)
            run_buffer(file->run, buf[i], STREAM_CHUNK + STREAM_TAKE_MAX);
    }
    return rc;
}

void stream_close(struct stream *s)
{
    buf_free(s->buf[0]);
    buf_free(s->buf[1]);
    s->buf[0] = s->buf[1] = NULL;
}

/* Up to the next multiple of the chunk. */
static int64_t limit(const struct stream *s)
{
    return STREAM_CHUNK - s->at % STREAM_CHUNK;
}

/* Writes the first n bytes of the buffer; the rest begins the other one. */
static void stream_submit(struct stream *s, int64_t n)
{
    struct run_io *io = &s->io[s->now];
    uint8_t *from = s->buf[s->now];
    io->req =
        (struct io_req){.op = IO_OP_WRITE, .buf = from, .offset = s->at, .bytes = n};
    s->now = !s->now;
    run_await(s->file, &s->io[s->now]); /* before its buffer is filled again */
    memcpy(s->buf[s->now], from + n, (size_t)(s->fill - n));
    run_submit(s->file, io);
    s->at += n;
    s->fill -= n;
    s->requests++;
}

uint8_t *stream_take(struct stream *s, int64_t n)
{
    if (s->fill >= limit(s))
        stream_submit(s, limit(s));
    uint8_t *p = s->buf[s->now] + s->fill;
    s->fill += n;
    return memset(p, 0, (size_t)n);
}

void stream_flush(struct stream *s)
{
    if (s->fill > limit(s))
        stream_submit(s, limit(s));
    if (s->fill)
        stream_submit(s, s->fill);
    run_await(s->file, &s->io[0]);
    run_await(s->file, &s->io[1]);
}

void stream_seek(struct stream *s, int64_t offset)
{
    if (offset == stream_at(s))
        return;
    stream_flush(s);
    s->at = offset;
}

int64_t stream_requests(int64_t offset, int64_t bytes)
{
    return bytes ? (offset + bytes - 1) / STREAM_CHUNK - offset / STREAM_CHUNK + 1 : 0;
}

void stream_pad(struct stream *s, int64_t requests)
{
    stream_flush(s);
    while (s->requests < requests)
        stream_submit(s, 0);
    run_await(s->file, &s->io[0]);
    run_await(s->file, &s->io[1]);
}
