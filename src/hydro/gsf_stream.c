#include "hydro/gsf_stream.h"
#include "base/err.h"
#include "hydro/gsf_format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = GSF_RECORD_MAX + 64 };

/* ---- the stream's own source ----------------------------------------------------- */

static int own_read(void *context, int64_t at, const uint8_t **p, int64_t *n)
{
    struct gsf_stream *s = context;
    ssize_t got;
    do
        got = pread(s->fd, s->own, GSF_READ_BYTES, at);
    while (got < 0 && errno == EINTR);
    *p = s->own;
    *n = got;
    if (got < 0)
        return err_set(-errno, s->path, at, "read failed: %s", strerror(errno));
    if (!got)
        return err_set(-EIO, s->path, at, "the file became shorter while it was read");
    return 0;
}

int gsf_check_file(const char *path, const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return 0;
    return err_set(S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL, path, -1,
                   "this is %s, not a regular file",
                   S_ISDIR(st->st_mode) ? "a directory" : "a device or a pipe");
}

/* Opens the file. O_NONBLOCK: a FIFO is refused instead of waited for. */
static int own_open(struct gsf_stream *s, const char *path)
{
    struct stat st;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        return err_set(-errno, path, -1, "cannot open the file: %s", strerror(errno));
    if (fstat(s->fd, &st))
        return err_set(-errno, path, -1, "cannot look at the file: %s",
                       strerror(errno));
    s->own = malloc(GSF_READ_BYTES);
    s->source =
        (struct gsf_source){.read = own_read, .context = s, .bytes = st.st_size};
    return gsf_check_file(path, &st);
}

/* ---- the stream ------------------------------------------------------------------ */

int gsf_stream_open(struct gsf_stream *s, const char *path,
                    const struct gsf_source *source)
{
    *s = (struct gsf_stream){.fd = -1};
    int rc = 0;
    if (source)
        s->source = *source;
    else
        rc = own_open(s, path);
    s->path = strdup(path);
    s->window = malloc(WINDOW_BYTES);
    if (!rc && (!s->path || !s->window || (!source && !s->own)))
        rc = err_set(-ENOMEM, path, -1, "no memory to read the file");
    return rc;
}

void gsf_stream_close(struct gsf_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s->window);
    free(s->own);
    *s = (struct gsf_stream){.fd = -1};
}

static int64_t end_of_piece(const struct gsf_stream *s)
{
    return s->piece_at + s->piece_bytes;
}

/* Reads the piece that has byte `at`, from there on. */
static int next_piece(struct gsf_stream *s, int64_t at)
{
    s->piece_at = at;
    s->piece_bytes = 0;
    return s->source.read(s->source.context, at, &s->piece, &s->piece_bytes);
}

/* Assembles a record that is split across pieces in the window. */
static int gsf_stream_fill(struct gsf_stream *s, int n)
{
    int rc = 0;
    while (s->held < n && !rc) {
        int64_t at = s->at + s->held, here = end_of_piece(s) - at;
        if (here <= 0) {
            rc = next_piece(s, at);
            continue;
        }
        int64_t part = here < n - s->held ? here : n - s->held;
        memcpy(s->window + s->held, s->piece + (at - s->piece_at), (size_t)part);
        s->held += part;
    }
    return rc;
}

int gsf_stream_see(struct gsf_stream *s, int n, const uint8_t **p)
{
    int rc = 0;
    if (!s->held && s->at >= end_of_piece(s))
        rc = next_piece(s, s->at);
    if (!rc && !s->held && s->at + n <= end_of_piece(s)) {
        *p = s->piece + (s->at - s->piece_at);
        return 0;
    }
    rc = rc ? rc : gsf_stream_fill(s, n);
    *p = s->window;
    return rc;
}

void gsf_stream_skip(struct gsf_stream *s, int64_t n)
{
    s->at += n;
    if (s->held && s->at < s->piece_at) {
        s->held -= n;
        memmove(s->window, s->window + n, (size_t)s->held);
    } else {
        s->held = 0;
    }
}
