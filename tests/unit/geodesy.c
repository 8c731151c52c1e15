/* Positions on the ellipsoid. Known values come from C. Karney's GeographicLib 2.0
 * (Geodesic.WGS84.Direct), which shares no code with ours. */
#include "tap.h"

#include "hydro/geodesy.h"

#define METRES_OF_DEGREE 111200.0
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

/* Returns the distance of two points in metres, accurate for small distances. */
static double apart(struct geo_point a, struct geo_point b)
{
    double north = (a.lat - b.lat) * METRES_OF_DEGREE;
    double east = geo_wrap(a.lon - b.lon) * METRES_OF_DEGREE * cos(a.lat * M_PI / 180);
    return hypot(north, east);
}

/* ---- one geodesic --------------------------------------------------------------- */

static const struct {
    double lat, lon, azimuth, metres, lat2, lon2, tolerance;
} known[] = {
    {0, 0, 90, 1000, 0, 0.008983152841195215, 1e-6},
    {30, -88, 35, 8000, 30.059107706177123, -87.95241464249484, 1e-6},
    {30, -88, -125, 100, 29.99948257387891, -88.00084897852078, 1e-6},
    {-37.95, 144.42, 306.868, 54972.271, -37.65178880630253, 143.92163350079443, 1e-6},
    {89.9, 10, 170, 50000, 89.45359136638035, 18.17887919260215, 1e-6},
    {-60, 179.99, 80, 20000, -59.96835664297976, -179.6573573761046, 1e-6},
    {72, -179.995, 268.3, -6000, 72.00151761543253, -179.82117044535582, 1e-6},
    {90, 0, 30, 5000, 89.95523482975518, 150.0, 1e-6},
    {45, 7, 200, 1e7, -41.89948853130185, -20.23793923794496, 1e-3},
    {0, 0, 90, 1e7, 0, 89.83152841195215, 1e-3},
    {10, 20, 0, 1.9e7, -0.9217630914498269, -160.0, 1e-3},
};

/* Places a beam to starboard of a ship that looks to the left of `azimuth`. */
static struct geo_point to_side(struct geo_point from, double azimuth, double metres)
{
    const double none = 0;
    struct geo_point p;
    geo_beams(GEO_EXACT, from, azimuth - 90, 1, &metres, &none, &p);
    return p;
}

static void test_direct(void)
{
    for (int i = 0; i < COUNT(known); i++) {
        struct geo_point from = {known[i].lat, known[i].lon};
        struct geo_point expected = {known[i].lat2, known[i].lon2};
        struct geo_point p = to_side(from, known[i].azimuth, known[i].metres);
        double off = apart(p, expected);
        tap_ok(off < known[i].tolerance, "%g m at %g degrees from %g, %g (%.1e m off)",
               known[i].metres, known[i].azimuth, from.lat, from.lon, off);
    }
    struct geo_point here = {12.345, -179.999}, p = to_side(here, 77, 0);
    tap_ok(apart(p, here) < 1e-8, "nowhere to go is where one is (%.1e m)",
           apart(p, here));
}

/* ---- beams ---------------------------------------------------------------------- */

static const struct {
    double lat, lon, heading, across, along, lat2, lon2;
} beams[] = {
    {30, -88, 35, 8000, 250, 29.960435891780108, -87.93062396601673},
    {30, -88, 35, -8000, -250, 30.039528815160256, -88.06943358688797},
    {8.7116, 167.4761, 290, 3500, -120, 8.740965905392029, 167.48800379293533},
    {80, 179.9, 10, 12000, 500, 79.98519478314155, -179.4873109663591},
    {-75, 0, 181, -100, 3, -75.00004248285923, 0.003457632473003414},
};

static struct geo_point place(enum geo_how how, double lat, double heading,
                              double across, double along)
{
    struct geo_point p;
    geo_beams(how, (struct geo_point){lat, 0}, heading, 1, &across, &along, &p);
    return p;
}

static void test_beams(void)
{
    for (int i = 0; i < COUNT(beams); i++) {
        struct geo_point ping = {beams[i].lat, beams[i].lon}, p[2];
        struct geo_point expected = {beams[i].lat2, beams[i].lon2};
        double across[2] = {0, beams[i].across}, along[2] = {0, beams[i].along};
        geo_beams(GEO_EXACT, ping, beams[i].heading, 2, across, along, p);
        tap_ok(apart(p[0], ping) < 1e-8 && apart(p[1], expected) < 1e-6,
               "%g m aside and %g m ahead at heading %g (%.1e m off)", across[1],
               along[1], beams[i].heading, apart(p[1], expected));
    }
    struct geo_point east = place(GEO_EXACT, 50, 0, 1000, 0);
    struct geo_point north = place(GEO_EXACT, 50, 0, 0, 1000);
    tap_ok(east.lon > 0 && fabs(east.lat - 50) < 1e-5,
           "starboard of a ship that heads north is east");
    tap_ok(north.lat > 50 && fabs(north.lon) < 1e-12, "and ahead of it is north");
}

/* Near the ship, series replace functions. In a ping with one beam far from it they do
 * not, and the other beams must be where they are without it. */
static void test_near(void)
{
    double across[8], along[8], worst = 0;
    struct geo_point near[8], far[8];
    srand(5);
    for (int i = 0; i < 2000; i++) {
        struct geo_point ping = {rand() % 17999 * 0.01 - 89.99,
                                 rand() % 36000 * 0.01 - 180};
        double metres = pow(10, 1 + i % 5), heading = rand() % 36000 * 0.01;
        for (int k = 0; k < 7; k++) {
            across[k] = metres * (rand() % 2001 * 0.001 - 1);
            along[k] = k ? metres * (rand() % 401 * 0.001 - 0.2) : 0;
        }
        across[7] = 1e6;
        along[7] = 0;
        geo_beams(GEO_EXACT, ping, heading, 7, across, along, near);
        geo_beams(GEO_EXACT, ping, heading, 8, across, along, far);
        for (int k = 0; k < 7; k++)
            worst = fmax(worst, apart(near[k], far[k]));
    }
    tap_ok(worst < 2e-8, "beams near the ship are where any are (%.1e m off)", worst);
}

/* The error of the tangent plane grows with the square of the distance. */
static void test_tangent(void)
{
    double off[3];
    for (int i = 0; i < 3; i++) {
        double metres = i == 0 ? 100 : i == 1 ? 1000 : 8000;
        off[i] = 0;
        for (double heading = 0; heading < 360; heading += 15)
            off[i] = fmax(off[i], apart(place(GEO_EXACT, 30, heading, metres, 0),
                                        place(GEO_TANGENT, 30, heading, metres, 0)));
    }
    tap_ok(off[0] > 1e-6 && off[0] < 3e-3, "100 m in the tangent plane: %.1e m off",
           off[0]);
    tap_ok(off[1] > 1e-3 && off[1] < 6e-2, "1 km in the tangent plane: %.1e m off",
           off[1]);
    tap_ok(off[2] > 1 && off[2] < 4, "8 km in the tangent plane: %.2f m off", off[2]);
}

/* Approximate places of beams, and the bound of their error, below 80 degrees. */
static void test_about(void)
{
    double share = 0;
    int bounded = 0;
    srand(7);
    for (int i = 0; i < 20000; i++) {
        struct geo_point ping = {rand() % 16001 * 0.01 - 80,
                                 rand() % 36000 * 0.01 - 180};
        double metres = pow(10, i % 5) * 1.99, heading = rand() % 36000 * 0.01;
        double across[2], along[2];
        struct geo_point about[2], at[2], error;
        for (int k = 0; k < 2; k++) {
            across[k] = metres / 2 * (rand() % 2001 * 0.001 - 1);
            along[k] = metres / 2 * (rand() % 2001 * 0.001 - 1);
        }
        geo_beams(GEO_EXACT, ping, heading, 2, across, along, at);
        bounded += geo_beams_about(ping, heading, 2, across, along, about, &error);
        for (int k = 0; k < 2; k++) {
            double east = geo_wrap(at[k].lon - about[k].lon);
            share = fmax(share, fabs(at[k].lat - about[k].lat) / error.lat);
            share = fmax(share, fabs(east) / error.lon);
        }
    }
    tap_ok(bounded == 20000 && share > 0.1 && share < 0.75,
           "the bound of the tangent plane's error: at most %.2f of it", share);
    const double far = 19999, none = 0, too_far = 20001;
    struct geo_point here = {10, 20}, pole = {80.1, 0}, p, error;
    tap_ok(geo_beams_about(here, 0, 1, &far, &none, &p, &error) &&
               !geo_beams_about(here, 0, 1, &too_far, &none, &p, &error) &&
               !geo_beams_about(here, 0, 1, &none, &too_far, &p, &error) &&
               !geo_beams_about(pole, 0, 1, &none, &none, &p, &error),
           "beyond 20 km and near the poles there is none");
}

/* The survey's formula moves by a millimetre at least; otherwise it is accurate to
 * tenths. */
static void test_survey(void)
{
    double off = 0;
    for (int i = 0; i < COUNT(beams); i++) {
        struct geo_point ping = {beams[i].lat, beams[i].lon}, p;
        struct geo_point expected = {beams[i].lat2, beams[i].lon2};
        geo_beams(GEO_SURVEY, ping, beams[i].heading, 1, &beams[i].across,
                  &beams[i].along, &p);
        off = fmax(off, apart(p, expected));
    }
    tap_ok(off > 1e-6 && off < 5e-3, "beams by the survey's formula: %.1e m off", off);
    struct geo_point here = {38, -76}, p = geo_survey(here, 90, 0);
    struct geo_point equator = geo_survey((struct geo_point){0, 10}, 90, 1000);
    tap_ok(p.lat > here.lat && p.lon < here.lon && apart(p, here) < 2e-3,
           "nowhere to go is a millimetre north and west");
    tap_ok(apart(equator, (struct geo_point){0, 10.008983152841195}) < 5e-3,
           "along the equator, too (%.9f, %.9f)", equator.lat, equator.lon);
}

/* Across the meridian of 180 degrees both ways of placing beams agree. */
static void test_across_180(void)
{
    const double across[] = {-3000, 3000}, along[] = {0, 0};
    struct geo_point ping = {-17, 179.99}, exact[2], tangent[2];
    geo_beams(GEO_EXACT, ping, 0, 2, across, along, exact);
    geo_beams(GEO_TANGENT, ping, 0, 2, across, along, tangent);
    tap_ok(exact[0].lon > 179 && exact[1].lon < -179,
           "a swath lies across 180 degrees");
    tap_ok(apart(exact[0], tangent[0]) < 1 && apart(exact[1], tangent[1]) < 1,
           "for the tangent plane, too");
}

static void test_degree(void)
{
    struct geo_point d = geo_degree(0), e = geo_degree(60);
    tap_ok(fabs(d.lat - 110574.276) < 1e-3 && fabs(d.lon - 111319.491) < 1e-3,
           "a degree at the equator is %.3f m by %.3f m", d.lat, d.lon);
    tap_ok(fabs(e.lat - 111412.287) < 1e-3 && fabs(e.lon - 55800.0016) < 1e-3,
           "at 60 degrees it is %.3f m by %.3f m", e.lat, e.lon);
    tap_ok(geo_wrap(180) == -180 && geo_wrap(-180) == -180 && geo_wrap(541) == -179 &&
               geo_wrap(-541) == 179 && geo_wrap(12.5) == 12.5,
           "longitudes are wrapped into [-180, 180)");
}

/* ---- boxes ---------------------------------------------------------------------- */

static struct geo_box box_of(int n, const struct geo_point *p)
{
    struct geo_box b = {0};
    for (int i = 0; i < n; i++)
        geo_box_add(&b, p[i]);
    return b;
}

static bool box_is(const struct geo_box *b, double west, double south, double east,
                   double north)
{
    return fabs(geo_box_west(b) - west) < 1e-9 && b->south == south &&
           fabs(geo_box_east(b) - east) < 1e-9 && b->north == north;
}

static void test_boxes(void)
{
    const struct geo_point pacific[] = {{-17, 179.5}, {-18, -179.25}, {-16.5, 178}};
    const struct geo_point greenwich[] = {{51, -1}, {52, 2}};
    struct geo_box none = {0}, b = box_of(3, pacific), c = box_of(2, greenwich);
    tap_ok(box_is(&b, 178, -18, 180.75, -16.5) && geo_box_east(&b) > 180,
           "a box across 180 degrees");
    tap_ok(box_is(&c, -1, 51, 2, 52) && geo_box_east(&c) <= 180,
           "one across 0 degrees");
    struct geo_box first = box_of(1, pacific), rest = box_of(2, pacific + 1);
    geo_box_join(&first, &rest);
    geo_box_join(&first, &none);
    geo_box_join(&none, &rest);
    tap_ok(!memcmp(&first, &b, sizeof b) && !memcmp(&none, &rest, sizeof rest),
           "boxes that are joined are the box of all points");
    struct geo_box edge = box_of(1, (struct geo_point[]){{0, 180}});
    tap_ok(box_is(&edge, -180, 0, -180, 0) && geo_box_east(&edge) <= 180,
           "a single point at 180 degrees");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_direct();
    test_beams();
    test_near();
    test_tangent();
    test_about();
    test_survey();
    test_across_180();
    test_degree();
    test_boxes();
    return tap_end();
}
