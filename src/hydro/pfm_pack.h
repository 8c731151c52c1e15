/* The records of a PFM as bits, both ways: blocks of soundings (.ndx) and summaries of
 * bins (.bin). Fields follow each other without gaps, the highest bit first. Nothing is
 * read or written outside of the bytes that a record's own bits are in. */
#ifndef HYDRO_PFM_PACK_H
#define HYDRO_PFM_PACK_H

#include "hydro/pfm.h"

/* Local. n soundings from sounding i of a block on, or of a longer row of packed
 * soundings, from where all is 0 yet. Their fields must fit (pfm_unfit); their bins are
 * not stored. */
void pfm_put_soundings(const struct pfm_head *h, uint8_t *block, int64_t i,
                       const struct pfm_sounding *s, int64_t n);

/* Local. The other way round: sounding i of a block, or a row, and those behind it, n
 * in all, which are of this bin. */
void pfm_get_soundings(const struct pfm_head *h, const uint8_t *block, int64_t i,
                       struct pfm_sounding *s, int64_t n, int64_t bin);

/* Local. The byte in the .ndx at which the chain goes on; 0: it ends. Put into a block
 * whose pointer is 0 yet. */
void pfm_put_next(const struct pfm_head *h, uint8_t *block, int64_t next);
int64_t pfm_get_next(const struct pfm_head *h, const uint8_t *block);

/* Local. The record of a bin, all of its h->bin_bytes; its index is not stored. What is
 * too large for its field must have been refused before (pfm_bin_unfit); only a
 * standard deviation is clamped. A bin without soundings is all zero, as the PFM
 * library leaves it. */
void pfm_put_bin(const struct pfm_head *h, uint8_t *record, const struct pfm_bin *bin);
void pfm_get_bin(const struct pfm_head *h, const uint8_t *record, struct pfm_bin *bin);
void pfm_empty_bin(const struct pfm_head *h, struct pfm_bin *bin);

/* Local. Copies n packed soundings, from the j-th on, to where the i-th begins and all
 * is 0 from there on. Blocks, or longer rows that have no pointers. */
void pfm_copy_soundings(const struct pfm_head *h, uint8_t *to, int64_t i,
                        const uint8_t *from, int64_t j, int64_t n);

/* Local. The field that is too narrow for what is to be put there, for a sentence
 * ("beam"); NULL where all fit. */
const char *pfm_unfit(const struct pfm_head *h, const struct pfm_sounding *s);
const char *pfm_bin_unfit(const struct pfm_head *h, const struct pfm_bin *bin);

#endif
