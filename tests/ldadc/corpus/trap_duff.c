/* trap: a loop whose body is entered in its middle
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0;
    START_B;
    switch (rank % 2) {
        do {
        case 0:
            MPI_File_write_at(fh, (2 * i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
            i++; /* fall through */
        case 1:
            MPI_File_write_at(fh, (2 * i * nprocs + nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
        } while (i < 3);
    }
    END;
}
