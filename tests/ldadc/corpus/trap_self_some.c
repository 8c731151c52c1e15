/* trap: some ranks make a file by themselves
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    MPI_File fh;
    BEGIN;
    char name[1000];
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &fh);
    if (rank % 2)
        WRITE_BLOCK(S);
    if (rank != 1)
        WRITE_BLOCK(2 * S);
    END;
}
