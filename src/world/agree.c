#include "base/err.h"
#include "world/world.h"
#include <limits.h>

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
