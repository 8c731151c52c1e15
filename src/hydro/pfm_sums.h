/* The summary of a bin's soundings from running sums: of integers, and so exact and
 * independent of order and partition. */
#ifndef HYDRO_PFM_SUMS_H
#define HYDRO_PFM_SUMS_H

#include "hydro/pfm.h"

/* All zero: no soundings. Depths as stored. */
struct pfm_sums {
    int64_t n;         /* soundings */
    uint32_t validity; /* or of all of them */
    struct pfm_sums_part {
        int64_t n, sum;
        unsigned __int128 squares;
        uint32_t min, max;
    } good, bad; /* with a depth that counts: not marked invalid, and marked so */
};

/* Local. Adds n soundings; fewer than 2^31 in all. */
void pfm_sums_add(const struct pfm_head *h, struct pfm_sums *sums,
                  const struct pfm_sounding *s, int64_t n);

/* Local. Fills *bin except first and last: count, valid ones, standard deviation (of a
 * sample: n - 1), averages, ranges, validity; the null depth if there are no values
 * for them. */
void pfm_sums_bin(const struct pfm_head *h, const struct pfm_sums *sums,
                  struct pfm_bin *bin);

#endif
