/* A synthetic survey: parallel lines over a fractal sea floor, up and down, one file
 * each, with the difficulties of real ones: a ship that yaws, noise, spikes, edited and
 * missing beams, pings to be ignored. A ping depends only on the survey, its line and
 * its number. */
#ifndef PFMLOAD_TOOLS_SURVEY_H
#define PFMLOAD_TOOLS_SURVEY_H

#include "hydro/gsf_write.h"
#include <stdint.h>

/* ---- the sea floor --------------------------------------------------------------- */

/* A synthetic sea floor: any of its points from a seed, without a map in memory. */

enum terrain {
    TERRAIN_SMOOTH, /* fractal hills without steep slopes */
    TERRAIN_RUGGED, /* terraces with cliffs between them */
    TERRAIN_WRECKS, /* smooth, with boulders and wrecks on it */
    TERRAIN_CANYON, /* smooth, with winding canyons in it */
    TERRAINS
};

extern const char *const seafloor_names[TERRAINS];

/* ---- the survey ------------------------------------------------------------------ */

#define SURVEY_BEAMS_MAX 2048

struct survey {
    int64_t files, pings, beams; /* pings of each file, beams of each ping */
    int64_t seed;
    double depth; /* mean, m */
    enum terrain terrain;
    double spikes;                /* share of all beams */
    double spike_low, spike_high; /* their error, as parts of the depth */
    double lat, lon;              /* of the first line's southern end, degrees */
};

/* One ping of a line, with the arrays that its `ping` points to. */
struct survey_ping {
    struct gsf_ping ping;
    double depth[SURVEY_BEAMS_MAX], across[SURVEY_BEAMS_MAX], along[SURVEY_BEAMS_MAX];
    uint8_t flag[SURVEY_BEAMS_MAX];
    bool spike[SURVEY_BEAMS_MAX]; /* a false depth that is not flagged */
};

/* Local. Makes ping `ping` of line `line`, both from 0, into *p. */
void survey_make(const struct survey *s, int line, int64_t ping, struct survey_ping *p);

/* Local. The form in which these pings fit into a file. */
struct gsf_write_form survey_form(const struct survey *s);

#endif
