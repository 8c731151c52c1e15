#include "iotrace/preload/uring.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/transfer.h"
#include <string.h>
#include <sys/uio.h>

enum { RINGS = 64, REQUESTS = 1 << 14, TRIES = 32 };

static struct uring rings[RINGS];
static unsigned by_calls;                /* number of rings that system calls drive */
static uint64_t gone_rings, gone_unseen; /* counts of rings that no longer exist */

/* ---- requests ---- */

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

static enum trace_op uring_end_of(enum trace_op op)
{
    return op == OP_URING_READ    ? OP_URING_READ_END
           : op == OP_URING_WRITE ? OP_URING_WRITE_END
                                  : OP_URING_FSYNC_END;
}

static int64_t uring_asked(const struct io_uring_sqe *s)
{
    const struct iovec *part = (const struct iovec *)(uintptr_t)s->addr;
    int64_t sum = 0;
    if (s->opcode != IORING_OP_READV && s->opcode != IORING_OP_WRITEV)
        return op_of(s) == OP_URING_FSYNC ? 0 : s->len;
    for (unsigned i = 0; i < s->len; i++)
        sum += (int64_t)part[i].iov_len;
    return sum;
}

static int64_t uring_offset(const struct io_uring_sqe *s)
{
    return op_of(s) == OP_URING_FSYNC ? -1 : (int64_t)s->off;
}

/* Returns the descriptor of a request, or -1. */
static int uring_fd_of(const struct uring *r, const struct io_uring_sqe *s)
{
    if (!(s->flags & IOSQE_FIXED_FILE))
        return s->fd;
    return (unsigned)s->fd < r->files ? r->fd[s->fd] : -1;
}

/* ---- turns ---- */

/* Returns a number that is the thread's own. */
static uintptr_t me(void)
{
    return (uintptr_t)&errno;
}

/* Returns 0 if the turn is this thread's now, else the thread that has it. */
static uintptr_t try_turn(uintptr_t *owner)
{
    uintptr_t other = 0;
    __atomic_compare_exchange_n(owner, &other, me(), false, __ATOMIC_ACQUIRE,
                                __ATOMIC_RELAXED);
    return other;
}

/* Takes a turn. The thread that has it may have lost its processor: a nap lets it go
 * on. */
bool uring_turn(uintptr_t *owner)
{
    enum { YIELDS = 20, TRIES_IN_ALL = 10000 };
    static const struct timespec nap = {.tv_nsec = 100000};
    for (int i = 0; i < TRIES_IN_ALL; i++) {
        uintptr_t other = try_turn(owner);
        if (!other)
            return true;
        if (other == me())
            break;
        if (i < YIELDS)
            sys_call(SYS_sched_yield);
        else
            sys_call(SYS_nanosleep, &nap, NULL);
    }
    return false;
}

void uring_turn_over(uintptr_t *owner)
{
    __atomic_store_n(owner, 0, __ATOMIC_RELEASE);
}

/* ---- rings ---- */

/* Finds a ring. The kernel does not map rings into a child, and names have other
 * numbers there. */
static void uring_forget_all(void);

struct uring *uring_find(uintptr_t key)
{
    for (int i = 0; i < RINGS; i++)
        if (__atomic_load_n(&rings[i].key, __ATOMIC_ACQUIRE) == key)
            return &rings[i];
    return NULL;
}

/* Takes the first free place; NULL: there is none. */
static struct uring *take_place(uintptr_t key)
{
    for (struct uring *r = rings; r < rings + RINGS; r++) {
        uintptr_t none = 0;
        if (!__atomic_compare_exchange_n(&r->key, &none, URING_TAKEN, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        unsigned generation = r->generation + 1;
        memset((char *)r + sizeof r->key, 0, sizeof *r - sizeof r->key);
        r->generation = generation;
        __atomic_store_n(&r->key, key, __ATOMIC_RELEASE);
        return r;
    }
    return NULL;
}

static uintptr_t making; /* the thread that makes a ring */

struct uring *uring_make(uintptr_t key)
{
    struct uring *r = uring_find(key);
    names_kept(uring_forget_all);
    if (r || !uring_turn(&making))
        return r;
    r = uring_find(key); /* another thread may have made it meanwhile */
    r = r ? r : take_place(key);
    uring_turn_over(&making);
    return r;
}

void uring_files(struct uring *r, const int *fd, unsigned n)
{
    r->files = n < URING_FILES ? n : URING_FILES;
    for (unsigned i = 0; i < r->files; i++)
        r->fd[i] = fd[i];
}

/* Adds the completions that passed unseen: those of unseen requests, and those of seen
 * ones that were overwritten. */
static void uring_account(struct uring *r, uint64_t *in, uint64_t *unseen)
{
    uint64_t all = r->by_calls && r->tail ? *r->tail : 0;
    uint64_t past = r->lost < r->submitted ? r->lost : r->submitted;
    if (all > r->submitted)
        past += all - r->submitted;
    *in += past > 0;
    *unseen += past;
}

void uring_forget(struct uring *r)
{
    uring_account(r, &gone_rings, &gone_unseen);
    if (r->by_calls)
        __atomic_fetch_sub(&by_calls, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&r->key, 0, __ATOMIC_RELEASE);
}

/* ---- requests in flight ---- */

static struct request {
    uint64_t ring; /* its place and generation; 0: free; URING_TAKEN: being filled */
    uint64_t number;
    struct uring_sent sent;
} requests[REQUESTS];

static uint64_t numbers; /* counts requests, in the order in which they came */

static void uring_forget_all(void)
{
    for (int i = 0; i < RINGS; i++)
        rings[i].key = 0;
    for (int i = 0; i < REQUESTS; i++)
        if (requests[i].ring)
            requests[i].ring = 0;
    by_calls = 0;
    making = 0;
}

static uint64_t uring_number(const struct uring *r)
{
    return (uint64_t)(r - rings + 1) << 32 | r->generation;
}

static struct request *uring_place_of(uint64_t ring, uint64_t data, unsigned try)
{
    uint64_t h = (data ^ ring << 7) * UINT64_C(0x9e3779b97f4a7c15);
    return &requests[((h >> 40) + try) % REQUESTS];
}

static uint32_t uring_file_of(int fd)
{
    struct event e = fd >= 0 ? event_on(fd) : (struct event){0};
    return e.file;
}

static struct uring_sent sent_of(const struct uring *r, const struct io_uring_sqe *s)
{
    int fd = uring_fd_of(r, s);
    enum trace_op op = op_of(s);
    return (struct uring_sent){s->user_data,
                               uring_offset(s),
                               op ? uring_asked(s) : 0,
                               op ? uring_file_of(fd) : 0,
                               fd,
                               op};
}

void uring_batch_begin(struct uring_batch *b, unsigned n)
{
    b->room = n > URING_FEW ? room_take() : NULL;
    b->sent = b->room ? (struct uring_sent *)(void *)b->room : b->few;
    b->most = b->room ? ROOM_BYTES / sizeof *b->sent : URING_FEW;
    b->n = b->known = 0;
}

void uring_batch_end(struct uring_batch *b)
{
    room_give(&b->room);
}

static bool uring_remember(const struct uring *r, const struct uring_sent *sent)
{
    uint64_t ring = uring_number(r);
    for (unsigned i = 0; sent->op && i < TRIES; i++) {
        struct request *q = uring_place_of(ring, sent->data, i);
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&q->ring, &none, URING_TAKEN, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        q->sent = *sent;
        q->number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&q->ring, ring, __ATOMIC_RELEASE);
        return true;
    }
    return !sent->op;
}

void uring_hand(struct uring *r, const struct io_uring_sqe *s, struct uring_batch *b)
{
    struct uring_sent sent = sent_of(r, s);
    __atomic_fetch_add(&r->submitted, 1, __ATOMIC_RELAXED);
    if (b->n < b->most)
        b->sent[b->n] = sent;
    if (b->known == b->n && uring_remember(r, &sent))
        b->known++;
    b->n++;
}

static struct uring_sent uring_sent(const struct uring *r, const struct io_uring_sqe *s,
                                    const struct uring_batch *b, unsigned i)
{
    return i < b->n && i < b->most ? b->sent[i] : sent_of(r, s);
}

/* Finds the first, or the last, of several requests with the same data. */
static struct request *uring_request_of(uint64_t ring, uint64_t data, bool last)
{
    struct request *found = NULL;
    for (unsigned i = 0; i < TRIES; i++) {
        struct request *q = uring_place_of(ring, data, i);
        if (__atomic_load_n(&q->ring, __ATOMIC_ACQUIRE) == ring &&
            q->sent.data == data && (!found || (q->number < found->number) != last))
            found = q;
    }
    return found;
}

void uring_unhand(struct uring *r, const struct io_uring_sqe *s,
                  const struct uring_batch *b, unsigned i)
{
    struct uring_sent sent = uring_sent(r, s, b, i);
    struct request *q = sent.op && i < b->known
                            ? uring_request_of(uring_number(r), sent.data, true)
                            : NULL;
    __atomic_fetch_sub(&r->submitted, 1, __ATOMIC_RELAXED);
    if (q)
        __atomic_store_n(&q->ring, 0, __ATOMIC_RELEASE);
}

void uring_put(struct uring *r, const struct io_uring_sqe *s,
               const struct uring_batch *b, unsigned i, struct event *call)
{
    struct uring_sent sent = uring_sent(r, s, b, i);
    bool known = i < b->known;
    if (!sent.op)
        return;
    struct event e = *call;
    e.file = sent.file;
    e.flags = known ? TRACE_ASYNC : 0;
    event_put(&e, sent.op, sent.offset, sent.asked, known ? 0 : sent.asked);
    call->start = call->end; /* the first request has the call's time */
}

/* ---- completions ---- */

static void uring_completed(uint64_t ring, const struct io_uring_cqe *c, uint64_t now)
{
    struct request *q = uring_request_of(ring, c->user_data, false);
    if (!q)
        return;
    struct event e = {.start = now, .end = now, .file = q->sent.file};
    event_refused(&e, q->sent.fd, c->res);
    event_put(&e, uring_end_of(q->sent.op), q->sent.offset, q->sent.asked, c->res);
    __atomic_store_n(&q->ring, 0, __ATOMIC_RELEASE);
}

static void look_at_ring(struct uring *r)
{
    int error = errno;
    uint64_t ring = uring_number(r);
    unsigned tail = __atomic_load_n(r->tail, __ATOMIC_ACQUIRE);
    if (r->seen != tail) {
        struct event now = event_now();
        if (tail - r->seen > r->mask + 1) { /* some have been overwritten */
            r->lost += tail - r->seen - (r->mask + 1);
            r->seen = tail - (r->mask + 1);
        }
        for (; r->seen != tail; r->seen++) {
            size_t at = (size_t)(r->seen & r->mask) << r->shift;
            uring_completed(
                ring, (const struct io_uring_cqe *)(const void *)r->completions + at,
                now.start);
        }
    }
    uring_turn_over(&r->busy);
    errno = error;
}

void uring_look(struct uring *r)
{
    if (r->tail && !vforked && !try_turn(&r->busy))
        look_at_ring(r);
}

void uring_look_before(struct uring *r)
{
    if (r->tail && !vforked && uring_turn(&r->busy))
        look_at_ring(r);
}

/* ---- rings that system calls drive ---- */

uintptr_t uring_key(int fd)
{
    return (uintptr_t)(unsigned)fd << 8 | 3; /* it is no address of a struct */
}

bool uring_any_by_calls(void)
{
    return UNLIKELY(__atomic_load_n(&by_calls, __ATOMIC_RELAXED));
}

void uring_set_up(int fd, const struct io_uring_params *p)
{
    struct uring *r = uring_find(uring_key(fd));
    if (r)
        uring_forget(r);
    r = uring_make(uring_key(fd));
    if (!r)
        return;
    r->by_calls = true;
    r->set = *p;
    __atomic_fetch_add(&by_calls, 1, __ATOMIC_RELAXED);
}

static void uring_find_completions(struct uring *r, char *at)
{
    const struct io_cqring_offsets *o = &r->set.cq_off;
    r->completions = at + o->cqes;
    r->mask = *(unsigned *)(void *)(at + o->ring_mask);
    r->shift = r->set.flags & URING_LARGE_COMPLETIONS ? 1 : 0;
    r->seen = 0;
    __atomic_store_n(&r->tail, (unsigned *)(void *)(at + o->tail), __ATOMIC_RELEASE);
}

void uring_mapped(int fd, uint64_t offset, char *at)
{
    struct uring *r = uring_find(uring_key(fd));
    if (!r)
        return;
    if (offset == IORING_OFF_SQES)
        r->requests = (const struct io_uring_sqe *)(const void *)at;
    if (offset == IORING_OFF_SQ_RING)
        r->queue = at;
    if (offset == IORING_OFF_CQ_RING ||
        (offset == IORING_OFF_SQ_RING && r->set.features & IORING_FEAT_SINGLE_MMAP))
        uring_find_completions(r, at);
}

void uring_unmapped(const char *at)
{
    for (int i = 0; i < RINGS; i++) {
        struct uring *r = &rings[i];
        if (r->key && r->by_calls && r->tail &&
            (const char *)r->tail - r->set.cq_off.tail == at) {
            uring_look(r);
            uring_forget(r);
        }
    }
}

/* Returns the request that the program has put at place i of the queue. */
static const struct io_uring_sqe *uring_queued(const struct uring *r, unsigned i)
{
    const struct io_sqring_offsets *o = &r->set.sq_off;
    unsigned at = i & *(const unsigned *)(const void *)(r->queue + o->ring_mask);
    if (!(r->set.flags & URING_NO_ARRAY))
        at = ((const unsigned *)(const void *)(r->queue + o->array))[at];
    return &r->requests[(size_t)at << (r->set.flags & URING_LARGE_REQUESTS ? 1 : 0)];
}

static bool uring_is_mapped(const struct uring *r)
{
    return r && r->tail && r->queue && r->requests;
}

/* Claims the next n requests. Threads can be in the call at the same time, and the
 * queue's head moves within it. While none is, the head tells which they are. */
static unsigned uring_claim(struct uring *r, unsigned n, unsigned *most)
{
    const struct io_sqring_offsets *o = &r->set.sq_off;
    unsigned head = *(const unsigned *)(const void *)(r->queue + o->head);
    unsigned tail = *(const unsigned *)(const void *)(r->queue + o->tail);
    if (__atomic_fetch_add(&r->entering, 1, __ATOMIC_ACQ_REL) == 0)
        __atomic_store_n(&r->claimed, head, __ATOMIC_RELAXED);
    unsigned from = __atomic_fetch_add(&r->claimed, n, __ATOMIC_ACQ_REL);
    *most = (int)(tail - from) <= 0 ? 0 : tail - from < n ? tail - from : n;
    return from;
}

/* Waits for other threads. The kernel takes requests in their order: this thread's call
 * can take one that another thread has claimed and not remembered yet. A signal handler
 * may have interrupted that thread: so the wait has a limit. */
static void wait_for_mates(struct uring *r)
{
    enum { TURNS = 100 };
    for (int i = 0; __atomic_load_n(&r->handing, __ATOMIC_ACQUIRE) && i < TURNS; i++)
        sys_call(SYS_sched_yield);
}

/* True if all requests pass through calls: a kernel thread that polls takes them
 * without one. */
static bool uring_is_told(const struct uring *r)
{
    return uring_is_mapped(r) && !(r->set.flags & URING_KERNEL_POLLS);
}

void uring_enters(struct uring_entry *e, int fd, unsigned n)
{
    struct uring *r = uring_find(uring_key(fd));
    unsigned most = 0;
    e->ring = r = uring_is_told(r) ? r : NULL;
    e->claims = r && n > 0;
    if (!r)
        return;
    uring_look_before(r);
    __atomic_fetch_add(&r->handing, 1, __ATOMIC_ACQ_REL);
    if (n)
        e->from = uring_claim(r, n, &most);
    uring_batch_begin(&e->batch, most);
    while (e->batch.n < most)
        uring_hand(r, uring_queued(r, e->from + e->batch.n), &e->batch);
    __atomic_fetch_sub(&r->handing, 1, __ATOMIC_ACQ_REL);
    if (n)
        wait_for_mates(r);
}

void uring_entered(struct uring_entry *e, const struct event *call, long taken)
{
    struct uring *r = e->ring;
    unsigned done = taken > 0 ? (unsigned)taken : 0;
    struct event its = *call;
    if (!r)
        return;
    for (unsigned i = 0; i < e->batch.n; i++)
        if (i < done)
            uring_put(r, uring_queued(r, e->from + i), &e->batch, i, &its);
        else
            uring_unhand(r, uring_queued(r, e->from + i), &e->batch, i);
    uring_batch_end(&e->batch);
    if (e->claims)
        __atomic_fetch_sub(&r->entering, 1, __ATOMIC_ACQ_REL);
    uring_look(r);
}

/* ---- the end ---- */

/* True if the ring's memory is still mapped: reading unmapped memory ends the
 * program. */
static bool ring_is_there(const struct uring *r)
{
    unsigned tail;
    char last[sizeof(struct io_uring_cqe)];
    const char *end =
        r->completions + (((size_t)r->mask + 1) << r->shift) * sizeof last;
    struct iovec here[2] = {{&tail, sizeof tail}, {last, sizeof last}};
    const struct iovec there[2] = {{(void *)r->tail, sizeof tail},
                                   {(char *)(uintptr_t)end - sizeof last, sizeof last}};
    return sys_call(SYS_process_vm_readv, sys_pid(), here, 2, there, 2, 0) ==
           (long)(sizeof tail + sizeof last);
}

/* Counts descriptors of rings that were made without a call that we saw. */
static uint64_t uring_unknown(void)
{
    uint64_t found = 0;
    ROOM(text);
    for (int fd = 0; text && fd < FDS; fd++) {
        if (fd > recorder.fd_top + 64)
            break;
        if (name_of_fd(text, fd) > 0 && !strcmp(text, "anon_inode:[io_uring]") &&
            !uring_find(uring_key(fd)))
            found++;
    }
    return found;
}

void uring_end(uint64_t *in, uint64_t *unseen)
{
    bool library = false;
    *in = gone_rings;
    *unseen = gone_unseen;
    for (int i = 0; i < RINGS; i++) {
        struct uring *r = &rings[i];
        if (r->key <= URING_TAKEN || !r->tail)
            continue;
        library |= !r->by_calls;
        if (!ring_is_there(r))
            continue;
        uring_look_before(r);
        uring_account(r, in, unseen);
    }
    if (!library)
        *in += uring_unknown();
}
