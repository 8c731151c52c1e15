/* A new PFM: its header, and where in its grid soundings are. */
#ifndef HYDRO_PFM_MAKE_H
#define HYDRO_PFM_MAKE_H

#include "hydro/geodesy.h"
#include "hydro/pfm.h"
#include "hydro/pfm_head.h"

/* What is to be stored. */
struct pfm_form {
    double version;                  /* 6.40 or 7.00 */
    int64_t record_length;           /* soundings of a block */
    double bin_m;                    /* sides of a bin, in metres at the centre */
    double west, south, east, north; /* degrees; east > 180 where it crosses that */
    double depth_min, depth_max;     /* m, downwards */
    int64_t files, pings, beams;     /* most of them, in all, of a file, of a ping */
};

/* Local. The head of a new PFM: a grid from the south-west corner on that covers the
 * bounds, and fields as wide as the PFM library makes them, or wider where the numbers
 * need it. Returns 0, or -errno with a sentence where there can be no such PFM. */
int pfm_head_make(struct pfm_head *h, const struct pfm_form *form);

/* Local. The text of a header that pfm_head_make made, ended and filled up with zeros;
 * `date_s` in seconds since 1970. `e` may be NULL: none yet. Returns 0, or -errno with
 * a sentence. */
int pfm_head_text(const struct pfm_head *h, const struct pfm_extremes *e,
                  int64_t date_s, char text[PFM_HEADER_BYTES]);

/* Local. Takes in a bin, and other bins. */
void pfm_extremes_add(struct pfm_extremes *e, const struct pfm_bin *bin);
void pfm_extremes_join(struct pfm_extremes *into, const struct pfm_extremes *other);

/* Local. Where the coverage map begins, a byte for each bin: in the .cvg behind its
 * header (version 7), or in the .bin behind the last bin (version 6). */
int64_t pfm_coverage_at(const struct pfm_head *h);

/* Local. A bin's byte in it. */
uint8_t pfm_coverage(const struct pfm_bin *bin);

/* Local. Whether that byte may stand for the bin. Bins of soundings none of which is
 * valid may have the mark or not: programs differ. */
bool pfm_coverage_fits(uint8_t byte, const struct pfm_bin *bin);

#endif
