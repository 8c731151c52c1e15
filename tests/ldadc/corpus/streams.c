/* streams of the C library, which are no part of the program's variables
 * args: 3
 * symbols: n=3
 * expect: resolved interleaved */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define S 16

int rank, nprocs, steps;

int main(int argc, char **argv)
{
    char b[S] = "";
    int n = 0;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    FILE *in = fopen(argc > 5 ? argv[5] : "/dev/null", "r");
    if (rank == 0) {
        fseek(in, 0, SEEK_END);
        printf("%ld bytes\n", ftell(in));
        n = atoi(argv[2]);
    }
    fclose(in);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    steps = n;
    FILE *log = fopen("/dev/null", "w");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < steps; i++) {
        fprintf(log, "%d of %d\n", i, steps);
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        fwrite(b, 1, S, log);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
