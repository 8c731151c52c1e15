#include "pfmload/tools/seafloor.h"
#include "base/rng.h"
#include <math.h>

/* Octaves of smoothed lattice noise, each half as long and 2^-0.6 as high as the one
 * before: a surface whose power falls as the 3.2th power of the wave number, as that of
 * real sea floors does. */
enum { OCTAVES = 10 };
#define LONGEST 40.0 /* wavelength in depths */
#define RELIEF 0.2   /* highest hill in depths */
#define FALL 0.65975 /* 2^-0.6 */

uint64_t seafloor_mix(uint64_t a, uint64_t b)
{
    return rng_mix(rng_mix(a + RNG_STEP) ^ b);
}

/* The lattice's value in [-1, 1) at a corner. */
static inline double corner(uint64_t seed, int64_t x, int64_t y)
{
    uint64_t bits = rng_mix(
        seed ^ ((uint64_t)x * RNG_STEP + (uint64_t)y * UINT64_C(0xc2b2ae3d27d4eb4f)));
    return (double)(int64_t)bits * 0x1p-63;
}

static inline double smooth(double t)
{
    return t * t * t * (t * (6 * t - 15) + 10);
}

static double noise(uint64_t seed, double x, double y)
{
    double fx = floor(x), fy = floor(y);
    double u = smooth(x - fx), v = smooth(y - fy);
    int64_t ix = (int64_t)fx, iy = (int64_t)fy;
    double a = corner(seed, ix, iy), b = corner(seed, ix + 1, iy);
    double c = corner(seed, ix, iy + 1), d = corner(seed, ix + 1, iy + 1);
    double south = a + u * (b - a), north = c + u * (d - c);
    return south + v * (north - south);
}

double seafloor_depth(const struct seafloor *f, double east, double north)
{
    double sum = 0, height = 1 - FALL, per_metre = 1 / (LONGEST * f->depth);
    for (int i = 0; i < OCTAVES; i++) {
        sum += height * noise(seafloor_mix(f->seed, (uint64_t)i), east * per_metre,
                              north * per_metre);
        height *= FALL;
        per_metre *= 2;
    }
    return f->depth * (1 + RELIEF * sum);
}
