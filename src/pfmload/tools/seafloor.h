/* A synthetic sea floor: any point of it from a seed, without a map in memory. */
#ifndef PFMLOAD_TOOLS_SEAFLOOR_H
#define PFMLOAD_TOOLS_SEAFLOOR_H

#include <stdint.h>

enum terrain {
    TERRAIN_SMOOTH, /* fractal hills, which are steep nowhere */
    TERRAIN_RUGGED, /* terraces with cliffs between them */
    TERRAIN_WRECKS, /* smooth, with boulders and wrecks on it */
    TERRAIN_CANYON, /* smooth, with winding canyons in it */
    TERRAINS
};

extern const char *const seafloor_names[TERRAINS];

struct seafloor {
    uint64_t seed;
    double depth; /* mean, m; hills and their sizes are in proportion */
    enum terrain terrain;
};

/* Local. Depth at a place, metres east and north of an origin. */
double seafloor_depth(const struct seafloor *f, double east, double north);

/* Local. No place is shallower or deeper, in parts of the mean. */
double seafloor_shallowest(enum terrain terrain);
double seafloor_deepest(enum terrain terrain);

/* Local. 64 well-mixed bits of two words: random numbers that need no state. */
uint64_t seafloor_mix(uint64_t a, uint64_t b);

#endif
