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

#include "madbench/busy.h"
#include "madbench/grid.h"
#include <mpi.h>

/* ---- ScaLAPACK ------------------------------------------------------------------- */

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

/* ---- matrices -------------------------------------------------------------------- */

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

/* ---- remapping ------------------------------------------------------------------- */

#define REMAP_MESSAGE_MAX (INT64_C(1) << 30) /* bytes; longer ones are split */

enum remap_method {
    REMAP_CUSTOM,   /* point to point between ranks that share blocks, packed here */
    REMAP_SCALAPACK /* Cpdgemr2d */
};

struct remap {
    MPI_Comm comm; /* the caller's: all ranks */
    enum remap_method method;
    int ngang, gang;                /* gang: ours */
    struct grid big;                /* our place in the big grid */
    struct grid small;              /* our place in our gang's grid */
    int big_context, small_context; /* of the BLACS, scalapack only, else -1 */
    int big_desc[9], small_desc[9];
    int64_t message_max; /* bytes; REMAP_MESSAGE_MAX, less in tests */
};

/* **Collective** on `comm`. Prepares to move matrices of npix in blocks of `block` to
 * `ngang` gangs. `big` and `small` are the open grids of `comm` and of this rank's
 * gang, in rank order; custom takes NULL for both and needs no ScaLAPACK. *r holds no
 * resources and need not be closed. Returns 0, or -EINVAL with a sentence (ngang does
 * not divide the ranks; see grid_check; with scalapack, shares beyond 32-bit indices),
 * the same on every rank. */
int remap_open(struct remap *r, MPI_Comm comm, int64_t npix, int64_t block, int ngang,
               enum remap_method method, const struct linalg *big,
               const struct linalg *small);

/* Local. The bytes of the buffers that remap_matrix needs on this rank. Zero for
 * scalapack and for one gang. */
int64_t remap_pack_bytes(const struct remap *r);
int64_t remap_receive_bytes(const struct remap *r);

/* **Collective** on the big communicator. Moves the matrix whose share of the big grid
 * is `from` to gang `gang`; ranks of that gang find their share in `to`, which the
 * others need not give (NULL). `pack` and `receive`: see above; `receive` only on
 * ranks of that gang. No two buffers may overlap; only with one gang, when this is a
 * copy, may `from` be `to`. Returns 0, or -ENOMEM or -EIO with a sentence, the same on
 * every rank. */
int remap_matrix(const struct remap *r, int gang, const double *from, double *to,
                 double *pack, double *receive);

/* **Collective** on the big communicator. Passes one share of the gang's grid from
 * every gang to the next (the last gang's to gang 0): rank k of a gang sends `out` to
 * rank k of gang g + 1 and receives the one of gang g - 1 in `in`. Both share-sized,
 * not overlapping; with one gang, a copy. Polls `t` (or NULL) while it waits. Returns 0
 * or -EIO with a sentence, the same on every rank. */
int remap_rotate(const struct remap *r, const double *out, double *in, struct tick *t);

#endif
