/* The displacement is the rank's; after the header, records of a contiguous type.
 *
 * args: 4
 * symbols: n=4
 * args: 1
 * symbols: n=1
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>

struct particle {
    double x, y, z;
};

int main(int argc, char **argv)
{
    int rank, n;
    MPI_File fh;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = atoi(argv[2]);
    struct particle *p = calloc(n, sizeof *p);
    MPI_Type_contiguous(3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 16 + (MPI_Offset)rank * n * sizeof(struct particle), type,
                      type, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, p, n, type, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_File_read_at(fh, i, &p[i], 1, type, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    free(p);
    MPI_Finalize();
    return 0;
}
