/* POSIX asynchronous I/O: the submission is an event without bytes; they count when the
 * program asks with aio_return what came of it. */
#include "iotrace/preload/real.h"
#include "iotrace/preload/recorder.h"
#include <aio.h>

#define SUBMITS(name, OP)                                                              \
    WRAP(int, name, (struct aiocb * cb))                                               \
    {                                                                                  \
        struct event e = event_on(cb->aio_fildes);                                     \
        e.flags = TRACE_ASYNC;                                                         \
        int rc = REAL(name)(cb);                                                       \
        return (int)event_moved(&e, OP, cb->aio_offset, cb->aio_nbytes, rc);           \
    }
SUBMITS(aio_read, OP_AIO_READ)
ALIAS(aio_read64, aio_read);
SUBMITS(aio_write, OP_AIO_WRITE)
ALIAS(aio_write64, aio_write);

WRAP(int, aio_fsync, (int how, struct aiocb *cb))
{
    struct event e = event_on(cb->aio_fildes);
    e.flags = TRACE_ASYNC;
    return (int)event_moved(&e, OP_AIO_FSYNC, -1, 0, REAL(aio_fsync)(how, cb));
}
ALIAS(aio_fsync64, aio_fsync);

/* The C library puts the kind of request into aio_lio_opcode whatever the program had
 * there. */
WRAP(ssize_t, aio_return, (struct aiocb * cb))
{
    struct event e = event_on(cb->aio_fildes);
    int kind = cb->aio_lio_opcode;
    int64_t offset = cb->aio_offset;
    size_t asked = cb->aio_nbytes;
    ssize_t n = REAL(aio_return)(cb);
    if (kind != LIO_READ && kind != LIO_WRITE)
        return event_moved(&e, OP_AIO_RETURN_FSYNC, -1, 0, n);
    return event_moved(&e, kind == LIO_READ ? OP_AIO_RETURN_READ : OP_AIO_RETURN_WRITE,
                       offset, asked, n);
}
ALIAS(aio_return64, aio_return);

WRAP(int, aio_suspend,
     (const struct aiocb *const list[], int n, const struct timespec *t))
{
    struct event e = event_now();
    return (int)event_moved(&e, OP_AIO_SUSPEND, -1, (size_t)n,
                            REAL(aio_suspend)(list, n, t));
}
ALIAS(aio_suspend64, aio_suspend);

WRAP(int, aio_cancel, (int fd, struct aiocb *cb))
{
    struct event e = event_on(fd);
    return (int)event_moved(&e, OP_AIO_CANCEL, -1, 0, REAL(aio_cancel)(fd, cb));
}
ALIAS(aio_cancel64, aio_cancel);

WRAP(int, lio_listio,
     (int mode, struct aiocb *const list[], int n, struct sigevent *event))
{
    struct event e = event_now();
    return (int)event_moved(&e, OP_LIO_LISTIO, -1, (size_t)n,
                            REAL(lio_listio)(mode, list, n, event));
}
ALIAS(lio_listio64, lio_listio);
