/* Histograms, and the few statistics of a benchmark: median, interval, ratio. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- histogram ------------------------------------------------------------------- */

/* Histograms of whole numbers with 16 buckets per octave: each is 4.4 % wide, whatever
 * the size. For nanoseconds, 704 buckets reach from 1 ns to 5 hours. */

#define HIST_SUB 16
#define HIST_SIZE (44 * HIST_SUB)

/* Local. The bucket of a value: bucket b holds [2^(b/16), 2^((b+1)/16)); smaller values
 * are in the first, larger ones in the last. */
int hist_bucket(int64_t value);

/* Local. The bucket's upper bound, which is the next one's lower bound. */
double hist_bound(int bucket);

/* Local. The bucket in which the share `q` (0..1) of all `count` values is reached; -1
 * if there are too few values. */
int hist_reach(const int64_t hist[HIST_SIZE], int64_t count, double q);

/* Local. The value that the share `q` of all `count` values does not exceed. Values in
 * a bucket count as evenly spread within it, on the scale of its bounds. At most 4.4 %
 * from the true one; infinite if there are fewer values than `count`. */
double hist_quantile(const int64_t hist[HIST_SIZE], int64_t count, double q);

/* ---- median, interval, ratio ----------------------------------------------------- */

#define STATS_CI_MIN 6 /* no interval for fewer repetitions */

/* Local. Median of x[0..n-1] (mean of the two middle ones if n is even); x is
 * not changed. n >= 1. */
double stats_median(const double *x, int n);

#define STATS_CONFIDENCE 0.95

/* Local. The quantile of Student's t for 0.5 <= p < 1 with `df` > 0 degrees of freedom,
 * to 1e-11; they need not be whole. */
double stats_t(double p, double df);

/* Local. The 95 % interval of the geometric mean: Student t on logarithms (specs:
 * report schema). Returns false, and leaves lo and hi unchanged, for n < STATS_CI_MIN
 * or if a value is not positive. */
bool stats_ci95(const double *x, int n, double *lo, double *hi);

#endif
