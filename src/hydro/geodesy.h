/* Positions of soundings on the WGS84 ellipsoid, in degrees and metres. Resulting
 * longitudes are in [-180, 180). */
#ifndef HYDRO_GEODESY_H
#define HYDRO_GEODESY_H

#include <stdbool.h>
#include <stdint.h>

struct geo_point {
    double lat, lon; /* degrees, north and east */
};

/* The way in which the beams of a ping get their positions. */
enum geo_how {
    GEO_EXACT,   /* along geodesics: to the side first, then forwards */
    GEO_TANGENT, /* in the tangent plane at the ping: accurate near the ship only */
    GEO_SURVEY   /* as GEO_EXACT, but by geo_survey, as in NAVO's programs */
};

/* Local. The point `metres` (may be negative) from `from` in the direction of `azimuth`
 * degrees from north, by the formula of NAVO's libraries: for grids and places in bins
 * that equal theirs to the last digit. It moves at least 1 mm north or south and 1 mm
 * east or west, and its error is that and some 0.1 mm more near the start. */
struct geo_point geo_survey(struct geo_point from, double azimuth, double metres);

/* Local. The positions of `n` beams of a ping at `ping` with `heading`: across[i]
 * metres to starboard (the geodesic at heading + 90 degrees), and from there along[i]
 * forwards (the one at `heading` there): accurate to 1 mm up to half around the earth,
 * and to 1 um within 100 km. The tangent plane has an error of the square of the
 * distance: millimetres at 100 m, metres at 8 km. */
void geo_beams(enum geo_how how, struct geo_point ping, double heading, int n,
               const double *across, const double *along, struct geo_point *beam);

/* Local. Approximates geo_beams(GEO_EXACT) by the tangent plane. *error is an upper
 * bound of the difference, in degrees. Longitudes are not wrapped: they are the ping's
 * plus the beam's offset to the east. Returns false, and sets nothing, if no bound is
 * known: for beams beyond 20 km, and from 80 degrees of latitude on. */
bool geo_beams_about(struct geo_point ping, double heading, int n, const double *across,
                     const double *along, struct geo_point *beam,
                     struct geo_point *error);

/* Local. An upper bound of the distance, in degrees, at which geo_beams(GEO_EXACT)
 * places beams from a ping at `ping`, whatever the heading. Returns false if no bound
 * is known: as geo_beams_about. */
bool geo_beams_reach(struct geo_point ping, int n, const double *across,
                     const double *along, struct geo_point *reach);

/* Local. Metres of one degree of latitude and of longitude at `lat`. */
struct geo_point geo_degree(double lat);

/* Local. The longitude wrapped to [-180, 180). */
double geo_wrap(double lon);

/* The smallest box of latitudes and longitudes around points; it crosses 180 degrees if
 * that makes it smaller. All zero: no points. */
struct geo_box {
    int64_t n;
    double south, north;
    double west[2], east[2]; /* with longitudes from -180, and from 0, upwards */
};

void geo_box_add(struct geo_box *box, struct geo_point p); /* Local. */
void geo_box_join(struct geo_box *box, const struct geo_box *other);

/* Local. Its sides: west in [-180, 180), and east >= west, over 180 if the box crosses
 * that meridian. Without points both are 0. */
double geo_box_west(const struct geo_box *box);
double geo_box_east(const struct geo_box *box);

#endif
