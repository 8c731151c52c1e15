/* Linear algebra on a process grid: ScaLAPACK and the PBLAS behind a few functions, on
 * the communicator of all ranks or of a gang.
 *
 * Matrices are shares as in madbench/grid.h: column-major, local_rows x local_cols
 * doubles, leading dimension local_rows. In "matrices" (shares of a gang's grid when
 * gangs compute, of the big grid in S and D), the phases hold:
 *
 *   S  P_{l-1}, P_l, S, dSdC                                              4
 *   D  D (inverted in place), one work matrix                             2
 *   W  inverse, dSdC, result, and the big grid's read and pack pieces     3 + 2/ngang
 *   C  outer, its transpose, inner, and a buffer to rotate inners into    4
 *
 * that is, never more than five. ScaLAPACK allocates its own panels in addition: about
 * block * (local_rows + local_cols) doubles each. */
#ifndef MADBENCH_LINALG_H
#define MADBENCH_LINALG_H

#include "madbench/grid.h"
#include "madbench/tick.h"

#include <mpi.h>

struct linalg {
    MPI_Comm comm;    /* the caller's; must outlive this */
    struct grid grid; /* our place in it */
    int context;      /* of the BLACS, row-major over comm */
    int handle;       /* of the BLACS, for comm */
    int desc[9];      /* ScaLAPACK's description of every matrix here */
};

/* **Collective** on `comm`. Makes a grid over all ranks of `comm`, for matrices of
 * npix in blocks of `block`. linalg_close frees *l. Sets BLAS to one thread first.
 * Returns 0, -EINVAL (see grid_check, grid_check_scalapack) or -ENOMEM, the same on
 * every rank. */
int linalg_open(struct linalg **l, MPI_Comm comm, int64_t npix, int64_t block);

/* **Collective** on its communicator. */
void linalg_close(struct linalg **l);

/* Local. Sets a threaded BLAS to one thread, as every core has its rank; OpenBLAS, MKL
 * and BLIS are found at run time. Call before any other BLAS call (linalg_open does).
 * Returns a phrase for the report, such as "OpenBLAS set to 1 thread per rank". */
const char *linalg_blas_single(void);

/* **Collective.** Inverts `a`, symmetric positive definite (its lower triangle
 * suffices), in place; both triangles are complete afterwards. `work` is one share,
 * whose content is lost. Cholesky: pdpotrf, pdpotri. Returns 0, or -EDOM with a
 * sentence if `a` is not positive definite. */
int linalg_invert(struct linalg *l, double *a, double *work);

/* **Collective.** c = a b (pdgemm). In one call if `panels` <= 1; else in up to
 * `panels` column panels, each whole blocks on every grid column, with `t` (or NULL)
 * polled between them. Narrow panels cost speed: one panel should last a few ms.
 * Returns 0. */
int linalg_multiply(struct linalg *l, const double *a, const double *b, double *c,
                    int panels, struct tick *t);

/* **Collective.** at = transpose of a (pdtran); two different shares. Returns 0. */
int linalg_transpose(struct linalg *l, const double *a, double *at);

/* **Collective.** z = a d with d = ones: the row sums of `a`, all npix of them,
 * on every rank of the grid. Returns 0, or -EIO with a sentence, the same on
 * every rank. */
int linalg_row_sums(struct linalg *l, const double *a, double *z);

/* Local. Contributions of this share to a sum that the caller reduces over the grid's
 * ranks (linalg_sum does):
 *   noise_add       a += I, the noise matrix of unit weights (changes a, sums nothing)
 *   trace           tr a
 *   ones_times      d^T a z with d = ones; z: npix doubles, the whole vector
 *   dot             sum of a(p,q) b(p,q): tr(A B) given A and the transpose of B, as
 *                   tr(A B) = sum A(p,q) B(q,p). `t` (or NULL): every few ms. */
void linalg_noise_add(const struct grid *g, double *a);
double linalg_trace_local(const struct grid *g, const double *a);
double linalg_ones_times_local(const struct grid *g, const double *a, const double *z);
double linalg_dot_local(const struct grid *g, const double *a, const double *b,
                        struct tick *t);

/* **Collective** on `comm`. Sums the `n` doubles at `v` over the ranks, in place, on
 * every rank. Returns 0, or -EIO with a sentence, the same on every rank. */
int linalg_sum(MPI_Comm comm, double *v, int n);

/* Local. Solves d2l dc = dl for the nbin bin powers (dposv). d2l: nbin x nbin,
 * column-major, lower triangle (b >= b' at d2l[b + b' * nbin]); overwritten by its
 * factor. dl: nbin doubles, replaced by dc. Returns 0, or -EDOM with a sentence if d2l
 * is not positive definite. */
int linalg_solve(int nbin, double *d2l, double *dl);

#endif
