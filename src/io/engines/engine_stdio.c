/* stdio: a stream of the C library, synchronous. The library gathers small transfers in
 * a buffer, which it fills and empties with read(2) and write(2). Other opens of the
 * file see the buffer's bytes after flush or sync. Options: buffer=N, the buffer's
 * bytes, 1: none (default: the library's choice, the file system's block size);
 * piece=N, the largest number of bytes in one call. */
#include "base/err.h"
#include "base/mem.h"
#include "io/engine.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE (-1) /* the next transfer seeks */
#define PIECE (INT64_C(1) << 30)

struct stdio {
    int fd;                      /* for the next stream; -1: the file is opened again */
    FILE *stream;                /* NULL: the next transfer begins one */
    int64_t piece, buffer_bytes; /* values of the options */
    char *buffer;                /* NULL: the library's */
    int64_t at;                  /* position in the file */
    enum io_op last;
};

static struct stdio *stdio_of(const struct io_file *f)
{
    return f->priv;
}

static int stdio_failed(const struct io_file *f, const char *what)
{
    int error = errno ? errno : EIO;
    return err_set(-error, f->path, -1, "%s failed: %s", what, strerror(error));
}

static int stdio_open(struct io_file *f)
{
    struct stdio *s = mem_of(f->path, 1, sizeof *s, "a stream");
    int64_t bytes = io_option(f->options, "buffer", 0);
    char *buffer = bytes ? mem_of(f->path, bytes, 1, "a stream") : NULL;
    if (!s || (bytes && !buffer)) {
        free(s);
        free(buffer);
        return -ENOMEM;
    }
    s->piece = io_option(f->options, "piece", PIECE);
    s->buffer_bytes = bytes;
    s->buffer = buffer;
    s->fd = io_descriptor_open(f);
    if (s->fd < 0) {
        int rc = s->fd;
        free(buffer);
        free(s);
        return rc;
    }
    f->priv = s;
    f->layer = "POSIX";
    return 0;
}

/* Begins a stream. fdopen truncates nothing, whatever the mode. */
static int stdio_begin(const struct io_file *f, struct stdio *s)
{
    const char *mode = f->flags & IO_WRITE ? f->flags & IO_READ ? "r+" : "w" : "r";
    size_t bytes = (size_t)s->buffer_bytes;
    int rc = 0;
    if (s->fd < 0)
        s->fd = io_descriptor_open(f);
    if (s->fd < 0)
        return s->fd;
    s->at = NOWHERE;
    s->stream = fdopen(s->fd, mode);
    if (!s->stream)
        return -errno;
    s->fd = -1;
    if (bytes)
        rc = setvbuf(s->stream, s->buffer, bytes > 1 ? _IOFBF : _IONBF, bytes);
    return rc ? -EINVAL : 0;
}

/* Goes to the request's offset. A stream that is there already need not seek, except
 * between reading and writing. */
static int go_to(struct stdio *s, const struct io_req *r)
{
    int64_t to = r->offset + r->done;
    if (s->at == to && s->last == r->op)
        return 0;
    s->at = to;
    s->last = r->op;
    return fseeko(s->stream, (off_t)to, SEEK_SET) ? -errno : 0;
}

static size_t stdio_move(struct stdio *s, enum io_op op, void *at, size_t n)
{
    if (op == IO_OP_READ)
        return fread(at, 1, n, s->stream);
    return fwrite(at, 1, n, s->stream);
}

/* True if a failure loses bytes of earlier transfers: the library empties its buffer,
 * even if it could not write it. */
static bool loses(const struct stdio *s, enum io_op op)
{
    return op == IO_OP_WRITE && s->buffer_bytes != 1;
}

/* Transfers some bytes of the request. Returns 0, or -errno. */
static int move_some(const struct io_file *f, struct stdio *s, struct io_req *r)
{
    int64_t left = r->bytes - r->done;
    size_t n = (size_t)(left < s->piece ? left : s->piece);
    char *at = (char *)r->buf + r->done;
    errno = 0;
    int rc = s->stream ? 0 : stdio_begin(f, s);
    rc = rc ? rc : go_to(s, r);
    if (rc)
        return rc;
    clearerr(s->stream);
    size_t moved = stdio_move(s, r->op, at, n);
    r->done += (int64_t)moved;
    s->at = moved == n ? s->at + (int64_t)moved : NOWHERE;
    if (moved == n || (errno == EINTR && !loses(s, r->op)))
        return 0;
    return ferror(s->stream) && errno ? -errno : -EIO;
}

static int stdio_transfer(struct io_req *r)
{
    struct stdio *s = stdio_of(r->file);
    while (!io_req_enough(r, r->done)) {
        int rc = move_some(r->file, s, r);
        bool end = rc && s->stream && feof(s->stream);
        if (rc && !(end && io_req_enough(r, r->done)))
            return io_req_fail(r, rc,
                               end            ? "the file ends here"
                               : rc == -EINTR ? "a signal came, and the C library has "
                                                "dropped what its buffer held"
                                              : strerror(-rc));
    }
    return 0;
}

static int stdio_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++)
        stdio_transfer(r[i]);
    return 0;
}

/* Flushes the buffer. To discard it the stream is closed: one that only seeks may still
 * read from its buffer. */
static int stdio_flush(struct io_file *f, bool discard)
{
    struct stdio *s = stdio_of(f);
    FILE *stream = s->stream;
    errno = 0;
    if (!stream)
        return 0;
    if (!discard)
        return fflush(stream) ? stdio_failed(f, "fflush") : 0;
    s->stream = NULL;
    return fclose(stream) ? stdio_failed(f, "fclose") : 0;
}

static int stdio_sync(struct io_file *f)
{
    struct stdio *s = stdio_of(f);
    int rc = stdio_flush(f, false);
    if (!s->stream && s->fd < 0)
        s->fd = io_descriptor_open(f);
    if (!s->stream && s->fd < 0)
        return s->fd;
    if (!rc && fsync(s->stream ? fileno(s->stream) : s->fd))
        rc = stdio_failed(f, "fsync");
    int closed = f->flags & IO_READ ? stdio_flush(f, true) : 0;
    return rc ? rc : closed;
}

static int stdio_close(struct io_file *f)
{
    struct stdio *s = stdio_of(f);
    int rc = stdio_flush(f, true);
    if (s->fd >= 0 && close(s->fd) && !rc)
        rc = stdio_failed(f, "close");
    free(s->buffer);
    free(s);
    return rc;
}

const struct io_engine io_engine_stdio = {
    .name = "stdio",
    .options = "buffer|piece",
    .open = stdio_open,
    .start = stdio_start,
    .flush = stdio_flush,
    .sync = stdio_sync,
    .close = stdio_close,
};
