/* The statistics that Graph500 requires: of times, of numbers of edges and of rates. No
 * MPI, no files. */
#include "outcore/graph/graph500.h"
#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *x, int n, int harmonic)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += harmonic ? 1 / x[i] : x[i];
    return harmonic ? n / sum : sum / n;
}

static double deviation_of(const double *x, int n, int harmonic, double mean)
{
    double sum = 0;
    if (n < 2)
        return 0;
    for (int i = 0; i < n; i++) {
        double off = harmonic ? 1 / x[i] - 1 / mean : x[i] - mean;
        sum += off * off;
    }
    return harmonic ? sqrt(sum) / (n - 1) * mean * mean : sqrt(sum / (n - 1));
}

struct teps teps_of(double *x, int n, int harmonic)
{
    struct teps t;
    qsort(x, (size_t)n, sizeof *x, by_size);
    t.min = x[0];
    t.max = x[n - 1];
    t.first_quartile = (x[(n - 1) / 4] + x[n / 4]) / 2;
    t.median = (x[(n - 1) / 2] + x[n / 2]) / 2;
    t.third_quartile = (x[n - 1 - (n - 1) / 4] + x[n - 1 - n / 4]) / 2;
    t.mean = mean_of(x, n, harmonic);
    t.stddev = deviation_of(x, n, harmonic, t.mean);
    return t;
}
