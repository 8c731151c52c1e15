/* The end of nonblocking MPI-IO: MPI_Wait, MPI_Test and similar calls. While no such
 * request is in flight they cost one look at a counter, and are never events; nor are
 * those that complete none. */
#include "iotrace/preload/mpi/mpi.h"
#include <string.h>

enum { REQUESTS = 1 << 12, TRIES = 64, OWN = 64 };
#define TAKEN ((intptr_t)-1)

static struct mpi_request requests[REQUESTS];
static unsigned under_way;

static intptr_t handle_at(const void *at)
{
    int32_t number = 0;
    intptr_t address = 0;
    if (mpi.request_bytes == sizeof number) {
        memcpy(&number, at, sizeof number);
        return (uint32_t)number;
    }
    memcpy(&address, at, sizeof address);
    return address;
}

static struct mpi_request *calls_mpi_wait_place_of(intptr_t handle, unsigned try)
{
    uint64_t h = (uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return &requests[((h >> 40) + try) % REQUESTS];
}

static struct mpi_request *wait_request_of(intptr_t handle)
{
    for (unsigned i = 0; i < TRIES; i++) {
        struct mpi_request *r = calls_mpi_wait_place_of(handle, i);
        if (__atomic_load_n(&r->handle, __ATOMIC_ACQUIRE) == handle)
            return r;
    }
    return NULL;
}

bool mpi_expects(void)
{
    return __atomic_load_n(&under_way, __ATOMIC_RELAXED);
}

bool mpi_expect(const void *handle, const struct mpi_request *what)
{
    intptr_t h = handle_at(handle);
    if (!h || wait_request_of(h))
        return false;
    for (unsigned i = 0; i < TRIES; i++) {
        struct mpi_request *r = calls_mpi_wait_place_of(h, i);
        intptr_t none = 0;
        if (!__atomic_compare_exchange_n(&r->handle, &none, TAKEN, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        *r = *what;
        __atomic_store_n(&r->handle, h, __ATOMIC_RELEASE);
        __atomic_fetch_add(&under_way, 1, __ATOMIC_RELAXED);
        return true;
    }
    return false;
}

void mpi_forget_names_of_requests(void)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        requests[i].file = 0;
}

static void calls_mpi_wait_forget(struct mpi_request *r)
{
    __atomic_store_n(&r->handle, 0, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&under_way, 1, __ATOMIC_RELAXED);
}

/* Lists our requests among n: only one thread waits for a request. */
static struct mpi_request *ours_among(const char *handles, intptr_t n)
{
    struct mpi_request *list = NULL;
    for (intptr_t i = 0; i < n; i++) {
        struct mpi_request *r =
            wait_request_of(handle_at(handles + i * (intptr_t)mpi.request_bytes));
        if (r) {
            r->position = i;
            r->next = list;
            list = r;
        }
    }
    return list;
}

/* Records a completion. The first one has the wait's time. */
static void completed(struct mpi_request *r, struct event *e, intptr_t status, int rc)
{
    struct event its = *e;
    its.file = r->file;
    its.flags = r->flags;
    int64_t n = status ? mpi_moved(status, r->asked) : r->asked;
    event_put(&its, r->op, r->offset, r->asked, mpi_outcome(rc, n));
    e->start = e->end;
    calls_mpi_wait_forget(r);
}

/* statuses: one, one for each request, one for each completion */
enum which { ONE, ALL, SOME };

/* Returns the status of the request at `position`; 0: it is not known. */
static intptr_t status_of(enum which which, intptr_t statuses, intptr_t position,
                          const intptr_t *a)
{
    const int *indices = (const int *)a[3];
    intptr_t place = which == ONE ? 0 : position;
    int n = which == SOME ? *(const int *)a[2] : 0;
    for (int i = 0; i < n; i++)
        if (indices[i] == position)
            place = i;
    return statuses ? statuses + place * (intptr_t)mpi.status_bytes : 0;
}

static bool is_completed(const struct mpi_request *r, const char *handles)
{
    return handle_at(handles + r->position * (intptr_t)mpi.request_bytes) != r->handle;
}

/* Wraps waits. kind: the form of statuses; at: their argument; flags: 1 if the requests
 * are the second argument and their number is the first. */
static int waits(const struct mpi_call *c, late_function *f, const intptr_t *given)
{
    intptr_t a[6];
    int64_t own[OWN * 24 / sizeof(int64_t)];
    if (LIKELY(!mpi_expects()))
        return (int)late_call(f, given);
    memcpy(a, given, sizeof a);
    const char *handles = (const char *)a[c->flags];
    intptr_t n = c->flags ? (int32_t)a[0] : 1;
    struct mpi_request *list = ours_among(handles, n), *next;
    if (list && !mpi_is_status(a[c->at]) && (c->kind == ONE || n <= OWN))
        a[c->at] = (intptr_t)own;
    struct event e = event_now();
    int rc = mpi_invoke(f, a);
    event_over(&e);
    intptr_t statuses = mpi_is_status(a[c->at]) ? a[c->at] : 0;
    for (struct mpi_request *r = list; r; r = next) {
        next = r->next;
        if (is_completed(r, handles))
            completed(r, &e, rc ? 0 : status_of(c->kind, statuses, r->position, a), rc);
    }
    return rc;
}

static int frees(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    (void)c;
    struct mpi_request *r = mpi_expects() ? ours_among((const char *)a[0], 1) : NULL;
    if (r)
        calls_mpi_wait_forget(r);
    return (int)late_call(f, a);
}

WRAP_MPI(Wait, waits, OP_NONE, ONE, 1, 0)
WRAP_MPI(Test, waits, OP_NONE, ONE, 2, 0)
WRAP_MPI(Waitall, waits, OP_NONE, ALL, 2, 1)
WRAP_MPI(Testall, waits, OP_NONE, ALL, 3, 1)
WRAP_MPI(Waitany, waits, OP_NONE, ONE, 3, 1)
WRAP_MPI(Testany, waits, OP_NONE, ONE, 4, 1)
WRAP_MPI(Waitsome, waits, OP_NONE, SOME, 4, 1)
WRAP_MPI(Testsome, waits, OP_NONE, SOME, 4, 1)
WRAP_MPI(Request_free, frees, OP_NONE, 0, 0, 0)
