/* Places the beams of a ping: the same for all readers of input files. */
#ifndef PFMLOAD_INPUT_BEAMS_H
#define PFMLOAD_INPUT_BEAMS_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"

/* Initialize with `how` and zeros; beams_free ends it. */
struct beams {
    enum geo_how how;
    int room;
    struct geo_point *at;   /* position of every beam */
    struct geo_point *end;  /* positions of beams that beams_place_ends places */
    double *across, *along; /* offsets of these beams */
    int *which;             /* numbers of these beams */
};

/* Local. Fills b->at for a ping that has a position. If its heading is not known, all
 * beams are at the ship (GSF_OUT_HEADING). Returns 0, or -ENOMEM with a sentence. */
int beams_place(struct beams *b, const struct gsf_ping *ping);
void beams_free(struct beams *b);

/* Local. The same for callers that only need the box of all beams that are loaded, and
 * already have `known` of it. Few beams can enlarge that box, and only these are
 * placed. The others get the place of one of them, or of the ship if no beam can be an
 * end of `known`: that does not change the box. */
int beams_place_ends(struct beams *b, const struct gsf_ping *ping,
                     const struct geo_box *known);

#endif
