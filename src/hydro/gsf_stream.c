#include "hydro/gsf_stream.h"
#include "base/clock.h"
#include "base/err.h"
#include "hydro/gsf_format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads are small enough that what was read is still in the processor's cache when it
 * is decoded; the window holds one of them and the largest record that is cut by it. */
enum { READ_BYTES = 256 << 10, WINDOW_BYTES = GSF_RECORD_MAX + 64 + READ_BYTES };

/* O_NONBLOCK: a FIFO is to be refused, not waited for. */
int gsf_stream_open(struct gsf_stream *s, const char *path)
{
    struct stat st;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        return err_set(-errno, path, -1, "cannot open the file: %s", strerror(errno));
    if (fstat(s->fd, &st))
        return err_set(-errno, path, -1, "cannot look at the file: %s",
                       strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, path, -1,
                       "this is %s, not a regular file",
                       S_ISDIR(st.st_mode) ? "a directory" : "a device or a pipe");
    s->bytes = st.st_size;
    s->path = strdup(path);
    s->window = malloc(WINDOW_BYTES);
    if (!s->path || !s->window)
        return err_set(-ENOMEM, path, -1, "no memory to read the file");
    return 0;
}

/* Reads more behind what is in the window, at least up to n unread bytes. */
static int gsf_stream_fill(struct gsf_stream *s, int n)
{
    int have = s->end - s->begin;
    memmove(s->window, s->window + s->begin, (size_t)have);
    s->begin = 0;
    s->end = have;
    while (s->end < n) {
        int room = n - s->end > READ_BYTES ? n - s->end : READ_BYTES;
        int64_t start_ns = clock_ns();
        ssize_t got = pread(s->fd, s->window + s->end, (size_t)room, s->at + s->end);
        int64_t ns = clock_ns() - start_ns;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set(-errno, s->path, s->at + s->end, "read failed: %s",
                           strerror(errno));
        if (!got)
            return err_set(-EIO, s->path, s->at + s->end,
                           "the file became shorter while it was read");
        s->end += (int)got;
        told_transfer(&s->told, false, got, ns);
    }
    return 0;
}

int gsf_stream_see(struct gsf_stream *s, int n, const uint8_t **p)
{
    int rc = s->end - s->begin < n ? gsf_stream_fill(s, n) : 0;
    *p = s->window + s->begin;
    return rc;
}

void gsf_stream_skip(struct gsf_stream *s, int64_t n)
{
    s->at += n;
    if (n <= s->end - s->begin)
        s->begin += (int)n;
    else
        s->begin = s->end = 0;
}

void gsf_stream_close(struct gsf_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s->window);
    memset(s, 0, sizeof *s);
    s->fd = -1;
}
