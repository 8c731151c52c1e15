/* A synthetic sea floor: any of its points from a seed, without a map in memory. */
#ifndef PFMLOAD_TOOLS_SEAFLOOR_H
#define PFMLOAD_TOOLS_SEAFLOOR_H

#include <stdint.h>

enum terrain {
    TERRAIN_SMOOTH, /* fractal hills without steep slopes */
    TERRAIN_RUGGED, /* terraces with cliffs between them */
    TERRAIN_WRECKS, /* smooth, with boulders and wrecks on it */
    TERRAIN_CANYON, /* smooth, with winding canyons in it */
    TERRAINS
};

extern const char *const seafloor_names[TERRAINS];

struct seafloor {
    uint64_t seed;
    double depth; /* mean, m; the size of hills is proportional to it */
    enum terrain terrain;
};

/* Local. The depth at a place, metres east and north of an origin. */
double seafloor_depth(const struct seafloor *f, double east, double north);

/* Local. Bounds of the depth, as multiples of the mean. */
double seafloor_shallowest(enum terrain terrain);
double seafloor_deepest(enum terrain terrain);

/* Local. 64 well-mixed bits of two words: random numbers that need no state. */
uint64_t seafloor_mix(uint64_t a, uint64_t b);

#endif
