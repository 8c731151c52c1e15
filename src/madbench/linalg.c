#include "madbench/linalg.h"
#include "base/mem.h"
#include "base/units.h"

#include "base/err.h"
#include "world/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int one = 1;
static const double unity = 1.0, nothing = 0.0;

/* ------------------------------------------------------------ BLAS threads */

/* Functions that set a threaded BLAS to one thread. They are looked up, not linked, as
 * a program's BLAS is often decided when it starts. */
static const struct blas {
    const char *symbol, *phrase;
    bool wide; /* takes an int64_t, the others an int */
} blas_table[] = {
    {"openblas_set_num_threads", "OpenBLAS set to 1 thread per rank", false},
    {"MKL_Set_Num_Threads", "MKL set to 1 thread per rank", false},
    {"bli_thread_set_num_threads", "BLIS set to 1 thread per rank", true},
};

/* Calls a symbol. ISO C forbids casting an object pointer to a function pointer; POSIX
 * allows copying its bytes. */
static void blas_call(void *symbol, bool wide)
{
    void (*set)(int);
    void (*set_wide)(int64_t);
    memcpy(&set, &symbol, sizeof set);
    memcpy(&set_wide, &symbol, sizeof set_wide);
    if (wide)
        set_wide(1);
    else
        set(1);
}

const char *linalg_blas_single(void)
{
    for (size_t i = 0; i < sizeof blas_table / sizeof blas_table[0]; i++) {
        void *symbol = dlsym(RTLD_DEFAULT, blas_table[i].symbol);
        if (symbol == NULL)
            continue;
        blas_call(symbol, blas_table[i].wide);
        return blas_table[i].phrase;
    }
    return "BLAS left as it is: no known way to set its threads";
}

/* ------------------------------------------------------------ open, close */

/* The leading dimension: in ScaLAPACK a share without rows has 1. */
static int leading(const struct grid *g)
{
    return g->local_rows > 0 ? (int)g->local_rows : 1;
}

static int desc_fill(struct linalg *l)
{
    int n = (int)l->grid.npix, block = (int)l->grid.block;
    int zero = 0, lld = leading(&l->grid), info;
    descinit_(l->desc, &n, &n, &block, &block, &zero, &zero, &l->context, &lld, &info);
    if (info != 0)
        return err_set(
            -EINVAL, NULL, -1,
            "ScaLAPACK's descinit refused its argument %d for a matrix of %d "
            "in blocks of %d",
            -info, n, block);
    return 0;
}

static int grid_open(struct linalg *l, int64_t npix, int64_t block)
{
    int ranks, rank;
    MPI_Comm_size(l->comm, &ranks);
    MPI_Comm_rank(l->comm, &rank);
    int rc = grid_init(&l->grid, npix, block, ranks, rank);
    return rc != 0 ? rc : grid_check_scalapack(npix, block, ranks);
}

int linalg_open(struct linalg **out, MPI_Comm comm, int64_t npix, int64_t block)
{
    *out = NULL;
    linalg_blas_single();
    struct linalg *l = mem_new(1, sizeof *l, "a process grid");
    int rc = l != NULL ? 0 : -ENOMEM;
    rc = err_agree(comm, rc);
    if (rc != 0) {
        free(l);
        return rc;
    }
    l->comm = comm;
    rc = grid_open(l, npix, block); /* the same on every rank: arithmetic alone */
    if (rc != 0) {
        free(l);
        return rc;
    }
    l->handle = Csys2blacs_handle(comm);
    l->context = l->handle;
    Cblacs_gridinit(&l->context, "Row", l->grid.rows, l->grid.cols);
    rc = err_agree(comm, desc_fill(l));
    if (rc != 0)
        linalg_close(&l);
    *out = l;
    return rc;
}

void linalg_close(struct linalg **l)
{
    if (*l == NULL)
        return;
    Cblacs_gridexit((*l)->context);
    Cfree_blacs_system_handle((*l)->handle);
    free(*l);
    *l = NULL;
}

/* ------------------------------------------------------------ distributed matrices */

/* Judges ScaLAPACK's info: > 0 concerns the matrix, < 0 our arguments. */
static int info_verdict(int info, const char *routine, const char *what)
{
    if (info == 0)
        return 0;
    if (info < 0)
        return err_set(-EINVAL, NULL, -1, "%s refused its argument %d for %s", routine,
                       -info, what);
    return err_set(-EDOM, NULL, -1,
                   "%s found %s not positive definite (leading minor of order %d)",
                   routine, what, info);
}

/* Completes the upper triangle of the symmetric `a` from its lower one, through
 * the transpose. */
static void upper_complete(struct linalg *l, double *a, double *work)
{
    const struct grid *g = &l->grid;
    linalg_transpose(l, a, work);
    for (int64_t j = 0; j < g->local_cols; j++) {
        int64_t q = grid_global_col(g, j);
        const double *from = work + j * g->local_rows;
        double *to = a + j * g->local_rows;
        for (int64_t i = 0; i < g->local_rows && grid_global_row(g, i) < q; i++)
            to[i] = from[i];
    }
}

int linalg_invert(struct linalg *l, double *a, double *work)
{
    const char *what = "the correlation matrix";
    int n = (int)l->grid.npix, info;
    pdpotrf_("L", &n, a, &one, &one, l->desc, &info);
    int rc = err_agree(l->comm, info_verdict(info, "pdpotrf", what));
    if (rc != 0)
        return rc;
    pdpotri_("L", &n, a, &one, &one, l->desc, &info);
    rc = err_agree(l->comm, info_verdict(info, "pdpotri", what));
    if (rc == 0)
        upper_complete(l, a, work);
    return rc;
}

/* The width of a panel: a whole number of blocks on every grid column, so that all
 * ranks have equal shares of every panel but the last. */
static int64_t panel_width(const struct grid *g, int panels)
{
    if (panels <= 1)
        return g->npix;
    int64_t round = g->block * g->cols;
    int64_t width = (g->npix + panels - 1) / panels;
    return (width + round - 1) / round * round;
}

int linalg_multiply(struct linalg *l, const double *a, const double *b, double *c,
                    int panels, struct tick *t)
{
    int n = (int)l->grid.npix;
    int64_t width = panel_width(&l->grid, panels);
    for (int64_t from = 0; from < n; from += width) {
        int j = (int)from + 1; /* Fortran counts from 1 */
        int cols = (int)(n - from < width ? n - from : width);
        pdgemm_("N", "N", &n, &cols, &n, &unity, a, &one, &one, l->desc, b, &one, &j,
                l->desc, &nothing, c, &one, &j, l->desc);
        tick_poll(t);
    }
    return 0;
}

int linalg_transpose(struct linalg *l, const double *a, double *at)
{
    int n = (int)l->grid.npix;
    pdtran_(&n, &n, &unity, a, &one, &one, l->desc, &nothing, at, &one, &one, l->desc);
    return 0;
}

/* Adds a local column to the vector of all rows, whole blocks at a time. */
static void column_scatter(const struct grid *g, const double *column, double *z)
{
    for (int64_t i = 0; i < g->local_rows; i += g->block) {
        int64_t left = g->local_rows - i;
        int64_t n = left < g->block ? left : g->block;
        double *to = z + grid_global_row(g, i);
        for (int64_t k = 0; k < n; k++)
            to[k] += column[i + k];
    }
}

int linalg_row_sums(struct linalg *l, const double *a, double *z)
{
    const struct grid *g = &l->grid;
    memset(z, 0, (size_t)g->npix * sizeof *z);
    for (int64_t j = 0; j < g->local_cols; j++)
        column_scatter(g, a + j * g->local_rows, z);
    return linalg_sum(l->comm, z, (int)g->npix);
}

/* ------------------------------------------------------------ one share */

/* Adds 1 to every diagonal element that is ours. */
void linalg_noise_add(const struct grid *g, double *a)
{
    for (int64_t i = 0; i < g->local_rows; i++) {
        int64_t p = grid_global_row(g, i);
        if (grid_owner_col(g, p) == g->col)
            a[i + grid_local_col(g, p) * g->local_rows] += 1.0;
    }
}

double linalg_trace_local(const struct grid *g, const double *a)
{
    double sum = 0.0;
    for (int64_t i = 0; i < g->local_rows; i++) {
        int64_t p = grid_global_row(g, i);
        if (grid_owner_col(g, p) == g->col)
            sum += a[i + grid_local_col(g, p) * g->local_rows];
    }
    return sum;
}

static double column_sum(const double *v, int64_t n)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

double linalg_ones_times_local(const struct grid *g, const double *a, const double *z)
{
    double sum = 0.0;
    for (int64_t j = 0; j < g->local_cols; j++)
        sum +=
            z[grid_global_col(g, j)] * column_sum(a + j * g->local_rows, g->local_rows);
    return sum;
}

static double column_dot(const double *v, const double *w, int64_t n)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * w[i];
    return sum;
}

/* Sums by columns: short sums of sums keep rounding errors small, too. */
double linalg_dot_local(const struct grid *g, const double *a, const double *b,
                        struct tick *t)
{
    double sum = 0.0;
    for (int64_t j = 0; j < g->local_cols; j++) {
        int64_t at = j * g->local_rows;
        sum += column_dot(a + at, b + at, g->local_rows);
        tick_poll(t);
    }
    return sum;
}

static int mpi_verdict(int code, int n)
{
    char why[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, why, &length);
    return err_set(-EIO, NULL, -1, "a sum of %d double%s over the ranks failed: %s", n,
                   units_s(n), why);
}

int linalg_sum(MPI_Comm comm, double *v, int n)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, comm);
    return err_agree(comm, mpi_verdict(code, n));
}

int linalg_solve(int nbin, double *d2l, double *dl)
{
    int info;
    dposv_("L", &nbin, &one, d2l, &nbin, dl, &nbin, &info);
    return info_verdict(info, "dposv", "the curvature matrix of the bins");
}
