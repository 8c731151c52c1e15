/* Decides which beams of a file can be loaded, and the reason for each other one: the
 * same for all that count them. */
#ifndef HYDRO_GSF_OUT_H
#define HYDRO_GSF_OUT_H

#include "hydro/gsf.h"
#include <stddef.h>

/* Reasons. A beam has the first one that is true. */
enum gsf_out {
    GSF_IN,           /* it can be loaded */
    GSF_OUT_IGNORED,  /* the file says not to use the ping */
    GSF_OUT_POSITION, /* the ping has no position */
    GSF_OUT_GLOBE,    /* the position is nowhere on earth */
    GSF_OUT_DEPTHS,   /* the ping has only travel times or nothing, no depths */
    GSF_OUT_FLAG,     /* no detection, by its flag */
    GSF_OUT_DEPTH,    /* no detection, by its depth, without a flag */
    GSF_OUT_ACROSS,   /* the ping lacks the beams' distance from the ship */
    GSF_OUT_HEADING,  /* off the ship's track, in an unknown direction */
    GSF_OUT_AREA,     /* outside of the requested area: never from gsf_why_out */
    GSF_OUTS
};

/* Local. The reason that excludes all beams of a ping; GSF_IN: some may be loaded. */
static inline enum gsf_out gsf_why_ping_out(const struct gsf_ping *p)
{
    if (p->ignored)
        return GSF_OUT_IGNORED;
    if (!p->placed)
        return p->lat == GSF_NULL_LAT || p->lon == GSF_NULL_LON ? GSF_OUT_POSITION
                                                                : GSF_OUT_GLOBE;
    return p->has & (1u << GSF_DEPTH | 1u << GSF_NOMINAL) ? GSF_IN : GSF_OUT_DEPTHS;
}

/* Local. True if a ping of several beams would have all of them under the ship. */
static inline bool gsf_lacks_across(const struct gsf_ping *p)
{
    return p->beams > 1 && !(p->has & 1u << GSF_ACROSS);
}

/* Local. The reason that excludes beam i of a ping which is not excluded as a whole. */
static inline enum gsf_out gsf_why_beam_out(const struct gsf_ping *p, int i)
{
    if (p->flag[i] == GSF_BEAM_NULL)
        return GSF_OUT_FLAG;
    if (p->depth[i] == GSF_NULL_DEPTH)
        return p->flag[i] & GSF_BEAM_IGNORE ? GSF_OUT_FLAG : GSF_OUT_DEPTH;
    if (gsf_lacks_across(p))
        return GSF_OUT_ACROSS;
    return !p->headed && (p->across[i] != 0 || p->along[i] != 0) ? GSF_OUT_HEADING
                                                                 : GSF_IN;
}

/* Local. The name of a reason in reports: "no_position". */
const char *gsf_out_name(enum gsf_out why);

/* Local. Sum up counts by reason: all excluded beams, and those that no flag of the
 * file excludes. */
int64_t gsf_out_sum(const int64_t out[GSF_OUTS]);
int64_t gsf_out_unflagged(const int64_t out[GSF_OUTS]);

/* Local. Formats the counts by reason: "640 in pings without a position, 12
 * ..."; "none". */
void gsf_out_tell(const int64_t out[GSF_OUTS], char *text, size_t size);

#endif
