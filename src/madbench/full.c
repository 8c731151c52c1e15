#include "madbench/full.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "madbench/bench.h"
#include "madbench/grid.h"
#include "madbench/linalg.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The buffers of the bench pass from phase to phase by name. Each holds a share of a
 * gang's matrix; shares of the big grid are smaller. */
struct full {
    struct bench *b;
    struct linalg *big, *small;
    struct pixels *pixels;
    struct remap remap;
    double *inverse;        /* D^-1 on the gang's grid: one of the buffers, D to W */
    void *in[2];            /* other buffers: shares that are read */
    double *out[2];         /* other buffers: W's products; maybe the same one twice,
                             * see below */
    double *dsdc[2], *pack; /* other buffers, with several gangs: its matrices;
                             * for remapping */
    double *z;              /* npix: D^-1 d */
    double *dl, *d2l, *dc;  /* nbin; nbin x nbin; nbin */
    uint64_t *bin_hash;     /* nbin: hashes of what S wrote of each bin, in our place */
    uint64_t *group_hash;   /* groups: hashes of what W wrote */
    char *piece;            /* with --rank-shift: a piece that is passed on */
};

int full_check(const struct plan *p)
{
    int rc = grid_check_scalapack(p->big.npix, p->big.block, p->ranks);
    return rc ? rc : grid_check_scalapack(p->small.npix, p->small.block, p->gang_ranks);
}

/* ---- memory ------------------------------------------------------------------- */

static int full_allocate(struct full *f)
{
    const struct settings *s = f->b->settings;
    size_t nbin = (size_t)s->nbin;
    f->z = mem_new(s->npix, sizeof *f->z, "vectors of pixels and bins");
    f->dl = mem_new(nbin, sizeof *f->dl, "vectors of pixels and bins");
    f->d2l = mem_new(nbin * nbin, sizeof *f->d2l, "vectors of pixels and bins");
    f->dc = mem_new(nbin, sizeof *f->dc, "vectors of pixels and bins");
    f->bin_hash = mem_new(nbin, sizeof *f->bin_hash, "vectors of pixels and bins");
    f->group_hash =
        mem_new(f->b->plan.groups, sizeof *f->group_hash, "vectors of pixels and bins");
    if (f->b->plan.piece_bytes)
        f->piece = mem_new(f->b->plan.piece_bytes, 1, "vectors of pixels and bins");
    if (f->z && f->dl && f->d2l && f->dc && f->bin_hash && f->group_hash &&
        (f->piece || !f->b->plan.piece_bytes))
        return 0;
    return -ENOMEM;
}

int full_open(struct full **out, struct bench *b)
{
    const struct settings *s = b->settings;
    MPI_Comm world = b->run->world.comm;
    struct full *f = *out = mem_new(1, sizeof *f, "a full run");
    int rc = f ? 0 : -ENOMEM;
    if ((rc = err_agree(world, rc))) {
        free(f);
        *out = NULL;
        return rc;
    }
    f->b = b;
    report_note(b->run->report, "kernels", "Legendre polynomials with %s; %s",
                legendre_isa(), linalg_blas_single());
    rc = full_allocate(f);
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
    free(f->piece);
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
    bench_write(f->b, m, bench_bin(f->b, bin));
    bench_step(f->b);
}

static void full_check_matrix(struct full *f, const double *m, struct share s,
                              struct run_hash hash, int64_t mat)
{
    hash.found = fingerprint(f, m, s.bytes);
    run_check_hash(&f->b->file, hash, s.offset, s.bytes, (int)mat);
    bench_step(f->b);
}

/* Records a failure of the mathematics or of messages, which ranks agree on at the end
 * of the phase. */
static void full_note(struct full *f, int rc)
{
    run_fail(f->b->run, rc);
}

/* ---- --rank-shift ---------------------------------------------------------- */

enum { HANDED_ON = 4712 };

static void note_message(struct full *f, int code)
{
    char why[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, why, &length);
    full_note(f, err_set(-EIO, NULL, -1, "handing on what was read failed: %s", why));
}

/* Passes the hashes on, so that each rank knows the content of the place that it
 * moves to. */
static void move_hashes(struct full *f, uint64_t *hash, int64_t n)
{
    struct run *r = f->b->run;
    if (f->piece)
        note_message(f, MPI_Sendrecv_replace(hash, (int)n, MPI_UINT64_T,
                                             run_shifted(r, -1), HANDED_ON,
                                             run_shifted(r, 1), HANDED_ON,
                                             r->world.comm, MPI_STATUS_IGNORE));
}

/* The size of the next piece of `bytes` from `at` on, and the rank to exchange it with:
 * none if nothing is left. */
static int next_piece(const struct full *f, int64_t at, int64_t bytes, int *peer)
{
    int64_t left = bytes - at, most = f->b->plan.piece_bytes;
    if (left <= 0)
        *peer = MPI_PROC_NULL;
    return left <= 0 ? 0 : (int)(left < most ? left : most);
}

/* Passes the `bytes` in m, which are another rank's share, on to that rank; then m
 * holds our share, of own_bytes. */
static void hand_on(struct full *f, double *m, int64_t bytes, int64_t own_bytes)
{
    struct run *r = f->b->run;
    char *at = (char *)m;
    if (!f->piece || !f->b->work)
        return;
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    for (int64_t i = 0; i < bytes || i < own_bytes; i += f->b->plan.piece_bytes) {
        int to = run_shifted(r, 1), from = run_shifted(r, -1);
        int out = next_piece(f, i, bytes, &to), in = next_piece(f, i, own_bytes, &from);
        note_message(f, MPI_Sendrecv(at + i, out, MPI_BYTE, to, HANDED_ON, f->piece, in,
                                     MPI_BYTE, from, HANDED_ON, r->world.comm,
                                     MPI_STATUS_IGNORE));
        memcpy(at + i, f->piece, (size_t)in);
        tick_poll(&f->b->tick);
    }
    phase_act(r->phase, before);
}

/* ---- bins and groups --------------------------------------------------------- */

/* Reads a bin's share, and fetches the next one's. */
static double *read_bin(struct full *f, int64_t bin)
{
    struct share s = bench_read_bin(f->b, f->in, bin);
    double *m = f->in[bin % 2];
    full_check_matrix(f, m, s, (struct run_hash){.expected = f->bin_hash[bin]}, bin);
    hand_on(f, m, s.bytes, f->b->plan.big_bytes);
    return m;
}

static void write_group(struct full *f, const double *m, int64_t group)
{
    f->group_hash[group] = fingerprint(f, m, f->b->plan.small_bytes);
    bench_write(f->b, m, bench_group(f->b, group));
    bench_step(f->b);
}

/* Reads the n-th of phase C's shares, and fetches the share `next` (-1: none). All
 * except the first are read again, so none must stay in memory. */
static double *read_group(struct full *f, int64_t n, int64_t group, int64_t next)
{
    struct share s = bench_group(f->b, group);
    int writer = run_shifted(f->b->run, 1), gangs = f->b->plan.gangs;
    struct run_hash hash = {.expected = f->group_hash[group],
                            .earlier = gangs == 1 ? f->bin_hash[group] : 0};
    double *m = f->in[n % 2];
    bench_read(f->b, m, s);
    run_forget(&f->b->file, s.offset, s.bytes);
    if (next >= 0)
        bench_fetch(f->b, f->in[(n + 1) % 2], bench_group(f->b, next));
    full_check_matrix(f, m, s, hash, group * gangs + writer / f->b->plan.gang_ranks);
    hand_on(f, m, s.bytes, f->b->plan.small_bytes);
    return m;
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

#define PANEL_FLOPS 1.6e7 /* a few milliseconds of a core */

/* The number of column panels into which the product is split, so that transfers are
 * advanced in between; one if there are none. */
static int panels(const struct full *f)
{
    const struct plan *p = &f->b->plan;
    double n = (double)p->big.npix;
    double all = 2 * n * n * n / p->gang_ranks / PANEL_FLOPS;
    double most = n / (double)p->big.block;
    return f->b->tick.call ? (int)ceil(fmin(all, most)) : 1;
}

/* Builds and writes the matrices; their sum S stays in memory, in `sum`. */
static int phase_s(struct full *f, double *sum)
{
    void **buf = f->b->buf;
    double *previous = buf[0], *current = buf[1], *dsdc[2] = {buf[3], buf[4]};
    int rc = bench_phase_begin(f->b, PHASE_S, IO_WRITE | IO_CREATE);
    for (int bin = 0; bin < f->b->settings->nbin && !rc; bin++) {
        double *m = dsdc[bin % 2];
        if (f->b->work)
            legendre_bin(f->pixels, bin, previous, current, m, sum, &f->b->tick);
        write_bin(f, m, bin);
    }
    rc = bench_phase_end(f->b);
    move_hashes(f, f->bin_hash, f->b->settings->nbin);
    return rc;
}

/* Sends the inverse to every gang. */
static void share_inverse(struct full *f, double *d)
{
    void **buf = f->b->buf;
    f->inverse = d;
    if (f->b->plan.gangs == 1)
        return;
    communicate(f);
    f->inverse = buf[0];
    for (int g = 0; g < f->b->plan.gangs; g++)
        full_note(f, remap_matrix(&f->remap, g, d, buf[0], buf[3], buf[1]));
    compute(f);
}

/* Computes D = S + N, its inverse, and z = D^-1 d. No I/O. */
static int phase_d(struct full *f, double *d)
{
    bench_phase_begin(f->b, PHASE_D, 0);
    linalg_noise_add(&f->b->plan.big, d);
    full_note(f, linalg_invert(f->big, d, f->b->buf[0]));
    share_inverse(f, d);
    full_note(f, linalg_row_sums(f->small, f->inverse, f->z));
    return bench_phase_end(f->b);
}

/* Names the buffers for phase W. A single gang works on the shares that it reads.
 * Several gangs assemble matrices from them, and have two, as the next one is read
 * first. With SYNC, which never writes while it computes, there is one product. */
static void name_buffers(struct full *f)
{
    const struct plan *p = &f->b->plan;
    double *rest[MADBENCH_BUFFERS_MOST] = {0};
    for (int i = 0, n = 0; i < p->buffers; i++)
        if (f->b->buf[i] != f->inverse)
            rest[n++] = f->b->buf[i];
    f->in[0] = rest[0];
    f->in[1] = rest[1];
    f->out[0] = rest[2];
    f->out[1] = p->gangs == 1 ? rest[3] : rest[6] ? rest[6] : rest[2];
    f->dsdc[0] = rest[3]; /* this and the next two: several gangs only */
    f->dsdc[1] = rest[4];
    f->pack = rest[5];
}

/* Reads the bins of a group, one for each gang; returns ours. `receive`
 * is overwritten. */
static double *gather_group(struct full *f, int64_t group, double *receive)
{
    int gangs = f->b->plan.gangs;
    double *m = NULL, *dsdc = f->dsdc[group % 2];
    for (int g = 0; g < gangs; g++) {
        m = read_bin(f, group * gangs + g);
        if (gangs == 1 || !f->b->work)
            continue;
        communicate(f);
        full_note(f, remap_matrix(&f->remap, g, m, dsdc, f->pack, receive));
        compute(f);
    }
    return gangs == 1 ? m : dsdc;
}

/* Computes W_b = D^-1 dSdC_b, and this share's part of dL_b = (d^T W z - tr W) / 2. */
static void multiply(struct full *f, int64_t group, const double *dsdc, double *w)
{
    const struct plan *p = &f->b->plan;
    const struct grid *g = &p->small;
    full_note(f,
              linalg_multiply(f->small, f->inverse, dsdc, w, panels(f), &f->b->tick));
    f->dl[group * p->gangs + p->gang] =
        0.5 * (linalg_ones_times_local(g, w, f->z) - linalg_trace_local(g, w));
}

static int phase_w(struct full *f)
{
    const struct plan *p = &f->b->plan;
    int ahead = bench_groups_ahead(f->b);
    double *dsdc[2];
    int rc = bench_phase_begin(f->b, PHASE_W, IO_READ | IO_WRITE);
    memset(f->dl, 0, (size_t)f->b->settings->nbin * sizeof *f->dl);
    for (int64_t step = 0; step < p->groups + ahead && !rc; step++) {
        int64_t group = step - ahead;
        double *w = f->out[(step + ahead) % 2]; /* the last but one written: free */
        if (step < p->groups)
            dsdc[step % 2] = gather_group(f, step, w);
        if (group < 0)
            continue;
        if (f->b->work)
            multiply(f, group, dsdc[group % 2], w);
        write_group(f, w, group);
    }
    rc = bench_phase_end(f->b);
    move_hashes(f, f->bin_hash, f->b->settings->nbin);
    move_hashes(f, f->group_hash, p->groups);
    return rc;
}

/* Computes tr(W_b W_b') / 2 for our outer group and all gangs' matrices of the inner
 * group, which rotate through the gangs: `m` is the first of them, and both buffers
 * are overwritten. */
static void trace_products(struct full *f, int64_t outer, int64_t inner,
                           const double *transposed, double *m, double *spare)
{
    const struct plan *p = &f->b->plan;
    int64_t nbin = f->b->settings->nbin, ours = outer * p->gangs + p->gang;
    for (int step = 0; step < p->gangs; step++) {
        int from = (p->gang - step + p->gangs) % p->gangs;
        int64_t theirs = inner * p->gangs + from;
        if (theirs >= ours)
            f->d2l[theirs + ours * nbin] =
                0.5 * linalg_dot_local(&p->small, transposed, m, &f->b->tick);
        if (step + 1 == p->gangs)
            break;
        communicate(f);
        full_note(f, remap_rotate(&f->remap, m, spare, &f->b->tick));
        compute(f);
        double *swap = m;
        m = spare;
        spare = swap;
    }
}

/* False if any rank has failed: a wrong block is the failure to report, not its effect
 * on the mathematics. */
static bool all_went_well(const struct full *f)
{
    int failed = f->b->run->failed != 0;
    world_reduce(f->b->run->world.comm, &failed, 1, MPI_INT, MPI_MAX);
    return !failed;
}

static void solve(struct full *f)
{
    int nbin = (int)f->b->settings->nbin;
    MPI_Comm world = f->b->run->world.comm;
    communicate(f);
    full_note(f, linalg_sum(world, f->dl, nbin));
    for (int column = 0; column < nbin; column++) /* a column fits an int count */
        full_note(f, linalg_sum(world, f->d2l + (size_t)column * (size_t)nbin, nbin));
    compute(f);
    memcpy(f->dc, f->dl, (size_t)nbin * sizeof *f->dc);
    if (all_went_well(f))
        full_note(f, linalg_solve(nbin, f->d2l, f->dc));
}

/* Pairs each matrix, as the outer one, with itself and all after it. The next one is
 * read before a pair is worked on, as in MADbench2. */
static void pair_up(struct full *f, double *transposed, double *spare)
{
    int64_t groups = f->b->plan.groups, n = 0;
    for (int64_t outer = 0; outer < groups; outer++)
        for (int64_t inner = outer; inner < groups; inner++) {
            int64_t next = inner + 1 < groups   ? inner + 1
                           : outer + 1 < groups ? outer + 1
                                                : -1;
            double *m = read_group(f, n++, inner, next);
            if (!f->b->work)
                continue;
            if (inner == outer)
                full_note(f, linalg_transpose(f->small, m, transposed));
            trace_products(f, outer, inner, transposed, m, spare);
        }
}

/* Makes phase C. W's inverse is no longer needed: its buffer is reused. */
static int phase_c(struct full *f)
{
    size_t nbin = (size_t)f->b->settings->nbin;
    double *transposed = f->out[0], *spare = f->inverse;
    int rc = bench_phase_begin(f->b, PHASE_C, IO_READ);
    memset(f->d2l, 0, nbin * nbin * sizeof *f->d2l);
    if (!rc)
        pair_up(f, transposed, spare);
    if (!rc && f->b->work && f->b->run->engine) /* else there is nothing to solve */
        solve(f);
    return bench_phase_end(f->b);
}

int full_phases(void *full)
{
    struct full *f = full;
    double *d = f->b->buf[2];
    int rc = phase_s(f, d);
    f->inverse = d;
    if (!rc && f->b->work)
        rc = phase_d(f, d);
    name_buffers(f);
    if (!rc)
        rc = phase_w(f);
    return rc ? rc : phase_c(f);
}
