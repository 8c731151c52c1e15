/* The few statistics of a benchmark: median, interval, ratio. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>

#define STATS_CI_MIN 6 /* no interval for fewer repetitions */

/* Local. Median of x[0..n-1] (mean of the two middle ones if n is even); x is
 * not changed. n >= 1. */
double stats_median(const double *x, int n);

/* Local. The 97.5 % quantile of Student's t with `df` >= 1 degrees of freedom, to
 * four digits. */
double stats_t975(int df);

/* Local. The 95 % interval of the geometric mean: Student t on logarithms (specs:
 * report schema). Returns false, and leaves lo and hi unchanged, for n < STATS_CI_MIN
 * or if a value is not positive. */
bool stats_ci95(const double *x, int n, double *lo, double *hi);

#endif
