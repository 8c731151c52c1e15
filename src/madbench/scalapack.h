/* The functions of the BLACS, the PBLAS, ScaLAPACK and LAPACK that
 * madbench/linalg.c and madbench/remap.c call. Integers are 32-bit. Fortran passes
 * the lengths of character arguments behind all others; C callers of these
 * libraries leave them out. */
#ifndef MADBENCH_SCALAPACK_H
#define MADBENCH_SCALAPACK_H

#include <mpi.h>

#define DESC_SIZE 9    /* entries of a matrix description */
#define DESC_CONTEXT 1 /* entry for the BLACS context, -1: not a member */

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca,
               double *b, int ib, int jb, const int *descb, int context);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
               const int *irsrc, const int *icsrc, const int *context, const int *lld,
               int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n,
             const int *k, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c,
             const int *ic, const int *jc, const int *descc);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desca, const double *beta,
             double *c, const int *ic, const int *jc, const int *descc);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *info);
void pdpotri_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *info);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda,
            double *b, const int *ldb, int *info);

#endif
