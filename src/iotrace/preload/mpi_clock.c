#include "iotrace/preload/mpi.h"
void mpi_clock_begin(int rank, int ranks){(void)rank;(void)ranks;}
void mpi_clock_end(void){}
