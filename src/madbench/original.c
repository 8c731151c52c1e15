#include "madbench/original.h"
#include <stdio.h>
#include <string.h>

enum { CC, BW, R, W, TOTAL, LINES };

bool original_asked(const struct settings *s)
{
    return !strcmp(s->format, "madbench2");
}

static bool speaks(const struct bench *b)
{
    const struct run *r = b->run;
    return r->world.rank == 0 && !r->options->quiet;
}

void original_head(const struct bench *b)
{
    const struct settings *s = b->settings;
    if (!speaks(b))
        return;
    printf("\nMADbench 2.0%s\n", b->plan.full ? "" : " IO-mode");
    printf("no_pe = %d  no_pix = %lld  no_bin = %lld  no_gang = %lld  sblocksize = "
           "%lld  fblocksize = %lld  r_mod = %lld  w_mod = %lld\n",
           b->plan.ranks, (long long)s->npix, (long long)s->nbin, (long long)s->ngang,
           (long long)s->sblock, (long long)s->fblock, (long long)s->rmod,
           (long long)s->wmod);
    printf("IOMETHOD = %s  IOMODE = %s  FILETYPE = %s  REMAP = %s", s->run.iomethod,
           s->run.iomode, s->run.filetype, s->remap);
    if (s->bwexp >= 0)
        printf("  BWEXP = %.2f", s->bwexp);
    printf("\n\n");
    fflush(stdout);
}

static void seconds(const struct bench *b, double s[LINES])
{
    const struct phase *p = b->run->phase;
    s[BW] = (double)b->busy_ns / 1e9;
    s[R] = (double)p->act[ACT_READ].ns / 1e9;
    s[W] = (double)(p->act[ACT_WRITE].ns + p->act[ACT_SYNC].ns) / 1e9;
    s[TOTAL] = (double)(p->end_ns - p->begin_ns) / 1e9;
    s[CC] = s[TOTAL] - s[BW] - s[R] - s[W];
}

void original_phase(const struct bench *b)
{
    static const char *const name[LINES] = {"_cc   ", "_bw   ", "_r    ", "_w    ",
                                            "_total"};
    const char *phase = bench_phase_name[b->phase];
    MPI_Comm comm = b->run->world.comm;
    double mine[LINES], sum[LINES], min[LINES], max[LINES];
    seconds(b, mine);
    MPI_Reduce(mine, sum, LINES, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(mine, min, LINES, MPI_DOUBLE, MPI_MIN, 0, comm);
    MPI_Reduce(mine, max, LINES, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (!speaks(b))
        return;
    for (int i = 0; i < LINES; i++) {
        if (i == TOTAL)
            printf("          -------\n");
        if (sum[i] > 0)
            printf("%s%s%10.2f   [%10.2f:%10.2f]\n", phase, name[i],
                   sum[i] / b->plan.ranks, min[i], max[i]);
    }
    printf("\n");
    fflush(stdout);
}

void original_result(double dc)
{
    printf("\ndC[0] = %.5e\n", dc);
}
