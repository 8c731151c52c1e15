/* Which beams of a ping are loaded, and where they are: the same for all who look at
 * input files. */
#ifndef PFMLOAD_INPUT_BEAMS_H
#define PFMLOAD_INPUT_BEAMS_H

#include "hydro/geodesy.h"
#include "hydro/gsf.h"

/* Begins with `how` and zeros; beams_free ends it. */
struct beams {
    enum geo_how how;
    int room;
    struct geo_point *at; /* of every beam */
};

/* Local. Fills b->at for a ping that is placed. Where its heading is not known, all
 * beams are where the ship is (beam_is_lost). Returns 0 or -ENOMEM with a sentence. */
int beams_place(struct beams *b, const struct gsf_ping *ping);
void beams_free(struct beams *b);

/* Local. No detection. */
static inline bool beam_is_null(const struct gsf_ping *p, int i)
{
    return p->flag[i] == GSF_BEAM_NULL || p->depth[i] == GSF_NULL_DEPTH;
}

/* Local. Away from the ship, in no known direction. */
static inline bool beam_is_lost(const struct gsf_ping *p, int i)
{
    return !p->headed && (p->across[i] != 0 || p->along[i] != 0);
}

#endif
