/* Declarations that the parts of the MPI layer share.
 *
 * Each function is wrapped under both of its names. A program calls MPI_X; a tool that
 * was preloaded before us, and most Fortran bindings, call PMPI_X. The first of them is
 * the event; calls that the library or another tool makes within it pass through. So
 * every call is recorded once, and other tools see it, too: ours goes on to the next
 * MPI_X, and to PMPI_X only if there is none.
 *
 * It includes no mpi.h: handles are words, and struct mpi_flavour has the differences
 * between MPICH and Open MPI. */
#ifndef IOTRACE_PRELOAD_MPI_MPI_H
#define IOTRACE_PRELOAD_MPI_MPI_H

#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"

struct mpi_call {
    const char *name; /* MPI_X */
    /* Calls `f`, the next function of the name that was called, and records it. */
    int (*around)(const struct mpi_call *c, late_function *f, const intptr_t *a);
    late_function *next[2]; /* next MPI_X and PMPI_X; NULL: not looked up yet */
    enum trace_op op;
    uint8_t kind, at, flags; /* arguments for `around` */
    bool plain;              /* `next` has no _c, as the library lacks that one */
};

int mpi_pass(struct mpi_call *c, int profiling, const intptr_t *a, const void *caller);

#define MPI_NAME(prefix, x, c, profiling)                                              \
    EXPORT int wrap_##prefix##x(WORDS) __asm__(#prefix #x);                            \
    int wrap_##prefix##x(WORDS)                                                        \
    {                                                                                  \
        const intptr_t a[] = {a0, a1, a2, a3, a4, a5};                                 \
        return mpi_pass(&c, profiling, a, __builtin_return_address(0));                \
    }
#define WRAP_MPI(x, around, op, kind, at, flags)                                       \
    static struct mpi_call call_##x = {                                                \
        "MPI_" #x, around, {0}, op, kind, at, flags, 0};                               \
    MPI_NAME(MPI_, x, call_##x, 0)                                                     \
    MPI_NAME(PMPI_, x, call_##x, 1)

/* Functions that only we call; they are found when the first call is wrapped. */
extern struct mpi_flavour {
    bool known;
    intptr_t world, byte;
    size_t status_bytes, request_bytes;
    late_function *type_size, *elements, *byte_offset, *position, *comm_rank,
        *comm_size, *isend, *irecv, *test, *cancel, *wait, *file_info, *info_keys,
        *info_key, *info_value, *info_free;
} mpi;

/* Makes the real call, one level deeper. */
int mpi_invoke(late_function *f, const intptr_t *a);

/* Returns the bytes of a status; -1: it has none. */
int64_t mpi_moved(intptr_t status, int64_t asked);

/* True if it is a status: MPI_STATUS_IGNORE is 0 or 1. */
static inline bool mpi_is_status(intptr_t status)
{
    return status != 0 && status != 1;
}

/* Returns the outcome of a call: libraries have error numbers of their own. */
static inline int64_t mpi_outcome(int rc, int64_t result)
{
    return rc ? -EIO : result;
}

/* ---- calls_mpi_wait.c ---- */

struct mpi_request {
    intptr_t handle; /* 0: free */
    struct mpi_request *next;
    intptr_t position; /* in the array of the wait */
    int64_t offset, asked;
    uint32_t file;
    enum trace_op op; /* operation of its completion */
    int flags;
};

/* Notes what a request will move; false: there is no room, or many requests share the
 * library's handle, so it will not be recognised. */
bool mpi_expect(const void *handle, const struct mpi_request *what);
bool mpi_expects(void); /* requests are in flight */
void mpi_forget_names_of_requests(void);

/* ---- mpi_facts.c ---- */

/* Records MPI's facts about a file that was just opened with the communicator. */
void mpi_opened(intptr_t comm, intptr_t handle, uint32_t file);

/* ---- mpi_clock.c ---- */
void mpi_clock_begin(int rank, int ranks);
void mpi_clock_end(void);

#endif
