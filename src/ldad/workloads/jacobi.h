/* jacobi: a grid that does not fit into memory is relaxed from one file into another
 * and back, as many sweeps as are asked for. A rank reads its rows and one more on each
 * side, which are its neighbours'. */
#ifndef LDAD_WORKLOADS_JACOBI_H
#define LDAD_WORKLOADS_JACOBI_H

#include <mpi.h>

struct jacobi {
    MPI_Offset rows, columns; /* of the grid, with its fixed rim: doubles */
    MPI_Offset strip;         /* rows that are relaxed at once */
    int slabs;                /* a rank's rows stand together; 0: strips in turn */
    double *in;               /* (strip + 2) x columns */
    double *out;              /* strip x columns */
};

/* **Collective.** The first file is written; one sweep, from a file into another, which
 * may be there already; the last file is read, a band by each rank. Return 0, or not
 * where a call failed on this rank. */
int jacobi_start(const struct jacobi *p, MPI_Comm comm, const char *path,
                 MPI_Info info);
int jacobi_sweep(const struct jacobi *p, MPI_Comm comm, const char *from,
                 const char *to, MPI_Info info);
int jacobi_read(const struct jacobi *p, MPI_Comm comm, const char *path, MPI_Info info);

/* Whoever uses it makes the first values of `rows` rows from `first` on in p->out;
 * relaxes them from p->in, where row first - 1 comes first, if there is one, into
 * p->out; and looks at those in p->out that were read. */
void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);

#endif
