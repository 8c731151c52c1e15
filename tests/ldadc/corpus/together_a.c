/* The offset is computed in the program's other file.
 * args: 3; 5
 * symbols: n=3; n=5
 * with: parts/together_b.c
 * expect: resolved interleaved; resolved segmented */
#include "corpus.h"

extern int record_bytes;
MPI_Offset place(int i, int rank, int nprocs);
void put_slab(MPI_File fh, int rank, const char *buf);

int main(int argc, char **argv)
{
    int n;
    char buf[64] = "";
    MPI_File fh;
    BEGIN;
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        WRITE_BYTES(place(i, rank, nprocs), buf, 32);
    put_slab(fh, rank, buf);
    MPI_File_close(&fh);
    MPI_Finalize();
    return record_bytes != 32;
}
