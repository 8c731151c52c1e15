#include "madbench/gate.h"

enum { TOKEN = 4711 };

void gate_enter(struct run *r, MPI_Comm comm, int64_t mod)
{
    int rank;
    if (mod == 1)
        return;
    MPI_Comm_rank(comm, &rank);
    if (rank % mod == 0)
        return;
    enum act before = phase_act(r->phase, ACT_IDLE);
    MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, TOKEN, comm, MPI_STATUS_IGNORE);
    phase_act(r->phase, before);
}

void gate_leave(struct run *r, MPI_Comm comm, int64_t mod)
{
    int rank, size;
    if (mod == 1)
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if ((rank + 1) % mod == 0 || rank + 1 == size)
        return;
    enum act before = phase_act(r->phase, ACT_IDLE);
    MPI_Send(NULL, 0, MPI_BYTE, rank + 1, TOKEN, comm);
    phase_act(r->phase, before);
}
