/* io_uring through liburing's exported functions: see uring.h. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/uring.h"

/* The parts of struct io_uring that functions compiled into programs use, and which
 * therefore cannot change. */
struct ring {
    unsigned *sq_pointers[7];
    struct io_uring_sqe *sqes;
    unsigned head, tail; /* requests that the library has not submitted yet */
    size_t sq_rest[4];
    unsigned *cq_head, *cq_tail, *cq_mask, *cq_pointers[3];
    const char *cqes;
    size_t cq_rest[4];
    unsigned flags;
    int fd;
    unsigned features;
};
_Static_assert(offsetof(struct ring, cq_head) == 104, "as in liburing");
_Static_assert(offsetof(struct ring, flags) == 192, "as in liburing");

enum { MASK = 2 };

/* Finds the ring. The structure may be a new one at the same address. */
static struct uring *calls_uring_of(const struct ring *r)
{
    struct uring *u = uring_find((uintptr_t)r);
    if (u && u->tail && u->tail != r->cq_tail) {
        uring_forget(u);
        u = NULL;
    }
    if (!u)
        u = uring_make((uintptr_t)r);
    if (u && !u->tail && uring_turn(&u->busy)) {
        if (!u->tail) {
            u->completions = r->cqes;
            u->mask = *r->cq_mask;
            u->shift = r->flags & URING_LARGE_COMPLETIONS ? 1 : 0;
            u->seen = __atomic_load_n(r->cq_head, __ATOMIC_ACQUIRE);
            __atomic_store_n(&u->tail, r->cq_tail, __ATOMIC_RELEASE);
        }
        uring_turn_over(&u->busy);
    }
    return u;
}

static const struct io_uring_sqe *calls_uring_request(const struct ring *r, unsigned i)
{
    unsigned shift = r->flags & URING_LARGE_REQUESTS ? 1 : 0;
    return &r->sqes[(size_t)(i & *r->sq_pointers[MASK]) << shift];
}

/* Records the requests of a call. The library's own count of entries tells which ones
 * it has handed to the kernel. They are remembered before the call: the kernel can
 * complete the first, and another thread see that, before the call returns. Requests
 * that other threads add meanwhile are theirs. */
static void calls_uring_put(struct uring *u, const struct ring *r,
                            struct uring_batch *b, unsigned from, struct event *call)
{
    unsigned taken = __atomic_load_n(&r->head, __ATOMIC_RELAXED) - from;
    for (unsigned i = 0; i < b->n; i++)
        if ((int)(i - taken) < 0)
            uring_put(u, calls_uring_request(r, from + i), b, i, call);
        else /* the call submits nothing */
            uring_unhand(u, calls_uring_request(r, from + i), b, i);
    uring_batch_end(b);
    uring_look(u);
}

static intptr_t calls_uring_submits(late_function *f, const intptr_t *a,
                                    enum trace_op op, int64_t request)
{
    const struct ring *r = (const struct ring *)a[0];
    struct uring *u = calls_uring_of(r);
    unsigned from = r->head, n = r->tail - from;
    struct uring_batch b;
    if (u) {
        uring_look_before(u);
        uring_batch_begin(&b, n);
        while (b.n < n)
            uring_hand(u, calls_uring_request(r, from + b.n), &b);
    }
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    struct event its = e;
    if (op) /* then the wait has the time */
        its.end = its.start;
    int error = errno;
    if (u)
        calls_uring_put(u, r, &b, from, &its);
    if (op)
        event_put(&e, op, -1, request, (int32_t)rc);
    errno = error;
    return rc;
}

/* Records a call that only waits. Another thread may prepare and submit requests at the
 * same time: it does not read those. */
static intptr_t calls_uring_waits(late_function *f, const intptr_t *a, int64_t request)
{
    struct uring *u = calls_uring_of((const struct ring *)a[0]);
    struct event e = event_now();
    intptr_t rc = late_call(f, a);
    event_over(&e);
    int error = errno;
    event_put(&e, OP_URING_WAIT, -1, request, (int32_t)rc);
    if (u)
        uring_look(u);
    errno = error;
    return rc;
}

/* Records a wait with a limit. If the kernel cannot take the limit with the call, the
 * library submits it as a request, and with it all prepared ones. */
static intptr_t calls_uring_waits_limited(late_function *f, const intptr_t *a,
                                          int64_t request)
{
    const struct ring *r = (const struct ring *)a[0];
    return r->features & URING_LIMITED_WAITS
               ? calls_uring_waits(f, a, request)
               : calls_uring_submits(f, a, OP_URING_WAIT, request);
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
        uring_look_before(u);
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

/* The last argument is the number of completions to wait for. */
WRAP_LATE(io_uring_submit, calls_uring_submits(f, a, OP_NONE, 0))
WRAP_LATE(io_uring_submit_and_get_events, calls_uring_submits(f, a, OP_NONE, 0))
WRAP_LATE(io_uring_submit_and_wait,
          calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[1]))
WRAP_LATE(io_uring_submit_and_wait_timeout,
          calls_uring_submits(f, a, OP_URING_WAIT, (uint32_t)a[2]))
WRAP_LATE(io_uring_wait_cqes, calls_uring_waits_limited(f, a, (uint32_t)a[2]))
WRAP_LATE(io_uring_wait_cqe_timeout, calls_uring_waits_limited(f, a, 1))
WRAP_LATE(__io_uring_get_cqe, calls_uring_waits(f, a, (uint32_t)a[3]))
