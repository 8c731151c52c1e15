/* The part of trap_outside.c that ldadc does not see. */
#include <mpi.h>

extern MPI_Offset step;
void change(int rank);
MPI_Offset base = 100;

void change(int rank)
{
    base = rank * rank * 64;
    step = rank % 2 ? 48 : 64;
}
