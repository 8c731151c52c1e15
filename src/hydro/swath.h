/* The swath filter: finds false depths by comparing a sounding with its neighbours in
 * its ping and in the pings before and after it, while a file is read.
 *
 * The neighbours of a sounding are the SWATH_BESIDE beams to each side of it, and three
 * beams of the ping before and of the ping after. A sounding is cut if it is shallower,
 * or deeper, than all of them but one, by more than a limit: whatever two neighbours
 * confirm stays, as boulders, wrecks and both edges of a cliff do, and the floor may
 * have any slope and curvature.
 *
 * The limit consists of a floor and of `sigma` times the scatter, added as independent
 * errors are (root of the sum of squares). The scatter is 1.4826 times the median, over
 * SWATH_BEAMS beams of SWATH_PINGS pings, of the distance of a sounding from the median
 * of itself and the eight around it: for normal errors, about their standard deviation.
 * A cliff or some spikes in the window hardly enlarge it.
 *
 * This is done twice. Soundings cut the first time confirm nothing the second time,
 * which decides: so spikes do not hide each other, unless three are alike. SWATH_SHOAL
 * beams or more side by side that stand out from the pings before and after are cut
 * together, and confirm nothing: a shoal of fish, or a ping that is wrong as a whole.
 *
 * Beams that are null, flagged or cut by a gate are not neighbours, nor are ignored
 * pings, those with another number of beams, and those beyond a gap. Nothing is
 * dropped: the caller gets every ping back, in order, with a mask. No MPI; any number
 * of filters in one process. */
#ifndef HYDRO_SWATH_H
#define HYDRO_SWATH_H

#include "hydro/gsf.h"
#include <math.h>

#define SWATH_BEAMS 9
#define SWATH_PINGS 5
#define SWATH_NEIGHBOURS 10 /* least soundings in a window; with fewer nothing is cut */
#define SWATH_BESIDE 2      /* neighbouring beams to each side */
#define SWATH_SHOAL 8       /* adjacent beams that may be a shoal of fish */
/* distance between pings from which on they are not neighbours */
#define SWATH_GAP_M 1000.0
#define SWATH_GAP_S 60

struct swath_options {
    double sigma;                /* 0: no comparison with neighbours, gates only */
    double floor_part, floor_m;  /* soundings nearer than this are never cut: part of
                                  * the depth, m */
    double depth_min, depth_max; /* gate, m; infinite: none */
    double angle_deg;            /* beams at larger angles are cut; 90: none */
};
/* clang-format off */
#define SWATH_DEFAULTS {.sigma = 2, .floor_part = 0.015, .floor_m = 0.1, \
    .depth_min = -HUGE_VAL, .depth_max = HUGE_VAL, .angle_deg = 90}
/* clang-format on */

/* Counts of cut soundings, each once: gates come first. */
struct swath_counts {
    int64_t tested; /* neither null nor flagged, in pings that are not ignored */
    int64_t outside_depths, outer, spikes;
};

struct swath;

/* Local. Makes a filter in *w, which swath_close frees. Returns 0, or -errno with a
 * sentence: invalid options, no memory. */
int swath_open(struct swath **w, const struct swath_options *o);

/* Local. Copies a ping in, with its arrays. Up to SWATH_PINGS pings may be pushed
 * between calls of swath_next that return 0. Returns 0, or -errno with a sentence: no
 * memory, or -ENOBUFS if more were pushed. */
int swath_push(struct swath *w, const struct gsf_ping *ping);

/* Local. Ends the file: swath_next returns the remaining pings. The next push
 * begins another file, which is filtered separately; it is refused until all pings
 * are returned. */
void swath_flush(struct swath *w);

/* Local. Returns the earliest ping that was not returned yet and whose window is
 * complete: *ping as it was pushed, with copies of its arrays, and in *cut a byte for
 * each beam, 1 if the filter cuts it (never a beam that was null or flagged). They are
 * valid until the next call. Returns 1, or 0 if more pings are needed. */
int swath_next(struct swath *w, struct gsf_ping *ping, const uint8_t **cut);

const struct swath_counts *swath_counts(const struct swath *w); /* Local. */
void swath_close(struct swath **w); /* Local. Sets *w to NULL; it may be NULL before. */

#endif
