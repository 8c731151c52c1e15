/* What the parts of the MPI layer share.
 *
 * Each function is wrapped under both of its names. A program calls MPI_X; a tool that
 * was preloaded before us, and most Fortran bindings, call PMPI_X. Whichever is first
 * is the event; what the library or another tool calls within it passes through. So
 * every call is recorded once, and other tools see it, too: ours goes on to the next
 * MPI_X, and to PMPI_X only where there is none.
 *
 * No mpi.h: handles are words, and what differs between MPICH and Open MPI is struct
 * mpi_flavour. */
#ifndef IOTRACE_PRELOAD_MPI_MPI_H
#define IOTRACE_PRELOAD_MPI_MPI_H

#include "iotrace/preload/late.h"
#include "iotrace/preload/real.h"
#include "iotrace/preload/recorder.h"

struct mpi_call {
    const char *name; /* MPI_X */
    /* What happens around `f`, the next of the name that was called. */
    int (*around)(const struct mpi_call *c, late_function *f, const intptr_t *a);
    late_function *next[2]; /* of MPI_X and of PMPI_X; NULL: not yet looked up */
    enum trace_op op;
    uint8_t kind, at, flags; /* for `around` */
    bool plain;              /* `next` is without _c, which the library lacks */
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

/* Calls that nobody else shall see; found when the first call is wrapped. */
extern struct mpi_flavour {
    bool known;
    intptr_t world, byte;
    size_t status_bytes, request_bytes;
    late_function *type_size, *elements, *byte_offset, *position, *comm_rank,
        *comm_size, *isend, *irecv, *test, *cancel, *wait, *file_info, *info_keys,
        *info_key, *info_value, *info_free;
} mpi;

/* The real call, one level deeper. */
int mpi_invoke(late_function *f, const intptr_t *a);

/* Bytes that a status tells; -1: it does not. */
int64_t mpi_moved(intptr_t status, int64_t asked);

/* MPI_STATUS_IGNORE is 0 or 1. */
static inline bool mpi_is_status(intptr_t status)
{
    return status != 0 && status != 1;
}

/* The errors of libraries have numbers of their own. */
static inline int64_t mpi_outcome(int rc, int64_t result)
{
    return rc ? -EIO : result;
}

/* ---- calls_mpi_wait.c ---- */

struct mpi_request {
    intptr_t handle; /* 0: free */
    struct mpi_request *next;
    intptr_t position; /* in the array that is waited for */
    int64_t offset, asked;
    uint32_t file;
    enum trace_op op; /* when it is completed */
    int flags;
};

/* Remembers what a request will move; false: there is no room, or the library has given
 * a handle that many requests share: it will not be known again. */
bool mpi_expect(const void *handle, const struct mpi_request *what);
bool mpi_expects(void); /* requests are under way */
void mpi_forget_names_of_requests(void);

/* ---- mpi_facts.c ---- */

/* What MPI tells of a file that was just opened with the communicator. */
void mpi_opened(intptr_t comm, intptr_t handle, uint32_t file);

/* ---- mpi_clock.c ---- */
void mpi_clock_begin(int rank, int ranks);
void mpi_clock_end(void);

#endif
