/* An option of the command line that ends the program, where others do not.
 *
 * args: -n 3
 * symbols: n=3
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = 1, c;
    while ((c = getopt(argc, argv, "n:h")) != -1)
        switch (c) {
        case 'n':
            n = atoi(optarg);
            break;
        default:
            exit(1);
        }
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, rank * n, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
