/* The swath filter: finds false depths among the neighbours of a sounding in its ping
 * and in the pings before and after it, while a file is read.
 *
 * The window is SWATH_BEAMS beams wide and SWATH_PINGS pings long. The median over the
 * pings is taken in each beam; through these medians goes a line whose slope is the
 * median of the slopes between beams four apart, and whose level is the median again.
 * A sounding is cut where it is farther from the line than `sigma` times 1.4826 times
 * the median distance of all the soundings in the window, and farther than a floor.
 * Distances are from the line, or from the plane that has its slope and the median
 * slope along the track, whichever are shorter.
 * Of normal noise that is beyond the floor, 3 sigma cut 3 in 1000, and 5 hardly any.
 * A sounding stays where two more are about as far off, beside it in its ping or around
 * it in the pings before and after: boulders, wrecks and the edges of cliffs are not
 * cut. SWATH_SHOAL beams or more side by side do not confirm each other.
 * Medians bear that nearly half of the window is wrong; a whole ping that is wrong, as
 * over a shoal of fish, stands out against those beside it.
 *
 * Beams that are null, flagged or cut by a gate are no neighbours, nor are ignored
 * pings, those with another number of beams, and those beyond a gap. Nothing is
 * dropped: the caller gets every ping back, in order, with a mask. No MPI; any number
 * of filters in one process. */
#ifndef HYDRO_SWATH_H
#define HYDRO_SWATH_H

#include "hydro/gsf.h"
#include <math.h>

#define SWATH_BEAMS 9
#define SWATH_PINGS 5
#define SWATH_NEIGHBOURS 10 /* soundings in a window without which nothing is cut */
#define SWATH_ALIKE 1.4F    /* times as far off, at most, is about as far */
#define SWATH_SHOAL 8       /* beams side by side that may be a shoal of fish */
#define SWATH_GAP_M 1000.0  /* from ping to ping: the survey went on elsewhere */
#define SWATH_GAP_S 60

struct swath_options {
    double sigma;                /* 0: no comparison with neighbours, gates only */
    double floor_part, floor_m;  /* never cut nearer than this part of the depth, m */
    double depth_min, depth_max; /* gate, m; infinite: none */
    double angle_deg;            /* beams farther out are cut; 90: none */
};
/* clang-format off */
#define SWATH_DEFAULTS {.sigma = 3, .floor_part = 0.01, .floor_m = 0.1, \
    .depth_min = -HUGE_VAL, .depth_max = HUGE_VAL, .angle_deg = 90}
/* clang-format on */

/* What was cut, each sounding once: gates go first. */
struct swath_counts {
    int64_t tested; /* neither null nor flagged, in pings that are not ignored */
    int64_t outside_depths, outer, spikes;
};

struct swath;

/* Local. Makes a filter in *w, which swath_close frees. Returns 0, or -errno with a
 * sentence: options that make no sense, no memory. */
int swath_open(struct swath **w, const struct swath_options *o);

/* Local. Copies a ping in, with its arrays. Up to SWATH_PINGS pings may be pushed
 * between calls of swath_next that return 0. Returns 0, or -errno with a sentence:
 * no memory, or -ENOBUFS where more were pushed than that. */
int swath_push(struct swath *w, const struct gsf_ping *ping);

/* Local. The file ends: swath_next gives the pings that are left. The next push begins
 * another file, with which they have nothing to do; it is refused before all are
 * given. */
void swath_flush(struct swath *w);

/* Local. Gives back the earliest ping that is not yet given and whose window is
 * complete: *ping as it was pushed, with copies of its arrays, and in *cut a byte for
 * each beam, 1 where the filter cuts it (never a beam that was null or flagged). They
 * are valid until the next call. Returns 1, or 0 where more pings are needed. */
int swath_next(struct swath *w, struct gsf_ping *ping, const uint8_t **cut);

const struct swath_counts *swath_counts(const struct swath *w); /* Local. */
void swath_close(struct swath **w); /* Local. *w becomes NULL; NULL is fine. */

#endif
