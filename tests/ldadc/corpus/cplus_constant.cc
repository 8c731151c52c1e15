/* a constant of a class that is defined outside of it, beside a global of its name
 *
 * expect: resolved segmented
 * expect: any
 */
#include <mpi.h>

class Grid
{
  public:
    static const int width;
};

const int Grid::width = 48;
int width = 3;

int main(int argc, char **argv)
{
    char b[64] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    width += rank;
    MPI_File_write_at(fh, rank * Grid::width, b, Grid::width, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, nprocs * 100 + rank * 64, b, width, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
