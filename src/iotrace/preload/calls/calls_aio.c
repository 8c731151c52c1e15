/* POSIX asynchronous I/O: the submission is an event without bytes; they count when the
 * program asks for the result with aio_return. */
#include "iotrace/preload/mpi/mpi.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/transfer.h"
#include <aio.h>
#include <dlfcn.h>
#include <string.h>

/* Returns the mark of a request by MPI. MPI libraries begin a transfer in one of their
 * calls and complete it in any other, or in a thread of their own: its result still
 * belongs to an MPI call whose bytes are counted. So the request itself is marked, in a
 * place that the C library leaves free. */
static uint64_t mark_of(const struct aiocb *cb)
{
    return UINT64_C(0x6c6564616e696c21) ^ (uintptr_t)cb;
}

/* True if MPI makes the call. Open MPI submits the rest of a long list of pieces in any
 * later call. */
static bool is_of_mpi(const void *caller)
{
    Dl_info from;
    return mpi_expects() && dladdr(caller, &from) && from.dli_fname &&
           (strstr(from.dli_fname, "/mca_") || strstr(from.dli_fname, "libmpi"));
}

static bool mark(struct aiocb *cb, const void *caller)
{
    bool nested = level || is_of_mpi(caller);
    uint64_t word = nested ? mark_of(cb) : 0;
    memcpy(cb->__glibc_reserved, &word, sizeof word);
    return nested && !level;
}

static bool is_nested(const struct aiocb *cb)
{
    uint64_t word;
    memcpy(&word, cb->__glibc_reserved, sizeof word);
    return !level && word == mark_of(cb);
}

#define SUBMITS(name, OP)                                                              \
    WRAP(int, name, (struct aiocb * cb))                                               \
    {                                                                                  \
        bool deeper = mark(cb, __builtin_return_address(0));                           \
        struct event e = event_on(cb->aio_fildes);                                     \
        e.flags = TRACE_ASYNC;                                                         \
        int rc = REAL(name)(cb);                                                       \
        level += deeper;                                                               \
        event_moved(&e, OP, cb->aio_offset, cb->aio_nbytes, rc);                       \
        level -= deeper;                                                               \
        return rc;                                                                     \
    }
SUBMITS(aio_read, OP_AIO_READ)
ALIAS(aio_read64, aio_read);
SUBMITS(aio_write, OP_AIO_WRITE)
ALIAS(aio_write64, aio_write);

WRAP(int, aio_fsync, (int how, struct aiocb *cb))
{
    struct event e = event_on(cb->aio_fildes);
    mark(cb, __builtin_return_address(0));
    e.flags = TRACE_ASYNC;
    return (int)event_moved(&e, OP_AIO_FSYNC, -1, 0, REAL(aio_fsync)(how, cb));
}
ALIAS(aio_fsync64, aio_fsync);

/* The C library overwrites aio_lio_opcode with the kind of request. */
WRAP(ssize_t, aio_return, (struct aiocb * cb))
{
    struct event e = event_on(cb->aio_fildes);
    int kind = cb->aio_lio_opcode;
    int64_t offset = cb->aio_offset;
    size_t asked = cb->aio_nbytes;
    bool deeper = is_nested(cb);
    ssize_t n = REAL(aio_return)(cb);
    int64_t result = n < 0 ? -cb->__error_code : n; /* errno stays as it was */
    level += deeper;
    if (kind != LIO_READ && kind != LIO_WRITE)
        event_put(&e, OP_AIO_RETURN_FSYNC, -1, 0, result);
    else {
        event_refused(&e, cb->aio_fildes, result);
        event_put(&e, kind == LIO_READ ? OP_AIO_RETURN_READ : OP_AIO_RETURN_WRITE,
                  offset, (int64_t)asked, result);
    }
    level -= deeper;
    return n;
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
    for (int i = 0; i < n; i++)
        if (list[i])
            mark(list[i], __builtin_return_address(0));
    struct event e = event_now();
    return (int)event_moved(&e, OP_LIO_LISTIO, -1, (size_t)n,
                            REAL(lio_listio)(mode, list, n, event));
}
ALIAS(lio_listio64, lio_listio);
