/* What booking a transfer in its phase costs, and what of it is the series: rounds with
 * and without, taken in turns; medians over rounds of processor time per transfer.
 *
 *     make bench/series && bench/series        (on a core that nobody else uses) */
#include "base/clock.h"
#include "report/phase.h"
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 61, TRANSFERS = 2000000, STEP_NS = 150 };

/* phase_transfer without a series. */
static __attribute__((noinline)) void
without(struct phase *p, enum act a, int64_t bytes, int64_t start_ns, int64_t end_ns)
{
    struct phase_act *x = &p->act[a];
    int64_t latency_ns = end_ns - start_ns;
    x->calls++;
    x->bytes += bytes;
    if (latency_ns > x->latency_max_ns)
        x->latency_max_ns = latency_ns;
    if (x->hist)
        x->hist[hist_bucket(latency_ns)]++;
}

/* Transfers one after another, a few of which take longer. */
static double round_ns(struct phase *p, void (*book)(struct phase *, enum act, int64_t,
                                                     int64_t, int64_t))
{
    phase_begin(p, "bench", 1);
    int64_t now = p->begin_ns, cpu = clock_cpu_ns();
    for (int64_t i = 0; i < TRANSFERS; i++) {
        int64_t latency = STEP_NS + (i & 63) + (i % 1000 ? 0 : 100000);
        now += STEP_NS;
        book(p, ACT_READ, 4096, now - latency, now);
    }
    cpu = clock_cpu_ns() - cpu;
    phase_end(p);
    return (double)cpu / TRANSFERS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof *x, ascending);
    return x[ROUNDS / 2];
}

int main(void)
{
    static double with_ns[ROUNDS], without_ns[ROUNDS], more_ns[ROUNDS];
    struct phase *p;
    if (phase_open(&p))
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        without_ns[i] = round_ns(p, without);
        with_ns[i] = round_ns(p, phase_transfer);
        more_ns[i] = with_ns[i] - without_ns[i];
    }
    printf("a transfer booked: %.2f ns, without a series %.2f ns; the series %.2f ns "
           "(median of %d pairs of rounds)\n",
           median(with_ns), median(without_ns), median(more_ns), ROUNDS);
    phase_close(&p);
    return 0;
}
