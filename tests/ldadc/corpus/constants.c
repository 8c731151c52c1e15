/* Constants in all their forms: macros, enums, const, sizeof, characters, octal.
 *
 * expect: resolved segmented
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdint.h>
#define KIB(n) ((n)*1024ULL)
#define BLOCK (KIB(1) / 8)

enum unit { HEADER = 1 << 4, BODY = HEADER + 2, COUNT = 3 };
static const int each = BODY;

struct cell {
    int32_t id;
    double value;
};

int main(int argc, char **argv)
{
    struct cell cells[BODY] = {{0, 0}};
    const MPI_Offset span = sizeof cells;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, HEADER + rank * span, cells, each * sizeof(struct cell),
                      MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++)
        MPI_File_write_at(fh, 010 + 'A' + (i * nprocs + rank) * (MPI_Offset)BLOCK,
                          cells, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
