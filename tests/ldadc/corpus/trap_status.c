/* trap: statuses of reads, of one of several writes, and of one that is not looked at
 * expect: any; any; unresolved; any; any; unresolved; any; any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int count = 0;
    MPI_Status status, both[2], *one;
    MPI_Request request;
    START_B;
    MPI_File_write_at(fh, 0, b, 4, MPI_BYTE, &both[0]);
    MPI_File_write_at(fh, 0, b, 7, MPI_BYTE, &both[rank > 0]);
    MPI_Get_count(&both[0], MPI_BYTE, &count);
    MPI_File_write_at(fh, 100 + rank * S, b, count, MPI_BYTE, &both[0]);

    one = rank > 0 ? &both[1] : &status;
    MPI_File_write_at(fh, 0, b, 2, MPI_BYTE, &status);
    MPI_File_iwrite_at(fh, 0, b, 3, MPI_BYTE, &request);
    MPI_Wait(&request, one);
    MPI_Get_count(&status, MPI_BYTE, &count);
    WRITE_BYTES(300 + rank * S, b, count);

    MPI_File_write_at(fh, 0, b, 5, MPI_BYTE, &status);
    MPI_File_read_at(fh, 1 << 20, b, 5, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    WRITE_BYTES(500 + rank * S, b, count + 1);
    END;
}
