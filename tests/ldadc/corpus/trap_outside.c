/* trap: a variable that another file of the program sets
 * outside: parts/outside.c
 * expect: unresolved; unresolved */
#include "corpus.h"

extern MPI_Offset base;
MPI_Offset step = 32;
void change(int rank);

int main(int argc, char **argv)
{
    START_B;
    change(rank);
    WRITE_BLOCK(base + rank * S);
    WRITE_BLOCK(rank * step);
    END;
}
