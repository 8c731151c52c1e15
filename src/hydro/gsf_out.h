/* Which beams of a file can be loaded, and for each other one the reason why it cannot:
 * the same for all who count them. */
#ifndef HYDRO_GSF_OUT_H
#define HYDRO_GSF_OUT_H

#include "hydro/gsf.h"
#include <stddef.h>

/* A beam has the first of these that is true of it. */
enum gsf_out {
    GSF_IN,           /* it can be loaded */
    GSF_OUT_IGNORED,  /* the file says not to use the ping */
    GSF_OUT_POSITION, /* the ping has no position */
    GSF_OUT_GLOBE,    /* or one that is nowhere on earth */
    GSF_OUT_DEPTHS,   /* the ping has no depths, only travel times or nothing */
    GSF_OUT_FLAG,     /* no detection, as its flag says */
    GSF_OUT_DEPTH,    /* no detection, as its depth says, without a flag */
    GSF_OUT_ACROSS,   /* the ping does not say how far from the ship its beams are */
    GSF_OUT_HEADING,  /* away from the ship, in a direction that is not known */
    GSF_OUT_AREA,     /* outside of the area that is asked for: gsf_why_out never */
    GSF_OUTS
};

/* Local. What all beams of a ping are left out for; GSF_IN: some may be loaded. */
static inline enum gsf_out gsf_why_ping_out(const struct gsf_ping *p)
{
    if (p->ignored)
        return GSF_OUT_IGNORED;
    if (!p->placed)
        return p->lat == GSF_NULL_LAT || p->lon == GSF_NULL_LON ? GSF_OUT_POSITION
                                                                : GSF_OUT_GLOBE;
    return p->has & (1u << GSF_DEPTH | 1u << GSF_NOMINAL) ? GSF_IN : GSF_OUT_DEPTHS;
}

/* Local. Of a ping of several beams: all of them would be under the ship. */
static inline bool gsf_lacks_across(const struct gsf_ping *p)
{
    return p->beams > 1 && !(p->has & 1u << GSF_ACROSS);
}

/* Local. Why beam i of a ping is left out that is not left out as a whole. */
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

/* Local. Beams that are left out, of counts by reason: all of them, and those that no
 * flag of the file is the reason for. */
int64_t gsf_out_sum(const int64_t out[GSF_OUTS]);
int64_t gsf_out_unflagged(const int64_t out[GSF_OUTS]);

/* Local. Says how many are left out for which reason: "640 in pings without a position,
 * 12 ..."; "none". */
void gsf_out_tell(const int64_t out[GSF_OUTS], char *text, size_t size);

#endif
