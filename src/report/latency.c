/* Percentiles from a histogram of latencies. */
#include "base/mem.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Least transfers beyond a percentile; with fewer it is a matter of chance. */
enum { BEYOND_MIN = 10 };

/* True if there are enough calls for the percentile. A median may come from a few; a
 * tail may not. */
static bool supports(int64_t calls, double q)
{
    return calls > 0 &&
           (q <= 0.5 || calls - (int64_t)ceil(q * (double)calls) >= BEYOND_MIN);
}

double report_quantile(const int64_t *hist, int64_t calls, double q, double max_s)
{
    return supports(calls, q) ? fmin(hist_quantile(hist, calls, q) / 1e9, max_s) : NAN;
}

struct latency *latency_make(struct report *r, const int64_t *hist, int64_t calls,
                             double max_s)
{
    int used = 0;
    for (int b = 0; b < HIST_SIZE; b++)
        used += hist[b] > 0;
    struct latency *l =
        mem_new(1, sizeof *l + (size_t)used * sizeof l->hist[0], "the report");
    if (!l) {
        r->rc = -ENOMEM;
        return NULL;
    }
    l->p50_s = report_quantile(hist, calls, 0.5, max_s);
    l->p90_s = report_quantile(hist, calls, 0.9, max_s);
    l->p95_s = report_quantile(hist, calls, 0.95, max_s);
    l->p99_s = report_quantile(hist, calls, 0.99, max_s);
    l->p999_s = report_quantile(hist, calls, 0.999, max_s);
    l->max_s = max_s;
    for (int b = 0; b < HIST_SIZE; b++)
        if (hist[b] > 0) {
            l->hist[l->n].bound_s = hist_bound(b) * 1e-9;
            l->hist[l->n++].count = hist[b];
        }
    return l;
}
