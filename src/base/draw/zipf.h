/* Numbers 1 .. n of which k comes with a probability in proportion to k^-theta, by
 * rejection-inversion (Hoermann, Derflinger: "Rejection-inversion to generate variates
 * from monotone discrete distributions", ACM TOMACS 6, 1996): no table, and less than
 * two tries on average for any n and theta > 0. */
#ifndef BASE_DRAW_ZIPF_H
#define BASE_DRAW_ZIPF_H

#include <stdint.h>

struct zipf {
    int64_t n;
    double theta;
    double low, high; /* of the integral of x^-theta, between which is drawn */
    double sure;      /* so close to a number from below it is taken at once */
};

/* Local. n >= 1, theta > 0. */
void zipf_prepare(struct zipf *z, int64_t n, double theta);

/* Local. Number i of a key (base/rng.h), in 1 .. n. */
int64_t zipf_at(const struct zipf *z, uint64_t key, uint64_t i);

#endif
