/* The workloads are plain MPI-IO. Compiled with -include of this file, they are timed
 * and go through libldad instead. */
#ifndef LDAD_MEASURE_RENAME_H
#define LDAD_MEASURE_RENAME_H

#include "ldad/measure/timed.h"

#define MPI_File timed_file
#define MPI_File_open timed_file_open
#define MPI_File_close timed_file_close
#define MPI_File_sync timed_file_sync
#define MPI_Barrier timed_barrier
#define MPI_File_write_at_all timed_file_write_at_all
#define MPI_File_read_at_all timed_file_read_at_all

#endif
