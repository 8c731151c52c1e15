/* jacobi: a grid that does not fit into memory is relaxed from one file into another
 * and back, as many sweeps as are asked for. A rank reads its rows and one more on each
 * side, which are its neighbours'. */
#ifndef LDAD_WORKLOADS_JACOBI_H
#define LDAD_WORKLOADS_JACOBI_H

#include <mpi.h>

struct jacobi {
    MPI_Offset rows, columns; /* of the grid, with its fixed rim: doubles */
    MPI_Offset sweeps;
    MPI_Offset strip; /* rows that are relaxed at once */
    int slabs;        /* a rank's rows stand together; 0: strips in turn */
    double *in;       /* (strip + 2) x columns */
    double *out;      /* strip x columns */
};

/* **Collective.** Opens both files, once; writes the first one, relaxes it into the
 * second and back, and reads the last one, a band by each rank. Returns 0, or not where
 * a call failed on this rank. */
int jacobi_run(const struct jacobi *p, MPI_Comm comm, const char *path_a,
               const char *path_b, MPI_Info info);

/* **Collective.** Told to whoever uses it: one part is over, and `next` begins. Returns
 * whether any rank `failed`. */
int jacobi_phase(const struct jacobi *p, const char *next, int failed);

/* Whoever uses it makes the first values of `rows` rows from `first` on in p->out;
 * relaxes them from p->in, where row first - 1 comes first, if there is one, into
 * p->out; and looks at those in p->out that were read. */
void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);

#endif
