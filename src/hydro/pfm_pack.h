/* The records of a PFM as bits, both ways: blocks of soundings (.ndx) and summaries of
 * bins (.bin). Fields follow each other without gaps, the highest bit first. Only the
 * bytes that hold a record's own bits are read or written. */
#ifndef HYDRO_PFM_PACK_H
#define HYDRO_PFM_PACK_H

#include "hydro/pfm.h"

/* ---- the header ------------------------------------------------------------------ */

/* The header of a PFM: lines "[KEY] = value" in any order. Private to pfm*.c. */

enum {
    PFM_HEADER_BYTES = 131072,
    PFM_FIELD_MAX = 56,   /* bits that eight bytes hold, wherever a field begins */
    PFM_BLOCK_MAX = 65536 /* bytes of a block, and of a bin's record */
};

/* Local. Reads `text`, which ends with a 0, and derives the other members. Returns
 * 0, or -errno with a sentence about `path`: a required key is missing, or its value
 * is invalid. */
int pfm_head_parse(struct pfm_head *h, const char *text, const char *path);

/* Local. Reads the extremes in a header; missing ones are 0. A place that is not two
 * numbers is bin 0. */
void pfm_extremes_parse(struct pfm_extremes *e, const struct pfm_head *h,
                        const char *text);

/* Local. Derives the members that depend on the header's fields. Returns 0, or -errno
 * with a sentence about `path` (NULL: no file): records are too large. */
int pfm_head_derive(struct pfm_head *h, const char *path);

/* ---- records --------------------------------------------------------------------- */

/* Local. Writes n soundings from sounding i of a block on, or of a longer row of packed
 * soundings; the bits from there on must be 0. Their fields must fit (pfm_unfit); their
 * bins are not stored. */
void pfm_put_soundings(const struct pfm_head *h, uint8_t *block, int64_t i,
                       const struct pfm_sounding *s, int64_t n);

/* Local. Reads n soundings from sounding i of a block, or a row, on; they belong to
 * this bin. */
void pfm_get_soundings(const struct pfm_head *h, const uint8_t *block, int64_t i,
                       struct pfm_sounding *s, int64_t n, int64_t bin);

/* Local. Write and read the byte in the .ndx at which the chain continues; 0: it ends.
 * The pointer must be 0 before it is written. */
void pfm_put_next(const struct pfm_head *h, uint8_t *block, int64_t next);
int64_t pfm_get_next(const struct pfm_head *h, const uint8_t *block);

/* Local. Write, read and clear the record of a bin, all of its h->bin_bytes; its index
 * is not stored. Values too large for their field must have been refused before
 * (pfm_bin_unfit); only a standard deviation is clamped. A bin without soundings is all
 * zero, as the PFM library leaves it. */
void pfm_put_bin(const struct pfm_head *h, uint8_t *record, const struct pfm_bin *bin);
void pfm_get_bin(const struct pfm_head *h, const uint8_t *record, struct pfm_bin *bin);
void pfm_empty_bin(const struct pfm_head *h, struct pfm_bin *bin);

/* Local. Copies n packed soundings, from the j-th on, to the place of the i-th, from
 * which on all bits must be 0. Blocks, or longer rows without pointers. */
void pfm_copy_soundings(const struct pfm_head *h, uint8_t *to, int64_t i,
                        const uint8_t *from, int64_t j, int64_t n);

/* Local. The name of a field that is too narrow for the value, for a sentence ("beam");
 * NULL if all fit. */
const char *pfm_unfit(const struct pfm_head *h, const struct pfm_sounding *s);
const char *pfm_bin_unfit(const struct pfm_head *h, const struct pfm_bin *bin);

#endif
