/* trap: two calls on one line
 * expect: any */
#include "corpus.h"
#define BOTH(i)                                                                        \
    MPI_File_write_at(fh, (i)*S, b, S, MPI_BYTE, MPI_STATUS_IGNORE),                   \
        MPI_File_write_at(fh, (i)*S + 4000, b, S / 2, MPI_BYTE, MPI_STATUS_IGNORE)

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 2; i++)
        BOTH(i * nprocs + rank);
    END;
}
