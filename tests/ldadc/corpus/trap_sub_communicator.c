/* trap: half of the ranks open a file of their own; rank is reused for its ranks
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    MPI_Comm half;
    MPI_File fh;
    BEGIN;
    int world = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank % 2);
    MPI_File_open(half, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &nprocs);
    for (int i = 0; i < 2; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    WRITE_BLOCK(world * S);
    MPI_Comm_free(&half);
    END;
}
