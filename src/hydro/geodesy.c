/* Solves the direct problem by the series of Karney, "Algorithms for geodesics" (J.
 * Geodesy 87, 2013; equations 17, 18 and 21), to the fourth order, and Vincenty's
 * (1975) for the longitude. Neither needs an iteration. Reduced latitudes are kept as
 * sine and cosine, so that a second geodesic starts where the first ended without
 * trigonometric functions. */
#include "hydro/geodesy.h"
#include "base/wide.h"
#include <math.h>

#define WGS84_A 6378137.0
#define WGS84_F (1 / 298.257223563)
#define WGS84_B (WGS84_A * (1 - WGS84_F))
#define WGS84_E2 (WGS84_F * (2 - WGS84_F))
#define DEGREE (M_PI / 180)

/* All of a geodesic is inlined into the loop over beams, or that could not
 * be vectorised. */
#define INLINE inline __attribute__((always_inline))

/* A point on the auxiliary sphere; lon in radians from the start of a line. */
struct spot {
    double sin, cos; /* of the reduced latitude */
    double lon;
};

struct turn {
    double sin, cos; /* of an angle */
};

static struct turn turn_of(double degrees)
{
    return (struct turn){sin(degrees * DEGREE), cos(degrees * DEGREE)};
}

/* Adds two angles, given by sine and cosine. */
static inline struct turn geodesy_add(struct turn a, struct turn b)
{
    return (struct turn){a.sin * b.cos + a.cos * b.sin, a.cos * b.cos - a.sin * b.sin};
}

/* A geodesic: values that depend on its start and azimuth only. */
struct line {
    struct spot from;
    struct turn azimuth;
    double sin_a0;         /* sine of the azimuth at the equator */
    struct turn sigma;     /* from that crossing to the start, on the sphere */
    struct turn tau;       /* sigma in units of length */
    double unit;           /* radians of tau per metre */
    double c1, c2, c3, c4; /* coefficients from tau to sigma */
    double c;              /* Vincenty's C */
};

/* The sum c_j sin(2 j x), by sine and cosine of x. */
static inline double sines(struct turn x, double c1, double c2, double c3, double c4)
{
    struct turn x2 = geodesy_add(x, x), x4 = geodesy_add(x2, x2),
                x6 = geodesy_add(x4, x2);
    return c1 * x2.sin + c2 * x4.sin + c3 * x6.sin + c4 * 2 * x4.sin * x4.cos;
}

/* The limit of short angles; more terms of the series would change them by 3e-16. */
#define SHORT_ARC 0.02

/* Sine and cosine of a short angle. */
static inline struct turn small(double x)
{
    double x2 = x * x;
    return (struct turn){x * (1 - x2 * (1 / 6. - x2 * (1 / 120.))),
                         1 - x2 * (1 / 2. - x2 * (1 / 24. - x2 * (1 / 720.)))};
}

/* The short angle with this tangent. */
static inline double short_arc(double x)
{
    double x2 = x * x;
    return x * (1 - x2 * (1 / 3. - x2 * (1 / 5. - x2 * (1 / 7. - x2 * (1 / 9.)))));
}

static INLINE void line_series(struct line *l, double cos_a0)
{
    double k2 = WGS84_E2 / (1 - WGS84_E2) * cos_a0 * cos_a0;
    double root = sqrt(1 + k2) + 1, e = k2 / (root * root), e2 = e * e;
    double cos2 = cos_a0 * cos_a0;
    double there = sines(l->sigma, e * (-1 / 2. + e2 * 3 / 16),
                         e2 * (-1 / 16. + e2 / 32), -e * e2 / 48, -e2 * e2 * 5 / 512);
    l->unit = (1 - e) / (WGS84_B * (1 + e2 / 4 + e2 * e2 / 64));
    l->tau = geodesy_add(l->sigma, small(there));
    l->c1 = e * (1 / 2. - e2 * 9 / 32);
    l->c2 = e2 * (5 / 16. - e2 * 37 / 96);
    l->c3 = e * e2 * 29 / 96;
    l->c4 = e2 * e2 * 539 / 1536;
    l->c = WGS84_F / 16 * cos2 * (4 + WGS84_F * (4 - 3 * cos2));
}

static INLINE void line_start(struct line *l, struct spot from, struct turn azimuth)
{
    double up = from.cos * azimuth.cos;
    double cos_a0 = sqrt(from.sin * from.sin + up * up);
    l->from = from;
    l->azimuth = azimuth;
    l->sin_a0 = from.cos * azimuth.sin;
    /* A line along the equator never crosses it: sigma is then multiplied by 0, and
     * 1e-300, which changes no other number, keeps it finite without a branch. */
    double divisor = cos_a0 + 1e-300;
    l->sigma = (struct turn){from.sin / divisor, up / divisor};
    line_series(l, cos_a0);
}

/* The longitude gained over `arc` radians, whose sine and cosine are `t`. */
static INLINE double line_lon(const struct line *l, double arc, struct turn t,
                              bool is_short)
{
    const struct spot *from = &l->from;
    double y = t.sin * l->azimuth.sin;
    double x = from->cos * t.cos - from->sin * t.sin * l->azimuth.cos;
    double lambda = is_short ? short_arc(y / x) : atan2(y, x);
    double mid = geodesy_add(geodesy_add(l->sigma, l->sigma), t).cos;
    double more = mid + l->c * t.cos * (2 * mid * mid - 1);
    return lambda - (1 - l->c) * WGS84_F * l->sin_a0 * (arc + l->c * t.sin * more);
}

/* The point of the line at `metres`. `is_short`: the arc and the longitude gained are
 * short angles. */
static INLINE struct spot line_at(const struct line *l, double metres, bool is_short)
{
    double tau = metres * l->unit;
    struct turn t = is_short ? small(tau) : (struct turn){sin(tau), cos(tau)};
    double more = sines(geodesy_add(l->tau, t), l->c1, l->c2, l->c3, l->c4) -
                  sines(l->tau, l->c1, l->c2, l->c3, l->c4);
    t = geodesy_add(t, small(more));
    double down = l->from.sin * t.sin - l->from.cos * t.cos * l->azimuth.cos;
    return (struct spot){l->from.sin * t.cos + l->from.cos * t.sin * l->azimuth.cos,
                         sqrt(l->sin_a0 * l->sin_a0 + down * down),
                         l->from.lon + line_lon(l, tau + more, t, is_short)};
}

static struct spot spot_of(struct geo_point p)
{
    struct turn lat = turn_of(p.lat);
    double up = (1 - WGS84_F) * lat.sin, size = hypot(up, lat.cos);
    return (struct spot){up / size, lat.cos / size, 0};
}

static inline struct geo_point point_of(struct spot s, double lon)
{
    return (struct geo_point){atan2(s.sin, (1 - WGS84_F) * s.cos) / DEGREE,
                              geo_wrap(lon + s.lon / DEGREE)};
}

double geo_wrap(double lon)
{
    if (lon >= -180 && lon < 180)
        return lon;
    lon = fmod(lon + 180, 360);
    return lon < 0 ? lon + 180 : lon - 180;
}

static void wrap_beams(struct geo_point *beam, int n)
{
    for (int i = 0; i < n; i++)
        if (!(beam[i].lon >= -180 && beam[i].lon < 180)) /* rarely */
            beam[i].lon = geo_wrap(beam[i].lon);
}

/* ---- the Coast and Geodetic Survey's formula ------------------------------------ */

/* Converts a latitude to the arc of the meridian on a sphere, and back. */
static double arc_sum(double angle, double c1, double c2, double c3)
{
    double s = sin(angle), c = cos(angle), cc = c * c;
    return angle + (c1 + cc * (c2 + cc * c3)) * s * c * 1e-6;
}

/* The formula of L. G. Simmons, "Natural tables for the calculation of geodetic
 * positions" (U.S. Coast and Geodetic Survey, Special Publication 241, 1949), in the
 * form that NOAA programmed, with its constants for WGS84, its units and its order of
 * terms: the last digits matter. Metres and radians. */
static struct geo_point survey(struct geo_point from, double north, double west)
{
    const double e2 = 6.69438002292318e-3, second = 4.84813681110e-6;
    const double radius = 6367449.145771138, unit = 0.1570487611454482e-6;
    const double back[] = {5022.894084128594, 29.36926254762117, 0.23832988623869};
    double lat = 3600 * from.lat * second, s = sin(lat);
    double ef = pow(1 - e2 * s * s, 2) * 1e15 / (3 * WGS84_A * WGS84_A * (1 - e2));
    double x = west - pow(north / 1e4, 2) * ef / 2 * west * 1e-7;
    double square = pow(x / 1e4, 2), y = north + ef * square * north * 1e-7;
    double arc = radius * arc_sum(lat, -5048.250737106752, 21.25880271589918,
                                  -0.1104825480468667) +
                 y;
    double foot = arc_sum(unit * arc, back[0], back[1], back[2]), c = cos(foot);
    s = sin(foot);
    double curve = sqrt(1 - e2 * s * s) / (2 * WGS84_A), v = s / c * curve * 1e8;
    double down = v * square, tan2 = s * s / (c * c);
    double more = (1 + 3 * tan2) / (3 * (s / c)) - 3 * e2 * s * c / (1 - e2);
    arc = arc - down + curve * more * 1e6 * pow(down / 1000, 2);
    lat = arc_sum(unit * arc, back[0], back[1], back[2]);
    x *= sqrt(1 - e2 * pow(sin(lat), 2)) / (WGS84_A * cos(lat) * second);
    x += x * (v * down / 15) * 1e-7;
    return (struct geo_point){lat / second / 3600,
                              geo_wrap((3600 * from.lon - x) / 3600)};
}

/* Avoids distances near 0, for which the formula fails. */
static double at_least_1mm(double metres)
{
    return fabs(metres) < 1e-3 ? 1e-3 : metres;
}

struct geo_point geo_survey(struct geo_point from, double azimuth, double metres)
{
    double from_south =
        3600 * (azimuth > 180 ? azimuth - 180 : azimuth + 180) * 4.84813681110e-6;
    return survey(from, at_least_1mm(-metres * cos(from_south)),
                  at_least_1mm(metres * sin(from_south)));
}

/* ---- beams ---------------------------------------------------------------------- */

/* Places beams at any distance, and at the poles. */
static void far(struct geo_point ping, double heading, int n, const double *across,
                const double *along, struct geo_point *beam)
{
    struct turn ahead = turn_of(heading), aside = {ahead.cos, -ahead.sin};
    struct line side, forward;
    line_start(&side, spot_of(ping), aside);
    for (int i = 0; i < n; i++) {
        struct spot s = line_at(&side, across[i], false);
        if (along[i] != 0) {
            line_start(&forward, s, ahead);
            s = line_at(&forward, along[i], false);
        }
        beam[i] = point_of(s, ping.lon);
    }
}

/* Places a beam if all angles are short: no function is called. `lat` is the ping's. */
static INLINE struct geo_point place_near(const struct line *side,
                                          struct geo_point ping, struct turn lat,
                                          struct turn ahead, double across,
                                          double along)
{
    struct line forward;
    line_start(&forward, line_at(side, across, true), ahead);
    struct spot s = line_at(&forward, along, true);
    double down = (1 - WGS84_F) * s.cos;
    double north = short_arc((s.sin * lat.cos - down * lat.sin) /
                             (down * lat.cos + s.sin * lat.sin));
    return (struct geo_point){ping.lat + north / DEGREE, ping.lon + s.lon / DEGREE};
}

WIDE_EXACT static void near(struct geo_point ping, double heading, int n,
                            const double *across, const double *along,
                            struct geo_point *beam)
{
    struct turn ahead = turn_of(heading), aside = {ahead.cos, -ahead.sin};
    struct turn lat = turn_of(ping.lat);
    struct line side;
    line_start(&side, spot_of(ping), aside);
#pragma omp simd
    for (int i = 0; i < n; i++)
        beam[i] = place_near(&side, ping, lat, ahead, across[i], along[i]);
    wrap_beams(beam, n);
}

/* The longest distance of these beams, to the side plus forwards. */
WIDE_EXACT static double longest_way(int n, const double *across, const double *along)
{
    double most = 0;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < n; i++) {
        double way = fabs(across[i]) + fabs(along[i]);
        most = way > most ? way : most;
    }
    return most;
}

/* True if place_near applies: the change of longitude is small, too. */
static bool are_near(struct geo_point ping, int n, const double *across,
                     const double *along)
{
    return longest_way(n, across, along) <=
           SHORT_ARC * WGS84_B * cos(ping.lat * DEGREE);
}

static void exact(struct geo_point ping, double heading, int n, const double *across,
                  const double *along, struct geo_point *beam)
{
    bool is_near = are_near(ping, n, across, along);
    (is_near ? near : far)(ping, heading, n, across, along, beam);
}

WIDE_EXACT static void plane(struct geo_point ping, double heading, int n,
                             const double *across, const double *along,
                             struct geo_point *beam)
{
    struct turn h = turn_of(heading);
    struct geo_point degree = geo_degree(ping.lat);
    for (int i = 0; i < n; i++) {
        double north = along[i] * h.cos - across[i] * h.sin;
        double east = along[i] * h.sin + across[i] * h.cos;
        beam[i].lat = ping.lat + north / degree.lat;
        beam[i].lon = ping.lon + east / degree.lon;
    }
}

static void tangent(struct geo_point ping, double heading, int n, const double *across,
                    const double *along, struct geo_point *beam)
{
    plane(ping, heading, n, across, along, beam);
    wrap_beams(beam, n);
}

/* Finds the longest distance of a ping's beams, and the error of the plane at its end,
 * in metres. Returns false if that is not known. */
static bool plane_error(struct geo_point ping, int n, const double *across,
                        const double *along, double *way, double *off)
{
    const double way_most = 2e4, lat_most = 80;
    *way = longest_way(n, across, along);
    if (!(*way <= way_most && fabs(ping.lat) <= lat_most))
        return false;
    /* The error has terms of the second order, way^2 / radius times 1 or times the
     * tangent of the latitude, and smaller ones: twice that is an upper bound. */
    *off = 2 * *way * *way / WGS84_B * (1 + tan(fabs(ping.lat) * DEGREE)) + 1e-6;
    return true;
}

bool geo_beams_about(struct geo_point ping, double heading, int n, const double *across,
                     const double *along, struct geo_point *beam,
                     struct geo_point *error)
{
    double way, off;
    if (!plane_error(ping, n, across, along, &way, &off))
        return false;
    struct geo_point degree = geo_degree(ping.lat);
    plane(ping, heading, n, across, along, beam);
    *error = (struct geo_point){off / degree.lat, off / degree.lon};
    return true;
}

bool geo_beams_reach(struct geo_point ping, int n, const double *across,
                     const double *along, struct geo_point *reach)
{
    double way, off;
    if (!plane_error(ping, n, across, along, &way, &off))
        return false;
    struct geo_point degree = geo_degree(ping.lat);
    *reach = (struct geo_point){(way + off) / degree.lat, (way + off) / degree.lon};
    return true;
}

static void surveyed(struct geo_point ping, double heading, int n, const double *across,
                     const double *along, struct geo_point *beam)
{
    for (int i = 0; i < n; i++)
        beam[i] = geo_survey(geo_survey(ping, fmod(heading + 90, 360), across[i]),
                             heading, along[i]);
}

void geo_beams(enum geo_how how, struct geo_point ping, double heading, int n,
               const double *across, const double *along, struct geo_point *beam)
{
    if (how == GEO_TANGENT)
        tangent(ping, heading, n, across, along, beam);
    else
        (how == GEO_SURVEY ? surveyed : exact)(ping, heading, n, across, along, beam);
}

struct geo_point geo_degree(double lat)
{
    struct turn t = turn_of(lat);
    double w2 = 1 - WGS84_E2 * t.sin * t.sin, across = WGS84_A / sqrt(w2);
    return (struct geo_point){DEGREE * across * (1 - WGS84_E2) / w2,
                              DEGREE * across * t.cos};
}

/* ---- boxes ---------------------------------------------------------------------- */

/* Longitudes are kept twice: from -180, and from 0 upwards. Around 180 degrees the
 * latter are close together, around 0 the former. */
static void geodesy_grow(struct geo_box *b, int i, double west, double east)
{
    if (!b->n || west < b->west[i])
        b->west[i] = west;
    if (!b->n || east > b->east[i])
        b->east[i] = east;
}

void geo_box_add(struct geo_box *b, struct geo_point p)
{
    double lon = geo_wrap(p.lon), upwards = lon < 0 ? lon + 360 : lon;
    if (!b->n || p.lat < b->south)
        b->south = p.lat;
    if (!b->n || p.lat > b->north)
        b->north = p.lat;
    geodesy_grow(b, 0, lon, lon);
    geodesy_grow(b, 1, upwards, upwards);
    b->n++;
}

void geo_box_join(struct geo_box *b, const struct geo_box *other)
{
    if (!other->n)
        return;
    if (!b->n || other->south < b->south)
        b->south = other->south;
    if (!b->n || other->north > b->north)
        b->north = other->north;
    for (int i = 0; i < 2; i++)
        geodesy_grow(b, i, other->west[i], other->east[i]);
    b->n += other->n;
}

static int narrower(const struct geo_box *b)
{
    return b->east[1] - b->west[1] < b->east[0] - b->west[0];
}

double geo_box_west(const struct geo_box *b)
{
    return geo_wrap(b->west[narrower(b)]);
}

double geo_box_east(const struct geo_box *b)
{
    int i = narrower(b);
    return b->east[i] + (geo_box_west(b) - b->west[i]);
}
