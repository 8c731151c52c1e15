/* Waiting that leaves the core to others. MPI libraries spin; if there are more ranks,
 * or ranks and threads, than cores, the waiting ones keep the others from working. */
#include "base/clock.h"
#include "world/world.h"
#include <time.h>

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
