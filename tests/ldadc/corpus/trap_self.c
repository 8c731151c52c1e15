/* trap: a file of each rank's own is opened with another communicator than rank's
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    int own_rank, own_size;
    MPI_File fh;
    BEGIN;
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    MPI_Comm_rank(MPI_COMM_SELF, &own_rank);
    MPI_Comm_size(MPI_COMM_SELF, &own_size);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &fh);
    for (int i = 0; i < 2; i++)
        WRITE_BLOCK((i * own_size + own_rank) * S);
    WRITE_BLOCK((nprocs + rank) * S);
    END;
}
