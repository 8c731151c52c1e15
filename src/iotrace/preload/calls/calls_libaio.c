/* The kernel's asynchronous I/O through libaio: a submission is an event without bytes;
 * they count when the program fetches the completion. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/transfer.h"
#include <linux/aio_abi.h>
#include <sys/uio.h>

static bool is_read(const struct iocb *c)
{
    return c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PREADV;
}

static bool is_write(const struct iocb *c)
{
    return c->aio_lio_opcode == IOCB_CMD_PWRITE ||
           c->aio_lio_opcode == IOCB_CMD_PWRITEV;
}

static bool is_sync(const struct iocb *c)
{
    return c->aio_lio_opcode == IOCB_CMD_FSYNC || c->aio_lio_opcode == IOCB_CMD_FDSYNC;
}

static int64_t calls_libaio_asked(const struct iocb *c)
{
    const struct iovec *part = (const struct iovec *)(uintptr_t)c->aio_buf;
    int64_t sum = 0;
    if (c->aio_lio_opcode == IOCB_CMD_PREAD || c->aio_lio_opcode == IOCB_CMD_PWRITE)
        return (int64_t)c->aio_nbytes;
    for (uint64_t i = 0; (is_read(c) || is_write(c)) && i < c->aio_nbytes; i++)
        sum += (int64_t)part[i].iov_len;
    return sum;
}

/* a copy of a request, which another thread may free once it is submitted */
struct asked {
    enum trace_op op;
    int fd;
    int64_t offset, bytes;
};

static struct asked calls_libaio_read(const struct iocb *c, enum trace_op read,
                                      enum trace_op write)
{
    return (struct asked){is_read(c)    ? read
                          : is_write(c) ? write
                          : is_sync(c)  ? OP_LIBAIO_FSYNC
                                        : OP_NONE,
                          (int)c->aio_fildes, is_sync(c) ? -1 : c->aio_offset,
                          calls_libaio_asked(c)};
}

/* Records one request of a call; the first one has the call's time. */
static void calls_libaio_put(const struct asked *q, struct event *call, int flags,
                             int64_t result)
{
    struct event e = event_on(q->fd);
    e.start = call->start;
    e.end = call->end;
    e.flags = flags;
    event_refused(&e, q->fd, result);
    event_put(&e, q->op, q->offset, q->bytes, result);
    call->start = call->end;
}

static struct asked submission(const struct iocb *c)
{
    return calls_libaio_read(c, OP_LIBAIO_READ, OP_LIBAIO_WRITE);
}

/* True if it may be an address. The kernel refuses others; we must not end the program
 * by reading them. */
static bool may_be_address(const void *p)
{
    return (uintptr_t)p >= 4096 && (uintptr_t)p % sizeof p == 0;
}

/* Copies as many of n requests as fit into `most`; returns their number. */
static long calls_libaio_note(struct asked *to, long most, struct iocb *const *list,
                              long n)
{
    long i = 0;
    for (; may_be_address(list) && i < n && i < most && may_be_address(list[i]); i++)
        to[i] = submission(list[i]);
    return i;
}

/* libaio itself may make its calls by `syscall`, which comes here again. */
static __thread bool inside;

static intptr_t libaio_call(late_function *f, const intptr_t *a)
{
    inside = true;
    intptr_t rc = late_call(f, a);
    inside = false;
    return rc;
}

/* Records (context, n, requests[]), which returns how many were taken. Requests that
 * did not fit are read after the call. */
intptr_t libaio_submits(late_function *f, const intptr_t *a)
{
    enum { FEW = 8 };
    if (inside)
        return late_call(f, a);
    struct iocb *const *list = (struct iocb *const *)a[2];
    struct asked few[FEW], *before = few;
    char *room __attribute__((cleanup(room_give))) = a[1] > FEW ? room_take() : NULL;
    if (room)
        before = (struct asked *)(void *)room;
    long most = room ? ROOM_BYTES / (long)sizeof *before : FEW;
    long kept = calls_libaio_note(before, most, list, a[1]);
    struct event e = event_now();
    intptr_t rc = libaio_call(f, a);
    event_over(&e);
    int error = errno;
    for (long i = 0; i < (int32_t)rc; i++) {
        struct asked q = i < kept ? before[i] : submission(list[i]);
        if (q.op)
            calls_libaio_put(&q, &e, TRACE_ASYNC, 0);
    }
    errno = error;
    return rc;
}

/* Records (context, least, most, completions[], ...), which returns how many there are.
 * The requests are still valid: the program gets them back with this call. */
intptr_t libaio_fetches(late_function *f, const intptr_t *a)
{
    if (inside)
        return late_call(f, a);
    const struct io_event *done = (const struct io_event *)a[3];
    struct event e = event_now();
    intptr_t rc = libaio_call(f, a);
    event_over(&e);
    int error = errno;
    event_put(&e, OP_LIBAIO_WAIT, -1, a[1], (int32_t)rc);
    e.start = e.end; /* the wait has the time */
    for (int i = 0; i < (int32_t)rc; i++) {
        struct asked q = calls_libaio_read((const struct iocb *)(uintptr_t)done[i].obj,
                                           OP_LIBAIO_READ_END, OP_LIBAIO_WRITE_END);
        if (q.op && q.op != OP_LIBAIO_FSYNC)
            calls_libaio_put(&q, &e, 0, done[i].res);
    }
    errno = error;
    return rc;
}

WRAP_LATE(io_submit, libaio_submits(f, a))
WRAP_LATE(io_getevents, libaio_fetches(f, a))
WRAP_LATE(io_pgetevents, libaio_fetches(f, a))
