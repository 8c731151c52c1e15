/* as many bytes as a text has: of a literal, of arrays, of what is copied and printed
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    const char *plain = "one line\n";
    char own[64] = "another\n", copy[64], printed[64];
    START;
    MPI_File_write_at(fh, rank * strlen(plain), plain, strlen(plain), MPI_CHAR,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 200 + rank * strlen(own), own, strlen(own), MPI_CHAR,
                      MPI_STATUS_IGNORE);
    strcpy(copy, plain);
    int n = strlen(copy);
    MPI_File_write_at(fh, 400 + rank * n, copy, n, MPI_CHAR, MPI_STATUS_IGNORE);
    snprintf(printed, sizeof printed, "%s", "a third one\n");
    n = strlen(printed);
    MPI_File_seek(fh, 600 + rank * n, MPI_SEEK_SET);
    MPI_File_write(fh, printed, n, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0 * nprocs;
}
