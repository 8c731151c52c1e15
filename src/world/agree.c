/* Agreement of ranks on an error, and waiting for them. */
#include "base/clock.h"
#include "base/err.h"
#include "world/world.h"
#include <limits.h>
#include <time.h>

int err_agree(MPI_Comm comm, int rc)
{
    int rank, mine, first;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    mine = rc ? rank : INT_MAX;
    first = mine;
    if (comm != MPI_COMM_SELF) {
        MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm, &request);
        world_wait(&request, MPI_STATUS_IGNORE);
    }
    if (first == INT_MAX)
        return 0;
    struct err e;
    if (first == rank) {
        /* used only if there is no sentence yet */
        err_set(rc, NULL, -1, "failed with code %d", rc);
        e = *err_get();
        if (e.rank < 0) /* if not, it was agreed before, on a smaller communicator */
            MPI_Comm_rank(MPI_COMM_WORLD, &e.rank);
    }
    if (comm != MPI_COMM_SELF)
        MPI_Bcast(&e, (int)sizeof e, MPI_BYTE, first, comm);
    err_put(&e);
    return e.code;
}

/* ---- waiting --------------------------------------------------------------------- */

/* Waiting that leaves the core to others. MPI libraries spin; if there are more ranks,
 * or ranks and threads, than cores, the waiting ones keep the others from working. */

#define SPIN_NS 1000000 /* a short wait ends at once */
#define NAP_NS 50000

void world_wait(MPI_Request *request, MPI_Status *status)
{
    int done = 0;
    int64_t begin_ns = clock_ns();
    while (!MPI_Test(request, &done, status) && !done)
        world_rest(begin_ns);
}

void world_rest(int64_t since_ns)
{
    if (clock_ns() - since_ns > SPIN_NS)
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

void world_barrier(MPI_Comm comm)
{
    MPI_Request request;
    if (!MPI_Ibarrier(comm, &request))
        world_wait(&request, MPI_STATUS_IGNORE);
}

void world_reduce(MPI_Comm comm, void *x, int n, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    if (!MPI_Iallreduce(MPI_IN_PLACE, x, n, type, op, comm, &request))
        world_wait(&request, MPI_STATUS_IGNORE);
}
