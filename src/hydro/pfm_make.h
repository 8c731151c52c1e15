/* Makes a new PFM: its header, and places in its grid. */
#ifndef HYDRO_PFM_MAKE_H
#define HYDRO_PFM_MAKE_H

#include "hydro/geodesy.h"
#include "hydro/pfm.h"
#include "hydro/pfm_pack.h"

/* Properties of the data to be stored. */
struct pfm_form {
    double version;                  /* 6.40 or 7.00 */
    int64_t record_length;           /* soundings of a block */
    double bin_m;                    /* side of a bin in metres, at the centre */
    double west, south, east, north; /* degrees; east > 180 if it crosses
                                      * that meridian */
    double depth_min, depth_max;     /* m, downwards */
    int64_t files, pings, beams;     /* largest numbers: of files, of a file's pings, of
                                      * a ping's beams */
};

/* Local. Makes the head of a new PFM: a grid that covers the bounds from the south-west
 * corner on, and fields as wide as the PFM library makes them, or wider if the numbers
 * need it. Returns 0, or -errno with a sentence if such a PFM is impossible. */
int pfm_head_make(struct pfm_head *h, const struct pfm_form *form);

/* Local. Formats a header made by pfm_head_make, with its end, padded with zeros;
 * `date_s` in seconds since 1970. `e` may be NULL: no extremes yet. Returns 0, or
 * -errno with a sentence. */
int pfm_head_text(const struct pfm_head *h, const struct pfm_extremes *e,
                  int64_t date_s, char text[PFM_HEADER_BYTES]);

/* Local. Add a bin to the extremes, and other extremes. */
void pfm_extremes_add(struct pfm_extremes *e, const struct pfm_bin *bin);
void pfm_extremes_join(struct pfm_extremes *into, const struct pfm_extremes *other);

/* Local. The offset of the coverage map, a byte for each bin: in the .cvg behind its
 * header (version 7), or in the .bin behind the last bin (version 6). */
int64_t pfm_coverage_at(const struct pfm_head *h);

/* Local. A bin's byte in it. */
uint8_t pfm_coverage(const struct pfm_bin *bin);

/* Local. True if that byte is possible for the bin. For bins with only invalid
 * soundings the mark is optional: programs differ. */
bool pfm_coverage_fits(uint8_t byte, const struct pfm_bin *bin);

#endif
