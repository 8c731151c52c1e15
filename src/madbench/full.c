#include "madbench/full.h"
#include "base/err.h"
#include "base/stamp.h"
#include "madbench/bench.h"
#include "madbench/linalg.h"
#include "madbench/pixels.h"
#include "madbench/remap.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The five buffers of the bench are handed from phase to phase by name. Each holds a
 * share of a gang's matrix; shares of the big grid are smaller. */
struct full {
    struct bench *b;
    struct linalg *big, *small;
    struct pixels *pixels;
    struct remap remap;
    double *inverse;       /* D^-1 on the gang's grid: one of the buffers, D to W */
    double *free[4];       /* the other four */
    double *z;             /* npix: D^-1 d */
    double *dl, *d2l, *dc; /* nbin; nbin x nbin; nbin */
    uint64_t *bin_hash;    /* nbin: what S wrote of each bin, by this rank */
    uint64_t *group_hash;  /* groups: what W wrote */
};

int full_check(const struct plan *p)
{
    int rc = grid_check_scalapack(p->big.npix, p->big.block, p->ranks);
    return rc ? rc : grid_check_scalapack(p->small.npix, p->small.block, p->gang_ranks);
}

/* ---- what it holds ------------------------------------------------------------ */

static int allocate(struct full *f)
{
    const struct settings *s = f->b->settings;
    size_t nbin = (size_t)s->nbin;
    f->z = calloc((size_t)s->npix, sizeof *f->z);
    f->dl = calloc(nbin, sizeof *f->dl);
    f->d2l = calloc(nbin * nbin, sizeof *f->d2l);
    f->dc = calloc(nbin, sizeof *f->dc);
    f->bin_hash = calloc(nbin, sizeof *f->bin_hash);
    f->group_hash = calloc((size_t)f->b->plan.groups, sizeof *f->group_hash);
    if (f->z && f->dl && f->d2l && f->dc && f->bin_hash && f->group_hash)
        return 0;
    return err_set(-ENOMEM, NULL, -1,
                   "no memory for the vectors of %lld pixels and %lld "
                   "bins",
                   (long long)s->npix, (long long)s->nbin);
}

int full_open(struct full **out, struct bench *b)
{
    const struct settings *s = b->settings;
    MPI_Comm world = b->run->world.comm;
    struct full *f = *out = calloc(1, sizeof *f);
    int rc = f ? 0 : err_set(-ENOMEM, NULL, -1, "no memory");
    if ((rc = err_agree(world, rc))) {
        free(f);
        *out = NULL;
        return rc;
    }
    f->b = b;
    report_note(b->run->report, "kernels", "Legendre polynomials with %s; %s",
                legendre_isa(), linalg_blas_single());
    rc = allocate(f);
    if (!rc)
        rc = pixels_open(&f->pixels, &b->plan.big);
    if (!(rc = err_agree(world, rc)))
        rc = linalg_open(&f->big, world, s->npix, s->sblock);
    if (!rc)
        rc = err_agree(world, linalg_open(&f->small, b->gang, s->npix, s->sblock));
    if (!rc)
        rc = remap_open(&f->remap, world, s->npix, s->sblock, (int)s->ngang,
                        strcmp(s->remap, "CUSTOM") ? REMAP_SCALAPACK : REMAP_CUSTOM,
                        f->big, f->small);
    return rc;
}

void full_close(struct full **full)
{
    struct full *f = *full;
    if (!f)
        return;
    pixels_close(&f->pixels);
    linalg_close(&f->small);
    linalg_close(&f->big);
    free(f->z);
    free(f->dl);
    free(f->d2l);
    free(f->dc);
    free(f->bin_hash);
    free(f->group_hash);
    free(f);
    *full = NULL;
}

const double *full_dc(const struct full *f)
{
    return f->dc;
}

/* ---- verified I/O of unstamped data -------------------------------------- */

static uint64_t fingerprint(struct full *f, const void *buf, int64_t bytes)
{
    struct run *r = f->b->run;
    if (!r->verify)
        return 0;
    enum act before = phase_act(r->phase, ACT_CHECK);
    uint64_t h = stamp_hash(buf, bytes);
    phase_act(r->phase, before);
    return h;
}

static void write_bin(struct full *f, const double *m, int64_t bin)
{
    f->bin_hash[bin] = fingerprint(f, m, f->b->plan.big_bytes);
    bench_write_bin(f->b, m, bin);
    bench_step(f->b);
}

static void read_bin(struct full *f, double *m, int64_t bin)
{
    int64_t bytes = f->b->plan.big_bytes;
    bench_read_bin(f->b, m, bin);
    run_check_hash(&f->b->file, fingerprint(f, m, bytes), f->bin_hash[bin],
                   bench_offset_bin(f->b, bin), bytes, (int)bin);
    bench_step(f->b);
}

static void write_group(struct full *f, const double *m, int64_t group)
{
    f->group_hash[group] = fingerprint(f, m, f->b->plan.small_bytes);
    bench_write_group(f->b, m, group);
    bench_step(f->b);
}

/* Phase C reads every matrix but the first again, so it must not stay in memory. */
static void read_group(struct full *f, double *m, int64_t group)
{
    int64_t bytes = f->b->plan.small_bytes;
    bench_read_group(f->b, m, group, true);
    run_check_hash(&f->b->file, fingerprint(f, m, bytes), f->group_hash[group],
                   bench_offset_group(f->b, group), bytes,
                   (int)(group * f->b->plan.gangs) + f->b->plan.gang);
    bench_step(f->b);
}

/* Remembers a failure of the mathematics; the phase's end tells everybody. */
static void note(struct full *f, int rc)
{
    if (rc && !f->b->run->failed)
        f->b->run->failed = rc;
}

static void communicate(struct full *f)
{
    phase_act(f->b->run->phase, ACT_COMMUNICATE);
}

static void compute(struct full *f)
{
    phase_act(f->b->run->phase, ACT_COMPUTE);
}

/* ---- the phases ---------------------------------------------------------- */

/* Builds and writes the matrices; their sum S stays in memory, in `sum`. */
static int phase_s(struct full *f, double *sum)
{
    double *previous = f->b->buf[0], *current = f->b->buf[1], *dsdc = f->b->buf[3];
    int rc = bench_phase_begin(f->b, "S", IO_WRITE | IO_CREATE);
    for (int bin = 0; bin < f->b->settings->nbin && !rc; bin++) {
        legendre_bin(f->pixels, bin, previous, current, dsdc, sum, NULL);
        write_bin(f, dsdc, bin);
    }
    return bench_phase_end(f->b);
}

/* Hands the inverse to every gang, and names the buffers for W and C. */
static void share_inverse(struct full *f, double *d)
{
    void **buf = f->b->buf;
    f->inverse = d;
    communicate(f);
    if (f->b->plan.gangs > 1) {
        f->inverse = buf[0];
        for (int g = 0; g < f->b->plan.gangs; g++)
            note(f, remap_matrix(&f->remap, g, d, buf[0], buf[3], buf[1]));
    }
    compute(f);
    for (int i = 0, n = 0; i < MADBENCH_MATRICES; i++)
        if (buf[i] != f->inverse)
            f->free[n++] = buf[i];
}

/* D = S + N, its inverse, and z = D^-1 d. No I/O. */
static int phase_d(struct full *f, double *d)
{
    bench_phase_begin(f->b, "D", 0);
    linalg_noise_add(&f->b->plan.big, d);
    note(f, linalg_invert(f->big, d, f->b->buf[0]));
    share_inverse(f, d);
    note(f, linalg_row_sums(f->small, f->inverse, f->z));
    return bench_phase_end(f->b);
}

/* Reads the bins of a group, one for each gang, and leaves ours in `dsdc`. */
static void gather_group(struct full *f, int64_t group, double *dsdc, double *receive,
                         double *share, double *pack)
{
    int gangs = f->b->plan.gangs;
    for (int g = 0; g < gangs; g++) {
        double *to = gangs > 1 ? share : dsdc;
        read_bin(f, to, group * gangs + g);
        communicate(f);
        if (gangs > 1)
            note(f, remap_matrix(&f->remap, g, to, dsdc, pack, receive));
        compute(f);
    }
}

/* dL_b = (d^T W z - tr W) / 2, this share's part of it. */
static double slope(struct full *f, const double *w)
{
    const struct grid *g = &f->b->plan.small;
    return 0.5 * (linalg_ones_times_local(g, w, f->z) - linalg_trace_local(g, w));
}

static int phase_w(struct full *f)
{
    double *dsdc = f->free[0], *w = f->free[1];
    const struct plan *p = &f->b->plan;
    int rc = bench_phase_begin(f->b, "W", IO_READ | IO_WRITE);
    memset(f->dl, 0, (size_t)f->b->settings->nbin * sizeof *f->dl);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        gather_group(f, group, dsdc, w, f->free[2], f->free[3]);
        note(f, linalg_multiply(f->small, f->inverse, dsdc, w, 1, NULL));
        f->dl[group * p->gangs + p->gang] = slope(f, w);
        write_group(f, w, group);
    }
    return bench_phase_end(f->b);
}

/* tr(W_b W_b') / 2 for our outer group and all gangs' matrices of the inner group,
 * which come round: `m` is the first of them, and both buffers are used up. */
static void trace_products(struct full *f, int64_t outer, int64_t inner,
                           const double *transposed, double *m, double *spare)
{
    const struct plan *p = &f->b->plan;
    int64_t nbin = f->b->settings->nbin, ours = outer * p->gangs + p->gang;
    for (int step = 0; step < p->gangs; step++) {
        int from = (p->gang - step + p->gangs) % p->gangs;
        int64_t theirs = inner * p->gangs + from;
        if (theirs <= ours)
            f->d2l[ours + theirs * nbin] =
                0.5 * linalg_dot_local(&p->small, transposed, m, NULL);
        if (step + 1 == p->gangs)
            break;
        communicate(f);
        note(f, remap_rotate(&f->remap, m, spare, NULL));
        compute(f);
        double *swap = m;
        m = spare;
        spare = swap;
    }
}

static void solve(struct full *f)
{
    int nbin = (int)f->b->settings->nbin;
    MPI_Comm world = f->b->run->world.comm;
    communicate(f);
    note(f, linalg_sum(world, f->dl, nbin));
    for (int column = 0; column < nbin; column++) /* a column fits an int count */
        note(f, linalg_sum(world, f->d2l + (size_t)column * (size_t)nbin, nbin));
    compute(f);
    memcpy(f->dc, f->dl, (size_t)nbin * sizeof *f->dc);
    note(f, linalg_solve(nbin, f->d2l, f->dc));
}

static int phase_c(struct full *f)
{
    /* W's inverse is no longer needed: its buffer serves, too. */
    double *outer = f->inverse, *transposed = f->free[0], *inner = f->free[1];
    const struct plan *p = &f->b->plan;
    size_t nbin = (size_t)f->b->settings->nbin;
    int rc = bench_phase_begin(f->b, "C", IO_READ);
    memset(f->d2l, 0, nbin * nbin * sizeof *f->d2l);
    for (int64_t j = 0; j < p->groups && !rc; j++) {
        read_group(f, outer, j);
        note(f, linalg_transpose(f->small, outer, transposed));
        trace_products(f, j, j, transposed, outer, f->free[2]);
        for (int64_t i = 0; i < j; i++) {
            read_group(f, inner, i);
            trace_products(f, j, i, transposed, inner, f->free[2]);
        }
    }
    if (!rc)
        solve(f);
    return bench_phase_end(f->b);
}

int full_rep(struct full *f)
{
    double *d = f->b->buf[2];
    run_rep_begin(f->b->run);
    int rc = phase_s(f, d);
    if (!rc)
        rc = phase_d(f, d);
    if (!rc)
        rc = phase_w(f);
    if (!rc)
        rc = phase_c(f);
    int removed = run_file_remove(&f->b->file);
    rc = rc ? rc : removed;
    if (!rc)
        run_rep_end(f->b->run);
    return rc;
}
