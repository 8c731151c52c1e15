/* The part of MPI that parsers need if rank 0 reads and tells the others: a world of
 * one rank, so that fuzzing needs no MPI. */
#ifndef FUZZ_STUB_MPI_H
#define FUZZ_STUB_MPI_H

typedef int MPI_Comm, MPI_Request, MPI_Status, MPI_Datatype, MPI_Info, MPI_Op;
typedef int MPI_Group, MPI_Errhandler, MPI_Fint;
typedef long long MPI_Offset, MPI_Count, MPI_Aint;
typedef void MPI_Datarep_conversion_function(void), MPI_Datarep_extent_function(void);

enum { MPI_COMM_NULL = -1, MPI_COMM_SELF, MPI_BYTE, MPI_CHAR, MPI_INT64_T };

extern int stub_size; /* result of MPI_Comm_size */

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);

#endif
