/* Where the beams of a ping are: the same for all who look at input files. */
#ifndef PFMLOAD_INPUT_BEAMS_H
#define PFMLOAD_INPUT_BEAMS_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"

/* Begins with `how` and zeros; beams_free ends it. */
struct beams {
    enum geo_how how;
    int room;
    struct geo_point *at;   /* of every beam */
    struct geo_point *end;  /* of those that beams_place_ends places */
    double *across, *along; /* of the same */
    int *which;             /* beams they are */
};

/* Local. Fills b->at for a ping that is placed. Where its heading is not known, all
 * beams are where the ship is (GSF_OUT_HEADING). Returns 0 or -ENOMEM with a
 * sentence. */
int beams_place(struct beams *b, const struct gsf_ping *ping);
void beams_free(struct beams *b);

/* Local. Likewise, for those who want only the box of all beams that are loaded, and
 * have `known` of it already. Few beams can make that box larger, and only these are
 * placed. The others get the place of one of them, or of the ship where no beam can be
 * an end of `known`: that leaves the box as it is. */
int beams_place_ends(struct beams *b, const struct gsf_ping *ping,
                     const struct geo_box *known);

#endif
