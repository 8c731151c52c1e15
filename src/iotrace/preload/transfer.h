/* Parts of read, write and similar calls, also for calls by number. */
#ifndef IOTRACE_PRELOAD_TRANSFER_H
#define IOTRACE_PRELOAD_TRANSFER_H

#include "iotrace/preload/recorder.h"
#include <sys/uio.h>

static inline size_t total(const struct iovec *v, int n)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i].iov_len;
    return sum;
}

/* ---- transfers at the descriptor's own offset. It is known as long as only this
 * thread moves it: any other thread takes the ownership away before it calls, and after
 * the call we check that we still have it. ---- */

static inline int64_t own_offset(const struct event *e, int fd)
{
    if (!is_logged(e) || (unsigned)fd >= FDS || !fds[fd].owner || vforked)
        return -1;
    if (LIKELY(lane && fds[fd].owner == lane->number + 1))
        return fds[fd].offset;
    __atomic_store_n(&fds[fd].owner, 0, __ATOMIC_SEQ_CST);
    return -1;
}

static inline int64_t own_offset_moved(int fd, int64_t before, int64_t moved)
{
    if (before < 0)
        return -1;
    struct fd_entry *f = &fds[fd];
    if (__atomic_load_n(&f->owner, __ATOMIC_ACQUIRE) != lane->number + 1)
        return -1;
    if (f->offset != before) { /* a signal handler was here */
        f->owner = 0;
        return -1;
    }
    if (moved > 0)
        f->offset = before + moved;
    return before;
}

/* Notes a failed transfer, with -errno, if O_DIRECT may be the reason. */
void event_refused(struct event *e, int fd, int64_t result);

/* Ends a transfer at an offset that the call gives, or that is known otherwise. */
static inline ssize_t moved_at(struct event *e, enum trace_op op, int fd,
                               int64_t offset, size_t request, ssize_t n)
{
    if (UNLIKELY(n < 0))
        event_refused(e, fd, -errno);
    return event_moved(e, op, offset, request, n);
}

static inline ssize_t transfer_moved(struct event *e, enum trace_op op, int fd,
                                     int64_t before, size_t request, ssize_t n)
{
    event_over(e);
    return moved_at(e, op, fd, own_offset_moved(fd, before, n), request, n);
}

static inline off_t seeked(struct event *e, int fd, int64_t before, off_t offset,
                           int whence, off_t at)
{
    event_over(e);
    if (own_offset_moved(fd, before, 0) >= 0 && at >= 0)
        fds[fd].offset = at;
    event_put(e, OP_LSEEK, offset, whence, outcome(at));
    return at;
}

/* ---- calls_fd.c: copies from one descriptor to another ---- */

bool fd_is_pipe(int fd);

/* Both ends of a copy: 0 is the source, 1 the destination. */
struct copy {
    struct event e[2];
    int fd[2];
    bool told[2]; /* the call gives the offset */
    int64_t at[2];
    int first; /* the end whose record has the time */
};
struct copy copy_begin(int in, const off_t *in_offset, int out, const off_t *out_offset,
                       int first);
ssize_t copied(struct copy *c, enum trace_op op, size_t asked, ssize_t n);

#endif
