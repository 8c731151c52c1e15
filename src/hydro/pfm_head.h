/* The header of a PFM: lines "[KEY] = value" in any order. Private to pfm*.c. */
#ifndef HYDRO_PFM_HEAD_H
#define HYDRO_PFM_HEAD_H

#include "hydro/pfm.h"

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

#endif
