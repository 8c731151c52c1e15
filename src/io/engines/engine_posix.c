/* posix: pread(2) and pwrite(2), synchronous. Option: piece=N, the largest number of
 * bytes in one system call (so that tests of the splitting need no 2 GiB). */
#include "base/err.h"
#include "io/engine.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 30) /* Linux moves at most 2 GiB - 4 KiB in a call */

static int fd_of(const struct io_file *f)
{
    return (int)(intptr_t)f->priv;
}

static int posix_open(struct io_file *f)
{
    int fd = io_descriptor_open(f);
    if (fd < 0)
        return fd;
    f->priv = (void *)(intptr_t)fd;
    f->layer = "POSIX";
    return 0;
}

/* Makes one system call. */
static ssize_t piece(const struct io_req *r)
{
    const struct io_file *f = r->file;
    int64_t left = r->bytes - r->done;
    int64_t most = io_option(f->options, "piece", PIECE);
    size_t n = (size_t)(left < most ? left : most);
    char *at = (char *)r->buf + r->done;
    if (r->op == IO_OP_READ)
        return pread(fd_of(f), at, n, r->offset + r->done);
    return pwrite(fd_of(f), at, n, r->offset + r->done);
}

static int posix_start(struct io_queue *q, struct io_req *r[], int n)
{
    (void)q;
    for (int i = 0; i < n; i++)
        while (!io_req_enough(r[i], r[i]->done)) {
            ssize_t moved = piece(r[i]);
            if (moved < 0 && errno == EINTR)
                continue;
            if (moved < 0)
                return io_req_fail(r[i], -errno, strerror(errno));
            if (moved == 0)
                return io_req_fail(r[i], -EIO,
                                   r[i]->op == IO_OP_READ ? "the file ends here"
                                                          : "nothing was written");
            r[i]->done += moved;
        }
    return 0;
}

static int posix_sync(struct io_file *f)
{
    return io_descriptor_sync(f, fd_of(f));
}

static int posix_close(struct io_file *f)
{
    if (close(fd_of(f)))
        return err_set(-errno, f->path, -1, "close failed: %s", strerror(errno));
    return 0;
}

const struct io_engine io_engine_posix = {
    .name = "posix",
    .options = "piece",
    .can = IO_CAN_DSYNC | IO_CAN_DATA_SYNC | IO_CAN_DIRECT | IO_CAN_BE_INNER,
    .open = posix_open,
    .start = posix_start,
    .sync = posix_sync,
    .close = posix_close,
};
