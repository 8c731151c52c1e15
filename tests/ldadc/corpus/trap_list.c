/* trap: a linked list, an array of structs, a pointer to a pointer
 *
 * expect: unresolved
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#include <stddef.h>
#define S 16

struct part {
    MPI_Offset at;
    struct part *next;
};

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    struct part parts[3] = {{rank * 50, &parts[2]}, {9, NULL}, {700 + rank * 50, NULL}};
    for (struct part *p = parts; p; p = p->next)
        MPI_File_write_at(fh, p->at, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_File_write_at(fh, parts[(i + rank) % 3].at, b, 1 + 0 * nprocs, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Offset off = rank * S, *p = &off, **q = &p;
    **q += 32;
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
