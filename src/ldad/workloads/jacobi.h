/* jacobi: relaxes a grid that does not fit into memory from one file into another and
 * back, in a given number of sweeps. A rank reads its rows and one more on each side,
 * which belong to its neighbours. */
#ifndef LDAD_WORKLOADS_JACOBI_H
#define LDAD_WORKLOADS_JACOBI_H

#include <mpi.h>

struct jacobi {
    MPI_Offset rows, columns; /* size of the grid, with its fixed rim, in doubles */
    MPI_Offset sweeps;
    MPI_Offset strip; /* rows that are relaxed at once */
    int slabs;        /* a rank's rows are contiguous; 0: strips in turn */
    double *in;       /* (strip + 2) x columns */
    double *out;      /* strip x columns */
};

/* **Collective.** Opens both files once; writes the first one, relaxes it into the
 * second and back, and reads the last one, a band by each rank. Returns 0, or another
 * number if a call failed on this rank. */
int jacobi_run(const struct jacobi *p, MPI_Comm comm, const char *path_a,
               const char *path_b, MPI_Info info);

/* **Collective.** Function of the user, called when one part is over and `next` begins.
 * Returns another number than 0 if any rank `failed`. */
int jacobi_phase(const struct jacobi *p, const char *next, int failed);

/* Functions of the user. jacobi_fill makes the first values of `rows` rows from `first`
 * on in p->out; jacobi_relax relaxes them from p->in, which begins with row first - 1
 * if there is one, into p->out; jacobi_check checks those in p->out that were read. */
void jacobi_fill(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_relax(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);
void jacobi_check(const struct jacobi *p, MPI_Offset first, MPI_Offset rows);

#endif
