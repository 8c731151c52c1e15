/* The world of stub/mpi.h. */
#include "world/world.h"
#include "base/clock.h"

int stub_size = 1;

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return *rank = comm;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = stub_size;
    return comm;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)data;
    (void)count;
    (void)type;
    return root + comm;
}

int err_agree(MPI_Comm comm, int rc)
{
    return comm ? 0 : rc;
}

void watchdog_arm(double limit_s, const char *what, const char *file, int64_t offset)
{
    (void)limit_s;
    (void)what;
    (void)file;
    (void)offset;
}

void watchdog_arm_as_set(const char *what, const char *file)
{
    watchdog_arm(0, what, file, -1);
}

void watchdog_disarm(void)
{
}

int64_t watchdog_ns(void)
{
    return clock_ns();
}
