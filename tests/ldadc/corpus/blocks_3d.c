/* A block of a cube for each rank, cut along its slowest dimension.
 * args: 2; 5
 * symbols: nz=2; nz=5
 * expect: resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    int nx = 4, ny = 3, nz;
    float line[2] = {1, 2};
    START;
    nz = atoi(argv[2]);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; x += 2) {
                MPI_Offset cell = ((MPI_Offset)(rank * nz + z) * ny + y) * nx + x;
                MPI_File_write_at(fh, cell * (MPI_Offset)sizeof(float), line, 2,
                                  MPI_FLOAT, MPI_STATUS_IGNORE);
            }
    END;
}
