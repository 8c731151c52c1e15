/* Each rank writes one region.
 * expect: resolved segmented */
#include "corpus.h"

enum { SIZE = 1000 };

int main(int argc, char **argv)
{
    static char buf[SIZE];
    BEGIN;
    OPEN;
    MPI_File_write_at(fh, (MPI_Offset)rank * SIZE, buf, SIZE, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
