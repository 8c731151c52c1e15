#include "madbench/iomode.h"
#include "madbench/busy.h"
#include <math.h>

/* Which version of a block is in the file: S writes the first, W the second. */
enum version { AFTER_S = 1, AFTER_W = 2 };

/* Flops per matrix: (NPIX^2)^alpha, or as the full mode's matrix product in W and its
 * element-wise work elsewhere (specs: madbench, section 1). */
static void work(struct bench *b, double faithful_exponent, int ranks)
{
    double alpha = b->settings->bwexp, n = (double)b->settings->npix;
    double flops = isnan(alpha) ? pow(n, faithful_exponent) : pow(n * n, alpha);
    busy_work(flops / ranks, NULL);
}

static int phase_s(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, "S", IO_WRITE | IO_CREATE);
    for (int64_t bin = 0; bin < b->settings->nbin && !rc; bin++) {
        work(b, 2, p->ranks);
        run_stamp(b->run, b->buf[0], p->big_bytes, (int)bin, AFTER_S);
        bench_write_bin(b, b->buf[0], bin);
        bench_step(b);
    }
    return bench_phase_end(b);
}

/* A group: the bins that the gangs take next, one each. All ranks read their shares of
 * all of them, as they would to hand them to the gangs. */
static void read_group_bins(struct bench *b, int64_t group)
{
    for (int64_t bin = group * b->plan.gangs; bin < (group + 1) * b->plan.gangs;
         bin++) {
        bench_read_bin(b, b->buf[0], bin);
        run_check(&b->file, b->buf[0], bench_offset_bin(b, bin), b->plan.big_bytes,
                  (int)bin, AFTER_S);
        bench_step(b);
    }
}

static int phase_w(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, "W", IO_READ | IO_WRITE);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        read_group_bins(b, group);
        work(b, 3, p->gang_ranks);
        run_stamp(b->run, b->buf[1], p->small_bytes, (int)group, AFTER_W);
        bench_write_group(b, b->buf[1], group);
        bench_step(b);
    }
    return bench_phase_end(b);
}

static int phase_c(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, "C", IO_READ);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        bench_read_group(b, b->buf[0], group, false);
        run_check(&b->file, b->buf[0], bench_offset_group(b, group), p->small_bytes,
                  (int)group, AFTER_W);
        work(b, 2, p->gang_ranks);
        bench_step(b);
    }
    return bench_phase_end(b);
}

int iomode_rep(struct bench *b)
{
    run_rep_begin(b->run);
    if (!b->run->verify) {
        run_noise(b->run, b->buf[0], b->plan.buffer_bytes);
        run_noise(b->run, b->buf[1], b->plan.buffer_bytes);
    }
    int rc = phase_s(b);
    if (!rc)
        rc = phase_w(b);
    if (!rc)
        rc = phase_c(b);
    int removed = run_file_remove(&b->file);
    rc = rc ? rc : removed;
    if (!rc)
        run_rep_end(b->run);
    return rc;
}
