/* The header of a PFM: lines "[KEY] = value" in any order. Inside of pfm*.c. */
#ifndef HYDRO_PFM_HEAD_H
#define HYDRO_PFM_HEAD_H

#include "hydro/pfm.h"

enum {
    PFM_HEADER_BYTES = 131072,
    PFM_FIELD_MAX = 56,   /* bits: what eight bytes hold, wherever a field begins */
    PFM_BLOCK_MAX = 65536 /* bytes; also of a bin's record */
};

/* Local. Reads `text`, which ends with a 0, and works out what follows of it. Returns
 * 0, or -errno with a sentence about `path`: a key that is needed is missing, or its
 * value cannot be. */
int pfm_head_parse(struct pfm_head *h, const char *text, const char *path);

/* Local. The extremes that a header says; 0 where it does not. A place that is not two
 * numbers is bin 0. */
void pfm_extremes_parse(struct pfm_extremes *e, const struct pfm_head *h,
                        const char *text);

/* Local. Works out what follows of the fields that the header says. Returns 0, or
 * -errno with a sentence about `path` (NULL: no file): records are too large. */
int pfm_head_derive(struct pfm_head *h, const char *path);

#endif
