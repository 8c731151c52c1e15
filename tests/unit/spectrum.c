/* ranks: 1 2 3 4 8 */
/* The whole computation of madbench's full mode in memory, without files, compared with
 * the reference answers: dC[0] depends on NPIX and NBIN alone. */
#include "madbench/grid.h"
#include "madbench/linalg.h"
#include "tap.h"

#define NBIN_MAX 8

static const struct reference {
    int npix, nbin;
    double dc0;
} references[] = {
    {64, 2, -8.982593033718e-01},
    {256, 4, -9.325234698007e-01},
    {256, 8, -9.518041028966e-01},
};

static int world_rank, world_size;

struct run {
    int npix, nbin, ngang, panels;
    MPI_Comm gang_comm;
    struct linalg *big, *gang;
    struct remap remap;
    double *dsdc[NBIN_MAX]; /* of the big grid */
    double *w[NBIN_MAX];    /* of the gang's grid: entry j is bin j * ngang + gang */
    double *inverse;        /* of the gang's grid */
    double *z;
    double dl[NBIN_MAX], d2l[NBIN_MAX * NBIN_MAX];
};

static double *share(const struct grid *g)
{
    double *a = malloc((size_t)grid_share_bytes(g));
    if (a == NULL)
        abort();
    return a;
}

/* Builds signal components and their sum. */
static int signal_build(struct run *r, double *s)
{
    struct pixels *px;
    double *previous = share(&r->big->grid), *current = share(&r->big->grid);
    int rc = pixels_open(&px, &r->big->grid);
    for (int bin = 0; rc == 0 && bin < r->nbin; bin++) {
        r->dsdc[bin] = share(&r->big->grid);
        legendre_bin(px, bin, previous, current, r->dsdc[bin], s, NULL);
    }
    pixels_close(&px);
    free(previous), free(current);
    return rc;
}

/* Moves a matrix to gang `gang`; `work` receives it. */
static int matrix_move(struct run *r, int gang, const double *from, double *to,
                       double *work)
{
    double *pack = share(&r->big->grid);
    int rc = remap_matrix(&r->remap, gang, from, to, pack, work);
    free(pack);
    return rc;
}

/* Computes D = S + N, its inverse for every gang, and z = D^-1 d. */
static int noise_invert(struct run *r, double *d, double *receive)
{
    double *work = share(&r->big->grid);
    linalg_noise_add(&r->big->grid, d);
    int rc = linalg_invert(r->big, d, work);
    free(work);
    if (rc == 0)
        rc = linalg_row_sums(r->big, d, r->z);
    for (int gang = 0; rc == 0 && gang < r->ngang; gang++)
        rc = matrix_move(r, gang, d, r->inverse, receive);
    return rc;
}

/* Computes W of the gang's bin j, and its part of dL. */
static int weights_build(struct run *r, int j)
{
    int rc = 0, bin = j * r->ngang + r->remap.gang;
    const struct grid *g = &r->gang->grid;
    double *dsdc = share(g);
    r->w[j] = share(g);
    for (int gang = 0; rc == 0 && gang < r->ngang; gang++)
        rc = matrix_move(r, gang, r->dsdc[j * r->ngang + gang], dsdc, r->w[j]);
    if (rc == 0)
        rc = linalg_multiply(r->gang, r->inverse, dsdc, r->w[j], r->panels, NULL);
    free(dsdc);
    r->dl[bin] = 0.5 * (linalg_ones_times_local(g, r->w[j], r->z) -
                        linalg_trace_local(g, r->w[j]));
    return rc;
}

/* Takes outer bin j against the inner bins j' <= j of all gangs, which come around. */
static int traces_take(struct run *r, int j, int jj)
{
    int rc = 0, gang = r->remap.gang, outer = j * r->ngang + gang;
    const struct grid *g = &r->gang->grid;
    double *transposed = share(g), *inner = share(g), *next = share(g);
    linalg_transpose(r->gang, r->w[j], transposed);
    memcpy(inner, r->w[jj], (size_t)grid_share_bytes(g));
    for (int step = 0; rc == 0 && step < r->ngang; step++) {
        int bin = jj * r->ngang + (gang - step + r->ngang) % r->ngang;
        if (bin <= outer)
            r->d2l[outer + bin * r->nbin] =
                0.5 * linalg_dot_local(g, transposed, inner, NULL);
        rc = remap_rotate(&r->remap, inner, next, NULL);
        double *swap = inner;
        inner = next;
        next = swap;
    }
    free(transposed), free(inner), free(next);
    return rc;
}

static int run_compute(struct run *r)
{
    double *d = share(&r->big->grid), *receive = share(&r->gang->grid);
    int rc = signal_build(r, d);
    if (rc == 0)
        rc = noise_invert(r, d, receive);
    free(d), free(receive);
    for (int j = 0; rc == 0 && j < r->nbin / r->ngang; j++)
        rc = weights_build(r, j);
    for (int j = 0; rc == 0 && j < r->nbin / r->ngang; j++)
        for (int jj = 0; rc == 0 && jj <= j; jj++)
            rc = traces_take(r, j, jj);
    if (rc == 0)
        rc = linalg_sum(MPI_COMM_WORLD, r->dl, r->nbin);
    if (rc == 0)
        rc = linalg_sum(MPI_COMM_WORLD, r->d2l, r->nbin * r->nbin);
    return rc != 0 ? rc : linalg_solve(r->nbin, r->d2l, r->dl);
}

static int run_open(struct run *r, const struct reference *ref, int ngang,
                    int64_t block, enum remap_method method)
{
    *r = (struct run){.npix = ref->npix, .nbin = ref->nbin, .ngang = ngang};
    r->panels = method == REMAP_CUSTOM ? 1 : 3;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank / (world_size / ngang), world_rank,
                   &r->gang_comm);
    int rc = linalg_open(&r->big, MPI_COMM_WORLD, ref->npix, block);
    if (rc == 0)
        rc = linalg_open(&r->gang, r->gang_comm, ref->npix, block);
    if (rc == 0)
        rc = remap_open(&r->remap, MPI_COMM_WORLD, ref->npix, block, ngang, method,
                        r->big, r->gang);
    if (rc == 0) {
        r->inverse = share(&r->gang->grid);
        r->z = malloc((size_t)ref->npix * sizeof(double));
    }
    return rc;
}

static void run_close(struct run *r)
{
    for (int bin = 0; bin < NBIN_MAX; bin++)
        free(r->dsdc[bin]), free(r->w[bin]);
    free(r->inverse), free(r->z);
    linalg_close(&r->gang);
    linalg_close(&r->big);
    MPI_Comm_free(&r->gang_comm);
}

static void test_answer(const struct reference *ref, int ngang, int64_t block,
                        enum remap_method method)
{
    struct run r;
    int rc = run_open(&r, ref, ngang, block, method);
    if (rc == 0)
        rc = run_compute(&r);
    double off = fabs(r.dl[0] / ref->dc0 - 1.0);
    tap_ok(rc == 0 && off < 1e-9,
           "NPIX %d NBIN %d in %d gangs, blocks of %d, %s: dC[0] = %.12e, %.0e off%s",
           ref->npix, ref->nbin, ngang, (int)block,
           method == REMAP_CUSTOM ? "custom" : "scalapack", r.dl[0], off,
           rc != 0 ? err_get()->text : "");
    run_close(&r);
}

/* A matrix without a Cholesky factor must not pass for an answer. */
static void test_indefinite(void)
{
    struct linalg *l;
    int rc = linalg_open(&l, MPI_COMM_WORLD, 32, grid_block_default(32, world_size));
    tap_ok(rc == 0, "a grid of all ranks opens");
    if (rc != 0)
        return;
    double *a = share(&l->grid), *work = share(&l->grid);
    memset(a, 0, (size_t)grid_share_bytes(&l->grid));
    rc = linalg_invert(l, a, work);
    tap_ok(rc != 0 && strstr(err_get()->text, "not positive definite") != NULL,
           "a matrix of zeros is not inverted: %s", err_get()->text);
    err_clear();
    double d2l[4] = {1, 2, 0, 1}, dl[2] = {1, 1};
    tap_ok(linalg_solve(2, d2l, dl) != 0, "an indefinite curvature is not solved");
    err_clear();
    free(a), free(work);
    linalg_close(&l);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (size_t k = 0; k < sizeof references / sizeof references[0]; k++) {
        const struct reference *ref = &references[k];
        int64_t block = grid_block_default(ref->npix, world_size);
        for (int ngang = 1; ngang <= world_size && ngang <= ref->nbin; ngang++) {
            if (world_size % ngang != 0 || ref->nbin % ngang != 0)
                continue;
            test_answer(ref, ngang, block, REMAP_CUSTOM);
            if (ngang > 1)
                test_answer(ref, ngang, block < 13 ? 5 : 13, REMAP_SCALAPACK);
        }
    }
    test_indefinite();
    return tap_end();
}
