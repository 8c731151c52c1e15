/* trap: a struct is assigned as a whole, and filled by memcpy
 * expect: any; unresolved */
#include "corpus.h"
#include <string.h>

struct place {
    MPI_Offset off;
    int count;
};

int main(int argc, char **argv)
{
    START;
    struct place a = {rank * S, S}, c = {(nprocs + rank) * S, S / 2};
    a = c;
    MPI_File_write_at(fh, a.off, b, a.count, MPI_BYTE, MPI_STATUS_IGNORE);
    struct place d = {S * rank, 2};
    c.off = (rank ^ 1) * 100;
    memcpy(&d, &c, sizeof c);
    MPI_File_write_at(fh, d.off, b, d.count, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
