/* I/O mode: MADbench2's I/O and memory without its mathematics (slide 7: "all
 * scientific detail removed, allows varying busy-work component"). */
#include "madbench/bench.h"
#include "madbench/busy.h"
#include <math.h>

/* Versions of a block in the file: S writes the first, W the second. */
enum version { AFTER_S = 1, AFTER_W = 2 };

/* Does busy work. Flops per matrix: (NPIX^2)^alpha, or none at 0; if alpha is negative
 * or not given, as the full mode's matrix product in W and its element-wise work
 * elsewhere (specs: madbench, section 1). */
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

/* A buffer for writing. Shares are read into the first two buffers in turn, and written
 * from the next two. */
static void *out(const struct bench *b, int64_t i)
{
    return b->buf[2 + i % 2];
}

static int phase_s(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, PHASE_S, IO_WRITE | IO_CREATE);
    for (int64_t bin = 0; bin < b->settings->nbin && !rc; bin++) {
        work(b, 2, p->ranks);
        run_stamp(b->run, out(b, bin), p->big_bytes, (int)bin, AFTER_S);
        bench_write(b, out(b, bin), bench_bin(b, bin));
        bench_step(b);
    }
    return bench_phase_end(b);
}

/* Reads the bins of a group, one for each gang. All ranks read their shares of each
 * bin; several gangs then work as long as moving it to a gang takes. */
static void read_group_bins(struct bench *b, int64_t group)
{
    const struct plan *p = &b->plan;
    for (int64_t bin = group * p->gangs; bin < (group + 1) * p->gangs; bin++) {
        struct share s = bench_read_bin(b, b->buf, bin);
        run_check(&b->file, b->buf[bin % 2], s.offset, s.bytes, (int)bin, AFTER_S);
        if (p->gangs > 1)
            work(b, 2, p->ranks);
        bench_step(b);
    }
}

static void multiply_group(struct bench *b, int64_t group)
{
    const struct plan *p = &b->plan;
    work(b, 3, p->gang_ranks);
    run_stamp(b->run, out(b, group), p->small_bytes, (int)group, AFTER_W);
    bench_write(b, out(b, group), bench_group(b, group));
    bench_step(b);
}

static int phase_w(struct bench *b)
{
    int ahead = bench_groups_ahead(b);
    int64_t groups = b->plan.groups;
    int rc = bench_phase_begin(b, PHASE_W, IO_READ | IO_WRITE);
    for (int64_t step = 0; step < groups + ahead && !rc; step++) {
        if (step < groups)
            read_group_bins(b, step);
        if (step >= ahead)
            multiply_group(b, step - ahead);
    }
    return bench_phase_end(b);
}

static int phase_c(struct bench *b)
{
    const struct plan *p = &b->plan;
    int rc = bench_phase_begin(b, PHASE_C, IO_READ);
    for (int64_t group = 0; group < p->groups && !rc; group++) {
        struct share s = bench_group(b, group);
        bench_read(b, b->buf[group % 2], s);
        if (group + 1 < p->groups)
            bench_fetch(b, b->buf[(group + 1) % 2], bench_group(b, group + 1));
        run_check(&b->file, b->buf[group % 2], s.offset, s.bytes, (int)group, AFTER_W);
        work(b, 2, p->ranks);
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
