/* perf: every rank writes chunks of its own in a shared file, and reads them back. */
#ifndef LDAD_WORKLOADS_PERF_H
#define LDAD_WORKLOADS_PERF_H

#include <mpi.h>

struct perf {
    MPI_Offset chunk; /* bytes */
    MPI_Offset count; /* chunks of each rank */
    int slabs;        /* a rank's chunks are contiguous; 0: ranks take turns */
    char *buf;        /* a chunk */
};

/* **Collective.** Write the file, and read it. Return 0, or another number if a call
 * failed on this rank. */
int perf_write(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info);
int perf_read(const struct perf *p, MPI_Comm comm, const char *path, MPI_Info info);

/* Functions of the user: perf_fill makes the contents of a chunk at `offset`, and
 * perf_check checks them. */
void perf_fill(const struct perf *p, MPI_Offset offset);
void perf_check(const struct perf *p, MPI_Offset offset);

#endif
