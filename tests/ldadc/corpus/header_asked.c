/* numbers that all ranks read at the head of a file, and a share of the file that is
 * one byte short, with some of the next one's
 * symbols: head_0_=5 head_1_=40 n_2=5 size_2=960
 * expect: resolved alone; resolved overlapped; resolved segmented
 * expect: resolved overlapped; resolved segmented; any */
#include "corpus.h"
#define ALL 960

int main(int argc, char **argv)
{
    static char b[ALL];
    int head[2] = {5, 40}, n;
    MPI_File fh, in;
    MPI_Offset size;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, ALL);
    if (rank == 0)
        MPI_File_write_at(fh, 0, head, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);

    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_File_read_all(in, head, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(in, head[1] + rank * head[0], b, head[0], MPI_BYTE,
                     MPI_STATUS_IGNORE);
    MPI_File_read_at_all(in, 0, &n, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(in, rank * n * 4, b, n, MPI_INT, MPI_STATUS_IGNORE);

    MPI_File_get_size(in, &size);
    size--;
    int mine = size / nprocs;
    MPI_Offset start = rank * mine, end = start + mine - 1;
    if (rank == nprocs - 1)
        end = size - 1;
    if (rank != nprocs - 1)
        end += 7;
    mine = end - start + 1;
    MPI_File_read_at_all(in, start, b, mine, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&in);
    MPI_Finalize();
    return 0;
}
