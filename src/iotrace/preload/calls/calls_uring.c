/* io_uring by way of liburing's exported functions. The requests of a submission are
 * seen, each is an event, and its bytes are those it asks for: how it ends is not seen.
 * Programs take completions out of memory that they share with the kernel, by functions
 * that are compiled into them; only those that find none call the library, and that is
 * io_uring_wait. Programs that call the kernel themselves are not seen at all. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include <linux/io_uring.h>
#include <sys/uio.h>

/* The part of struct io_uring on which the functions that are compiled into programs
 * rely, so that it stays what it is. */
struct ring {
    unsigned *sq_pointers[7];
    struct io_uring_sqe *sqes;
    unsigned head, tail; /* of what the library has not yet submitted */
    size_t rest[15];
    unsigned flags;
};
_Static_assert(offsetof(struct ring, flags) == 192, "as in liburing");

enum { MASK = 2, LARGE_ENTRIES = 1 << 10 };

/* Files that a program has registered with a ring: a request then has a place in that
 * list instead of a descriptor. Of rings and files beyond these nothing is known. */
enum { RINGS = 64, FILES = 16 };
static struct registered {
    uintptr_t ring; /* 0: free; TAKEN: being filled */
    unsigned n;
    int fd[FILES];
} registered[RINGS];
#define TAKEN 1

static void registered_forget(uintptr_t ring)
{
    for (int i = 0; i < RINGS; i++)
        if (__atomic_load_n(&registered[i].ring, __ATOMIC_ACQUIRE) == ring)
            __atomic_store_n(&registered[i].ring, 0, __ATOMIC_RELEASE);
}

static void registered_note(uintptr_t ring, const int *fd, unsigned n)
{
    for (int i = 0; i < RINGS; i++) {
        struct registered *r = &registered[i];
        uintptr_t none = 0;
        if (!__atomic_compare_exchange_n(&r->ring, &none, TAKEN, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        r->n = n < FILES ? n : FILES;
        for (unsigned k = 0; k < r->n; k++)
            r->fd[k] = fd[k];
        __atomic_store_n(&r->ring, ring, __ATOMIC_RELEASE);
        return;
    }
}

/* The descriptor of a request, or -1. */
static int calls_uring_fd_of(uintptr_t ring, const struct io_uring_sqe *s)
{
    if (!(s->flags & IOSQE_FIXED_FILE))
        return s->fd;
    for (int i = 0; i < RINGS; i++)
        if (__atomic_load_n(&registered[i].ring, __ATOMIC_ACQUIRE) == ring)
            return (unsigned)s->fd < registered[i].n ? registered[i].fd[s->fd] : -1;
    return -1;
}

static enum trace_op op_of(const struct io_uring_sqe *s)
{
    switch (s->opcode) {
    case IORING_OP_READ:
    case IORING_OP_READV:
    case IORING_OP_READ_FIXED:
        return OP_URING_READ;
    case IORING_OP_WRITE:
    case IORING_OP_WRITEV:
    case IORING_OP_WRITE_FIXED:
        return OP_URING_WRITE;
    case IORING_OP_FSYNC:
    case IORING_OP_SYNC_FILE_RANGE:
        return OP_URING_FSYNC;
    default:
        return OP_NONE;
    }
}

static int64_t calls_uring_asked(const struct io_uring_sqe *s)
{
    const struct iovec *part = (const struct iovec *)(uintptr_t)s->addr;
    int64_t sum = 0;
    if (s->opcode != IORING_OP_READV && s->opcode != IORING_OP_WRITEV)
        return op_of(s) == OP_URING_FSYNC ? 0 : s->len;
    for (unsigned i = 0; i < s->len; i++)
        sum += (int64_t)part[i].iov_len;
    return sum;
}

static void put_request(uintptr_t ring, const struct io_uring_sqe *s,
                        struct event *call)
{
    enum trace_op op = op_of(s);
    if (!op)
        return;
    int fd = calls_uring_fd_of(ring, s);
    struct event e = fd >= 0 ? event_on(fd) : event_now();
    e.start = call->start;
    e.end = call->end;
    int64_t bytes = calls_uring_asked(s);
    event_put(&e, op, op == OP_URING_FSYNC ? -1 : (int64_t)s->off, bytes, bytes);
    call->start = call->end; /* the call's time is the first one's */
}

/* The library's own count of entries tells what the call has handed to the kernel; who
 * fills the ring is who submits, so that they are still there. */
static intptr_t calls_uring_submits(late_function *f, const intptr_t *a,
                                    enum trace_op op, int64_t request)
{
    const struct ring *r = (const struct ring *)a[0];
    unsigned from = r->head;
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    struct event its = e;
    unsigned mask = *r->sq_pointers[MASK];
    unsigned shift = r->flags & LARGE_ENTRIES ? 1 : 0;
    int error = errno;
    for (unsigned i = from; i != r->head; i++)
        put_request((uintptr_t)r, &r->sqes[(i & mask) << shift], &its);
    if (op)
        event_put(&e, op, -1, request, (int32_t)rc);
    errno = error;
    return rc;
}

static intptr_t registers(late_function *f, const intptr_t *a)
{
    intptr_t rc = late_call(f, a);
    if (rc >= 0)
        registered_note((uintptr_t)a[0], (const int *)a[1], (unsigned)a[2]);
    return rc;
}

static intptr_t forgets(late_function *f, const intptr_t *a)
{
    registered_forget((uintptr_t)a[0]);
    return late_call(f, a);
}

WRAP_LATE(io_uring_register_files, registers(f, a))
WRAP_LATE(io_uring_unregister_files, forgets(f, a))
WRAP_LATE(io_uring_queue_exit, forgets(f, a))

/* The last argument: how many completions are waited for. */
WRAP_LATE(io_uring_submit, calls_uring_submits(f, a, OP_NONE, 0))
WRAP_LATE(io_uring_submit_and_get_events, calls_uring_submits(f, a, OP_NONE, 0))
WRAP_LATE(io_uring_submit_and_wait,
          calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[1]))
WRAP_LATE(io_uring_submit_and_wait_timeout,
          calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[2]))
WRAP_LATE(io_uring_wait_cqes, calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[2]))
WRAP_LATE(io_uring_wait_cqe_timeout, calls_uring_submits(f, a, OP_URING_WAIT, 1))
WRAP_LATE(__io_uring_get_cqe, calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[3]))
