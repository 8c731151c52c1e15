/* The statistics that Graph500 requires: of times, of numbers of edges and of rates. No
 * MPI, no files. */
#ifndef OUTCORE_GRAPH_TEPS_H
#define OUTCORE_GRAPH_TEPS_H

struct teps {
    double min, first_quartile, median, third_quartile, max;
    double mean, stddev; /* of a sample: 0 for one value */
};

/* Local. Sorts x[0..n-1], n >= 1, and computes its statistics. A quartile is the mean
 * of the two values beside it, as in the Graph500 reference code. `harmonic`: mean and
 * deviation are those of a rate: n / sum(1 / x), and its standard error, the deviation
 * of 1 / x times the square of the mean divided by the root of n - 1 (Graph500
 * specification, section 9; N. Norris, "The standard errors of the geometric and
 * harmonic means", 1940). */
struct teps teps_of(double *x, int n, int harmonic);

#endif
