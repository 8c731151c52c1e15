/* The kernel's asynchronous I/O by way of libaio: a submission is an event without
 * bytes; they count when the program fetches the completion. */
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

/* Of one request of a call, whose time is the first one's. */
static void calls_libaio_put(const struct iocb *c, enum trace_op op, struct event *call,
                             int flags, int64_t result)
{
    struct event e = event_on((int)c->aio_fildes);
    e.start = call->start;
    e.end = call->end;
    e.flags = flags;
    event_refused(&e, (int)c->aio_fildes, result);
    event_put(&e, op, is_sync(c) ? -1 : c->aio_offset, calls_libaio_asked(c), result);
    call->start = call->end;
}

/* (context, n, requests[]): how many were taken */
static intptr_t calls_libaio_submits(late_function *f, const intptr_t *a)
{
    struct iocb *const *list = (struct iocb *const *)a[2];
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    int error = errno;
    for (int i = 0; i < (int32_t)rc; i++)
        if (is_read(list[i]) || is_write(list[i]) || is_sync(list[i]))
            calls_libaio_put(list[i],
                             is_read(list[i])    ? OP_LIBAIO_READ
                             : is_write(list[i]) ? OP_LIBAIO_WRITE
                                                 : OP_LIBAIO_FSYNC,
                             &e, TRACE_ASYNC, 0);
    errno = error;
    return rc;
}

/* (context, least, most, completions[], ...): how many there are. The requests are
 * still the program's: it gets them back with this call. */
static intptr_t fetches(late_function *f, const intptr_t *a)
{
    const struct io_event *done = (const struct io_event *)a[3];
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    int error = errno;
    event_put(&e, OP_LIBAIO_WAIT, -1, a[1], (int32_t)rc);
    e.start = e.end; /* the time is the call's */
    for (int i = 0; i < (int32_t)rc; i++) {
        const struct iocb *c = (const struct iocb *)(uintptr_t)done[i].obj;
        if (is_read(c) || is_write(c))
            calls_libaio_put(c, is_read(c) ? OP_LIBAIO_READ_END : OP_LIBAIO_WRITE_END,
                             &e, 0, done[i].res);
    }
    errno = error;
    return rc;
}

WRAP_LATE(io_submit, calls_libaio_submits(f, a))
WRAP_LATE(io_getevents, fetches(f, a))
WRAP_LATE(io_pgetevents, fetches(f, a))
