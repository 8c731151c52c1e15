/* The other half of together_a.c. */
#include <mpi.h>

int record_bytes = 32;

MPI_Offset place(int i, int rank, int nprocs)
{
    return (MPI_Offset)(i * nprocs + rank) * 32;
}

void put_slab(MPI_File fh, int rank, const char *buf)
{
    MPI_File_write_at(fh, rank * 64, buf, 64, MPI_BYTE, MPI_STATUS_IGNORE);
}
