/* The ratio of two arms that ran in the same rounds. doc/statistics.md says why these
 * estimators were chosen; python/leadline/base/stats.py computes the same. */
#ifndef BASE_PAIRED_H
#define BASE_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The logarithms of one figure. */
struct paired {
    int arms, rounds; /* rounds that count */
    const double *ln; /* [round][arm]; NAN: not known */
    int comparisons;  /* number of ratios whose intervals hold together */
    uint64_t seed;    /* of the permutations */
};

/* `effective`: the number of independent rounds that tell as much; `rounds`: those with
 * both arms; `permuted`: the permutations, and not t, made it as wide as it is. */
struct paired_ratio {
    double ratio, low, high, effective;
    int rounds;
    bool permuted;
};

/* Local. The ratio of `arm` to arm 0, with a 95 % interval. Returns false if there are
 * fewer than six rounds with both, or no memory. */
bool paired_ratio(const struct paired *p, int arm, struct paired_ratio *out);

/* Local. The verdict in the words of `leadline compare`. Returns `text`; 80 bytes hold
 * any. */
const char *paired_verdict(const struct paired_ratio *x, bool higher_is_better,
                           char *text, size_t size);

/* Local. The mean effect of having `before` as the arm that ran just before, against
 * all others, as a factor. order: [round][position] -> arm. Returns false if it cannot
 * be told from noise (95 %, for all arms together). */
bool paired_carry_over(const struct paired *p, const int *order, int before,
                       double *factor);

#endif
