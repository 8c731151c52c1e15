/* A rank reads its columns, from its own rows on, and then those of the rows before.
 *
 * args: 4 6
 * symbols: rows=4 columns=6
 * args: 12 13
 * symbols: rows=12 columns=13
 * expect: resolved disjoint
 * expect: resolved disjoint
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Offset share, begin, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Offset rows = atoi(argv[2]), columns = atoi(argv[3]);
    share = columns / nprocs;
    begin = rank * (rows / nprocs);
    char *buf = calloc(rows * columns, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (i = begin; i < rows; i++)
        MPI_File_write_at(fh, i * columns + rank * share, buf, (int)share, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    for (i = 0; i < begin; i++)
        MPI_File_write_at(fh, i * columns + rank * share, buf, (int)share, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
