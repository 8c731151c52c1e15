/* Draws of one among n: a permutation without memory, and the law of Zipf. */
#ifndef BASE_DRAW_H
#define BASE_DRAW_H

#include <stdint.h>

/* ---- shuffle --------------------------------------------------------------------- */

/* A permutation without memory: each number of 0 .. n - 1 once, in
 * pseudorandom order. */

/* Local. The new place of number i (0 <= i < n). Applies a four-round Feistel network
 * on the smallest even number of bits that holds n, repeatedly until the result is
 * below n (fewer than four times on average). */
int64_t shuffle(int64_t i, int64_t n, uint64_t key);

/* ---- zipf ------------------------------------------------------------------------ */

/* Draws numbers 1 .. n with probabilities proportional to k^-theta, by
 * rejection-inversion (Hoermann, Derflinger: "Rejection-inversion to generate variates
 * from monotone discrete distributions", ACM TOMACS 6, 1996): no table, and less than
 * two tries on average for any n and theta > 0. */

struct zipf {
    int64_t n;
    double theta;
    double low, high; /* range of the integral of x^-theta from which values
                       * are drawn */
    double sure;      /* a value this close below a number is accepted at once */
};

/* Local. n >= 1, theta > 0. */
void zipf_prepare(struct zipf *z, int64_t n, double theta);

/* Local. Number i of a key (base/rng.h), in 1 .. n. */
int64_t zipf_at(const struct zipf *z, uint64_t key, uint64_t i);

#endif
