/* What a bin says of its soundings, from running sums: of integers, and so exact, the
 * same in whichever order and in however many parts soundings come. */
#ifndef HYDRO_PFM_SUMS_H
#define HYDRO_PFM_SUMS_H

#include "hydro/pfm.h"

/* All zero: of no soundings. Depths as stored. */
struct pfm_sums {
    int64_t n;         /* soundings */
    uint32_t validity; /* of all of them, or-ed */
    struct pfm_sums_part {
        int64_t n, sum;
        unsigned __int128 squares;
        uint32_t min, max;
    } good, bad; /* with a depth that counts: not marked invalid, and marked so */
};

/* Local. Takes in n soundings; fewer than 2^31 in all. */
void pfm_sums_add(const struct pfm_head *h, struct pfm_sums *sums,
                  const struct pfm_sounding *s, int64_t n);

/* Local. Fills *bin but for first and last: count, valid ones, standard deviation (of a
 * sample: n - 1), averages, ranges, validity; the null depth where there is nothing to
 * take them from. */
void pfm_sums_bin(const struct pfm_head *h, const struct pfm_sums *sums,
                  struct pfm_bin *bin);

#endif
