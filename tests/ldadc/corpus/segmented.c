/* Each rank writes one region.
 * expect: resolved segmented */
#include "corpus.h"

enum { SIZE = 1000 };

int main(int argc, char **argv)
{
    static char buf[SIZE];
    START;
    WRITE_BYTES((MPI_Offset)rank * SIZE, buf, SIZE);
    END;
}
