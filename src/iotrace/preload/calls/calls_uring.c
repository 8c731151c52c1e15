/* io_uring by way of liburing's exported functions: see uring.h. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/uring.h"

/* The parts of struct io_uring on which the functions that are compiled into programs
 * rely, so that they stay what they are. */
struct ring {
    unsigned *sq_pointers[7];
    struct io_uring_sqe *sqes;
    unsigned head, tail; /* of what the library has not yet submitted */
    size_t sq_rest[4];
    unsigned *cq_head, *cq_tail, *cq_mask, *cq_pointers[3];
    const char *cqes;
    size_t cq_rest[4];
    unsigned flags;
    int fd;
};
_Static_assert(offsetof(struct ring, cq_head) == 104, "as in liburing");
_Static_assert(offsetof(struct ring, flags) == 192, "as in liburing");

enum { MASK = 2 };

/* The structure may be another's that was at the same address before. */
static struct uring *calls_uring_of(const struct ring *r)
{
    struct uring *u = uring_find((uintptr_t)r);
    if (u && u->tail && u->tail != r->cq_tail) {
        uring_forget(u);
        u = NULL;
    }
    if (!u)
        u = uring_make((uintptr_t)r);
    if (u && !u->tail) {
        u->completions = r->cqes;
        u->mask = *r->cq_mask;
        u->shift = r->flags & URING_LARGE_COMPLETIONS ? 1 : 0;
        u->seen = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE);
        __atomic_store_n(&u->tail, r->cq_tail, __ATOMIC_RELEASE);
    }
    return u;
}

static const struct io_uring_sqe *calls_uring_request(const struct ring *r, unsigned i)
{
    unsigned shift = r->flags & URING_LARGE_REQUESTS ? 1 : 0;
    return &r->sqes[(size_t)(i & *r->sq_pointers[MASK]) << shift];
}

/* The library's own count of entries tells what the call has handed to the kernel. They
 * are remembered before, as the first can be completed, and be seen by another thread,
 * before the call is over. */
static intptr_t calls_uring_submits(late_function *f, const intptr_t *a,
                                    enum trace_op op, int64_t request)
{
    const struct ring *r = (const struct ring *)a[0];
    struct uring *u = calls_uring_of(r);
    unsigned from = r->head, to = r->tail, known = from;
    if (u)
        uring_look(u);
    while (u && known != to && uring_hand(u, calls_uring_request(r, known)))
        known++;
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    struct event its = e;
    if (op) /* then the time is the wait's */
        its.end = its.start;
    int error = errno;
    for (unsigned i = from; u && i != r->head; i++)
        uring_put(u, calls_uring_request(r, i), &its, (int)(i - known) < 0);
    for (unsigned i = r->head; u && (int)(i - known) < 0; i++)
        uring_unhand(u, calls_uring_request(r, i)); /* a call that submits nothing */
    if (op)
        event_put(&e, op, -1, request, (int32_t)rc);
    if (u)
        uring_look(u);
    errno = error;
    return rc;
}

static intptr_t registers(late_function *f, const intptr_t *a)
{
    intptr_t rc = late_call(f, a);
    struct uring *u = rc >= 0 ? calls_uring_of((const struct ring *)a[0]) : NULL;
    if (u)
        uring_files(u, (const int *)a[1], (unsigned)a[2]);
    return rc;
}

static intptr_t unregisters(late_function *f, const intptr_t *a)
{
    struct uring *u = uring_find((uintptr_t)a[0]);
    if (u)
        u->files = 0;
    return late_call(f, a);
}

static intptr_t forgets(late_function *f, const intptr_t *a)
{
    struct uring *u = uring_find((uintptr_t)a[0]);
    if (u) {
        uring_look(u);
        uring_forget(u);
    }
    return late_call(f, a);
}

static intptr_t looks(late_function *f, const intptr_t *a)
{
    intptr_t rc = late_call(f, a);
    struct uring *u = uring_find((uintptr_t)a[0]);
    if (u)
        uring_look(u);
    return rc;
}

WRAP_LATE(io_uring_register_files, registers(f, a))
WRAP_LATE(io_uring_unregister_files, unregisters(f, a))
WRAP_LATE(io_uring_queue_exit, forgets(f, a))
WRAP_LATE(io_uring_peek_batch_cqe, looks(f, a))

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
