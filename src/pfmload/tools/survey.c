#include "pfmload/tools/survey.h"
#include "base/rng.h"
#include "hydro/geodesy.h"
#include <math.h>

/* ---- the sea floor --------------------------------------------------------------- */

struct seafloor {
    uint64_t seed;
    double depth; /* mean, m; the size of hills is proportional to it */
    enum terrain terrain;
};

/* A surface of octaves of smoothed lattice noise, each with half the wavelength and
 * 2^-0.6 of the height of the previous one: its power falls as the 3.2th power of the
 * wave number, as that of real sea floors does. */
enum { OCTAVES = 10 };
#define LONGEST 40.0 /* wavelength in depths */
#define RELIEF 0.2   /* highest hill in depths */
#define FALL 0.65975 /* 2^-0.6 */

/* Local. 64 well-mixed bits of two words: random numbers that need no state. */
static uint64_t seafloor_mix(uint64_t a, uint64_t b)
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

/* Local. The depth at a place, metres east and north of an origin. */
static double seafloor_depth(const struct seafloor *f, double east, double north)
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

/* Local. Bounds of the depth, as multiples of the mean. */
static double seafloor_shallowest(enum terrain terrain)
{
    return terrain == TERRAIN_RUGGED   ? 1 - ROCK_RELIEF - 3 * TERRACE
           : terrain == TERRAIN_WRECKS ? 1 - RELIEF - WRECK_HIGH
                                       : 1 - RELIEF;
}

static double seafloor_deepest(enum terrain terrain)
{
    return terrain == TERRAIN_RUGGED   ? 1 + ROCK_RELIEF + 3 * TERRACE
           : terrain == TERRAIN_CANYON ? 1 + RELIEF + CANYON_DEEP
                                       : 1 + RELIEF;
}

/* ---- the survey ------------------------------------------------------------------ */

/* Proportional to the depth, so that a survey looks alike in all depths. */
#define SWATH_DEG 62.0   /* angle to each side */
#define OVERLAP 0.2      /* of neighbouring swaths */
#define PINGS_APART 0.04 /* distance of pings in depths */
#define WOBBLE 0.05      /* depths, across the line */
#define YAW_DEG 1.5
#define PITCH_DEG 0.5
#define NOISE 0.0025       /* part of the depth, below the ship */
#define START_S 1000000000 /* time of the first ping, since 1970 */
#define PING_NS 250000000

/* Probabilities. */
#define NULLS 0.004
#define EDITED 0.006
#define BURSTS 0.002  /* of pings */
#define IGNORED 0.001 /* of pings */

/* Random numbers for one ping. */
struct dice {
    uint64_t seed, thrown;
};

static uint64_t throw_bits(struct dice *d)
{
    return seafloor_mix(d->seed, d->thrown++);
}

/* A number in [0, 1). */
static double throw(struct dice * d)
{
    return (double)(throw_bits(d) >> 11) * 0x1p-53;
}

static double throw_between(struct dice *d, double low, double high)
{
    return low + throw(d) * (high - low);
}

/* A nearly normal number, with mean 0 and variance 1: the sum of four uniform numbers,
 * which is the same on every machine. */
static double throw_normal(struct dice *d)
{
    uint64_t bits = throw_bits(d);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(bits >> 16 * i & 0xffff) / 65536 - 0.5;
    return sum * sqrt(3);
}

static double radians(double degrees)
{
    return degrees * (M_PI / 180);
}

/* The ship's position, in metres from the survey's origin, and its attitude. */
struct ship {
    double east, north, heading, pitch;
};

static struct ship sail(const struct survey *s, int line, int64_t ping, struct dice *d)
{
    double apart = PINGS_APART * s->depth,
           width = 2 * s->depth * tan(radians(SWATH_DEG));
    int64_t step = line % 2 ? s->pings - 1 - ping : ping;
    double phase = 6 * (double)line, way = (double)ping * PINGS_APART;
    double yaw = YAW_DEG * sin(way / 2 + phase) + 0.1 * throw_normal(d);
    return (struct ship){.east = (1 - OVERLAP) * width * line +
                                 WOBBLE * s->depth * sin(way / 5 + phase),
                         .north = apart * (double)step,
                         .heading = fmod((line % 2 ? 180 : 360) + yaw, 360),
                         .pitch = PITCH_DEG * sin(way + phase)};
}

/* A beam over the sea floor. */
struct ray {
    struct seafloor floor;
    const struct ship *ship;
    double sine, cosine;
    double slope, ahead; /* metres to the side and forwards, per metre of depth */
};

static double floor_at(const struct ray *r, double z)
{
    double across = z * r->slope, along = z * r->ahead;
    return seafloor_depth(&r->floor,
                          r->ship->east + across * r->cosine + along * r->sine,
                          r->ship->north - across * r->sine + along * r->cosine);
}

/* The depth that the beam hits on gentle slopes, by two steps: the beam at the depth
 * assumed first hits the floor at another depth. *z: depth of the last place. */
static double hit_gently(const struct ray *r, double *z)
{
    *z = floor_at(r, r->floor.depth);
    return floor_at(r, *z);
}

/* The first place that the beam hits: goes down in steps until it is below the floor,
 * then bisects. */
static double hit_first(const struct ray *r, double *z)
{
    double step = 0.01 * r->floor.depth;
    double above = seafloor_shallowest(r->floor.terrain) * r->floor.depth;
    double most = seafloor_deepest(r->floor.terrain) * r->floor.depth + step;
    double below = above;
    while (below < most && floor_at(r, below) > below) {
        above = below;
        below += step;
    }
    for (int i = 0; i < 8; i++) {
        double middle = (above + below) / 2;
        if (floor_at(r, middle) > middle)
            above = middle;
        else
            below = middle;
    }
    return *z = (above + below) / 2;
}

static void hit(const struct survey *s, const struct ship *ship, double angle,
                double *depth, double *across, double *along)
{
    struct ray r = {.floor = {seafloor_mix((uint64_t)s->seed, 0), s->depth, s->terrain},
                    .ship = ship,
                    .sine = sin(radians(ship->heading)),
                    .cosine = cos(radians(ship->heading)),
                    .slope = tan(radians(angle)),
                    .ahead = tan(radians(ship->pitch))};
    double z = 0;
    *depth = (s->terrain == TERRAIN_SMOOTH ? hit_gently : hit_first)(&r, &z);
    *across = z * r.slope;
    *along = z * r.ahead;
}

/* Gives a detection a wrong range: all its distances are wrong by the same factor. */
static void stretch(struct survey_ping *p, int i, double factor)
{
    p->depth[i] *= factor;
    p->across[i] *= factor;
    p->along[i] *= factor;
}

static void make_null(struct survey_ping *p, int i)
{
    p->depth[i] = GSF_NULL_DEPTH;
    p->across[i] = p->along[i] = 0;
    p->flag[i] = GSF_BEAM_NULL;
}

static void make_beam(const struct survey *s, const struct ship *ship, struct dice *d,
                      struct survey_ping *p, int i)
{
    double middle = (double)(s->beams - 1) / 2;
    double angle = middle > 0 ? SWATH_DEG * (i - middle) / middle : 0;
    double side = sin(radians(angle)), lot = throw(d);
    hit(s, ship, angle, &p->depth[i], &p->across[i], &p->along[i]);
    p->depth[i] *= 1 + NOISE * (1 + 2 * side * side) * throw_normal(d);
    p->flag[i] = 0;
    p->spike[i] = false;
    if (lot < NULLS) {
        make_null(p, i);
    } else if (lot < NULLS + s->spikes) {
        double off = throw_between(d, s->spike_low, s->spike_high);
        stretch(p, i, throw_bits(d) & 1 ? 1 + off : 1 - off);
        p->spike[i] = true;
    } else if (lot < NULLS + s->spikes + EDITED) {
        p->flag[i] = GSF_BEAM_MANUAL;
    }
}

/* Makes a shoal of fish: some 10 to 30 adjacent beams are too shallow. */
static void make_burst(struct dice *d, struct survey_ping *p)
{
    int n = (int)throw_between(d, 10, 31), beams = p->ping.beams;
    int first = (int)throw_between(d, 0, beams > n ? beams - n : 1);
    double factor = throw_between(d, 0.65, 0.94);
    for (int i = first; i < first + n && i < beams; i++) {
        if (p->flag[i] || p->spike[i])
            continue;
        stretch(p, i, factor);
        p->spike[i] = true;
    }
}

static void survey_place(const struct survey *s, const struct ship *ship,
                         struct gsf_ping *g)
{
    g->lat = s->lat + ship->north / geo_degree(s->lat).lat;
    g->lon = geo_wrap(s->lon + ship->east / geo_degree(g->lat).lon);
    g->heading = ship->heading;
}

static void survey_number(const struct survey *s, int line, int64_t ping,
                          struct gsf_ping *g)
{
    int64_t after = (line * s->pings + ping) * (PING_NS / 1000000); /* ms */
    g->number = ping + 1;
    g->time_s = START_S + after / 1000;
    g->time_ns = (int32_t)(after % 1000 * 1000000);
}

void survey_make(const struct survey *s, int line, int64_t ping, struct survey_ping *p)
{
    struct dice d = {seafloor_mix(seafloor_mix((uint64_t)s->seed, (uint64_t)line + 1),
                                  (uint64_t)ping),
                     0};
    struct ship ship = sail(s, line, ping, &d);
    bool burst = throw(&d) < BURSTS;
    p->ping = (struct gsf_ping){.flags = throw(&d) < IGNORED ? GSF_PING_IGNORE : 0,
                                .beams = (int)s->beams,
                                .depth = p->depth,
                                .across = p->across,
                                .along = p->along,
                                .flag = p->flag};
    survey_number(s, line, ping, &p->ping);
    survey_place(s, &ship, &p->ping);
    for (int i = 0; i < s->beams; i++)
        make_beam(s, &ship, &d, p, i);
    if (burst)
        make_burst(&d, p);
}

/* The form of an array: two bytes with the finest power of 10 that fits; else
 * four bytes. */
static struct gsf_write_array array_for(double largest, double limit)
{
    for (uint32_t multiplier = 1000; multiplier; multiplier /= 10)
        if (largest * multiplier <= limit)
            return (struct gsf_write_array){2, multiplier, 0};
    return (struct gsf_write_array){4, 100, 0};
}

struct gsf_write_form survey_form(const struct survey *s)
{
    /* The depth below a hill's foot, with a spike and noise. */
    double spike = s->spike_high > 0.35 ? s->spike_high : 0.35;
    double deepest = s->depth * seafloor_deepest(s->terrain) * (1 + spike) * 1.1;
    return (struct gsf_write_form){
        .major = 3,
        .minor = 9,
        .depth = array_for(deepest, UINT16_MAX),
        .across = array_for(deepest * tan(radians(SWATH_DEG)), INT16_MAX),
        .along = array_for(deepest * tan(radians(2 * PITCH_DEG)), INT16_MAX)};
}
