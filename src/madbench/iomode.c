#include "madbench/iomode.h"
#include "madbench/busy.h"
#include <math.h>

/* Which version of a block is in the file: S writes the first, W the second. */
enum version { AFTER_S = 1, AFTER_W = 2 };

/* Flops per matrix: (NPIX^2)^alpha and none at 0, or, where alpha is negative or not
 * given, as the full mode's matrix product in W and its element-wise work elsewhere
 * (specs: madbench, section 1). */
static void work(struct bench *b, double faithful_exponent, int ranks)
{
    double n = (double)b->settings->npix;
    double flops = b->alpha >= 0 ? pow(n * n, b->alpha) : pow(n, faithful_exponent);
    if (!b->work || b->alpha == 0)
        return;
    int64_t begin_ns = clock_ns();
    b->flops += busy_work(flops / ranks, &b->tick);
    b->busy_ns += clock_ns() - begin_ns;
}

/* Two buffers that are read into in turn, and two that are written from. */
static void *in(const struct bench *b, int64_t i)
{
    return b->buf[i % 2];
}

static void *out(const struct bench *b, int64_t i)
{
    return b->buf[2 + i % 2];
}

static int phase_s(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, PHASE_S, IO_WRITE | IO_CREATE);
    for (int64_t bin = 0; bin < b->settings->nbin && !rc; bin++) {
        bench_settle(b, out(b, bin));
        work(b, 2, p->ranks);
        run_stamp(b->run, out(b, bin), p->big_bytes, (int)bin, AFTER_S);
        bench_write(b, out(b, bin), bench_bin(b, bin));
        bench_step(b);
    }
    return bench_phase_end(b);
}

/* A group: the bins that the gangs take next, one each. All ranks read their shares of
 * all of them, as they would to hand them to the gangs; the next is fetched, also that
 * of the next group. */
static void read_group_bins(struct bench *b, int64_t group)
{
    int64_t gangs = b->plan.gangs, nbin = b->settings->nbin;
    for (int64_t bin = group * gangs; bin < (group + 1) * gangs; bin++) {
        struct share s = bench_bin(b, bin);
        bench_read(b, in(b, bin), s);
        if (bin + 1 < nbin)
            bench_fetch(b, in(b, bin + 1), bench_bin(b, bin + 1));
        run_check(&b->file, in(b, bin), s.offset, s.bytes, (int)bin, AFTER_S);
        bench_step(b);
    }
}

static int phase_w(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, PHASE_W, IO_READ | IO_WRITE);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        read_group_bins(b, group);
        bench_settle(b, out(b, group));
        work(b, 3, p->gang_ranks);
        run_stamp(b->run, out(b, group), p->small_bytes, (int)group, AFTER_W);
        bench_write(b, out(b, group), bench_group(b, group));
        bench_step(b);
    }
    return bench_phase_end(b);
}

static int phase_c(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, PHASE_C, IO_READ);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        struct share s = bench_group(b, group);
        bench_read(b, in(b, group), s);
        if (group + 1 < p->groups)
            bench_fetch(b, in(b, group + 1), bench_group(b, group + 1));
        run_check(&b->file, in(b, group), s.offset, s.bytes, (int)group, AFTER_W);
        work(b, 2, p->gang_ranks);
        bench_step(b);
    }
    return bench_phase_end(b);
}

void iomode_prepare(struct bench *b)
{
    for (int i = 0; i < b->plan.buffers; i++)
        run_noise(b->run, b->buf[i], b->plan.buffer_bytes);
}

int iomode_phases(void *bench)
{
    int rc = phase_s(bench);
    if (!rc)
        rc = phase_w(bench);
    return rc ? rc : phase_c(bench);
}
