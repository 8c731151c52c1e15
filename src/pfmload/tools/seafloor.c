#include "pfmload/tools/seafloor.h"
#include "base/rng.h"
#include <math.h>

/* A surface of octaves of smoothed lattice noise, each with half the wavelength and
 * 2^-0.6 of the height of the previous one: its power falls as the 3.2th power of the
 * wave number, as that of real sea floors does. */
enum { OCTAVES = 10 };
#define LONGEST 40.0 /* wavelength in depths */
#define RELIEF 0.2   /* highest hill in depths */
#define FALL 0.65975 /* 2^-0.6 */

uint64_t seafloor_mix(uint64_t a, uint64_t b)
{
    return rng_mix(rng_mix(a + RNG_STEP) ^ b);
}

/* The value of the lattice at a corner, in [-1, 1). */
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

/* The height of the hills, in [-1, 1]. */
static double hills(const struct seafloor *f, double fall, double east, double north)
{
    double sum = 0, height = 1 - fall, per_metre = 1 / (LONGEST * f->depth);
    for (int i = 0; i < OCTAVES; i++) {
        sum += height * noise(seafloor_mix(f->seed, (uint64_t)i), east * per_metre,
                              north * per_metre);
        height *= fall;
        per_metre *= 2;
    }
    return sum;
}

/* ---- terrains; lengths are in depths --------------------------------------------- */

#define TERRACE 0.15      /* from one terrace to the next */
#define TERRACES_LONG 1.5 /* wavelength of the noise that selects a place's terrace */
#define CLIFF 0.1         /* part of a terrace's width that its cliff takes */
#define ROCKS 0.79        /* 2^-0.34: rough down to the smallest octave */
#define ROCK_RELIEF 0.3
#define CANYONS_LONG 12.0 /* wavelength of the canyons' windings */
#define CANYON_HALF 0.04  /* half of a canyon's width, in parts of those windings */
#define CANYON_DEEP 0.45
#define CELL 0.75  /* side of a square with one object */
#define WRECKS 0.1 /* share of objects; the others are boulders */
#define WRECK_HIGH 0.08

const char *const seafloor_names[TERRAINS] = {"smooth", "rugged", "wrecks", "canyon"};

/* The height of terraces: flat, then a cliff, then flat again. */
static double terraces(const struct seafloor *f, double east, double north)
{
    double per_metre = 1 / (TERRACES_LONG * f->depth);
    double at =
        3 * noise(seafloor_mix(f->seed, 100), east * per_metre, north * per_metre);
    double base = floor(at), t = (at - base - (1 - CLIFF)) / CLIFF;
    return TERRACE * (base + (t > 0 ? smooth(t) : 0));
}

/* The depth of canyons, along the zeros of a smooth function, which wind and meet. */
static double canyons(const struct seafloor *f, double east, double north)
{
    double per_metre = 1 / (CANYONS_LONG * f->depth);
    double at = noise(seafloor_mix(f->seed, 200), east * per_metre, north * per_metre);
    double t = 1 - fabs(at) / CANYON_HALF;
    return t > 0 ? CANYON_DEEP * smooth(t < 1 ? t : 1) : 0;
}

/* The height, in depths, of a square's object at a place within the square: a boulder
 * as high as its radius, or a wreck with a flat deck and steep sides. */
static double thing(uint64_t seed, int64_t column, int64_t row, double x, double y)
{
    uint64_t bits = seafloor_mix(seafloor_mix(seed, (uint64_t)column), (uint64_t)row);
    double part[4];
    for (int i = 0; i < 4; i++)
        part[i] = (double)(bits >> 16 * i & 0xffff) / 65536;
    double dx = x - (0.4 + 0.2 * part[0]) * CELL, dy = y - (0.4 + 0.2 * part[1]) * CELL;
    if (part[2] >= WRECKS) {
        double radius = 0.01 + 0.03 * part[3], square = radius * radius;
        double left = square - dx * dx - dy * dy;
        return left > 0 ? sqrt(left) : 0;
    }
    double turn = 2 * M_PI * part[3], cosine = cos(turn), sine = sin(turn);
    double along = fabs(dx * cosine + dy * sine),
           across = fabs(dy * cosine - dx * sine);
    double in = fmin((0.35 - along) / 0.02, (0.06 - across) / 0.02);
    return in > 0 ? WRECK_HIGH * fmin(in, 1) : 0;
}

static double things(const struct seafloor *f, double east, double north)
{
    double x = east / (CELL * f->depth), y = north / (CELL * f->depth);
    double column = floor(x), row = floor(y);
    return thing(seafloor_mix(f->seed, 300), (int64_t)column, (int64_t)row,
                 (x - column) * CELL, (y - row) * CELL);
}

double seafloor_depth(const struct seafloor *f, double east, double north)
{
    if (f->terrain == TERRAIN_RUGGED)
        return f->depth * (1 + ROCK_RELIEF * hills(f, ROCKS, east, north) +
                           terraces(f, east, north));
    double depth = 1 + RELIEF * hills(f, FALL, east, north);
    if (f->terrain == TERRAIN_CANYON)
        depth += canyons(f, east, north);
    else if (f->terrain == TERRAIN_WRECKS)
        depth -= things(f, east, north);
    return f->depth * depth;
}

double seafloor_shallowest(enum terrain terrain)
{
    return terrain == TERRAIN_RUGGED   ? 1 - ROCK_RELIEF - 3 * TERRACE
           : terrain == TERRAIN_WRECKS ? 1 - RELIEF - WRECK_HIGH
                                       : 1 - RELIEF;
}

double seafloor_deepest(enum terrain terrain)
{
    return terrain == TERRAIN_RUGGED   ? 1 + ROCK_RELIEF + 3 * TERRACE
           : terrain == TERRAIN_CANYON ? 1 + RELIEF + CANYON_DEEP
                                       : 1 + RELIEF;
}
