/* A file that is written and read in a loop, closed, and read by other ranks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int steps = atoi(argv[1]), n = atoi(argv[2]), verify = atoi(argv[3]);
    double *part = calloc(n, sizeof *part);
    MPI_Offset own = (MPI_Offset)rank * n * 8, all = (MPI_Offset)nprocs * n * 8;
    MPI_File_open(MPI_COMM_WORLD, "field", MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < steps; i++) {
        MPI_File_write_at(fh, i * all + own, part, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
        if (verify)
            MPI_File_read_at(fh, i * all + own, part, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, "field", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    MPI_File_read_at(fh, all - own - n * 8, part, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(part);
    MPI_Finalize();
    return 0;
}
