/* A fractal sea floor: any point of it from a seed, without a map in memory. */
#ifndef PFMLOAD_TOOLS_SEAFLOOR_H
#define PFMLOAD_TOOLS_SEAFLOOR_H

#include <stdint.h>

struct seafloor {
    uint64_t seed;
    double depth; /* mean, m; hills and their sizes are in proportion */
};

/* Local. Depth at a place, metres east and north of an origin; between 0.8 and 1.2
 * times the mean. */
double seafloor_depth(const struct seafloor *f, double east, double north);

/* Local. 64 well-mixed bits of two words: random numbers that need no state. */
uint64_t seafloor_mix(uint64_t a, uint64_t b);

#endif
