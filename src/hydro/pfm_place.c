#include "hydro/pfm_place.h"
#include "base/wide.h"

/* One side of the grid. */
struct axis {
    double first, bin, bins; /* degrees; and number of bins */
    double largest;          /* largest offset in a bin */
};

/* The grid may begin this many degrees above the bounds, due to rounding in
 * the header. */
static const double rounded = 1e-9;

/* True within the grid. No branches, as the loop is vectorised. */
static inline int32_t is_within(const struct axis *a, double at)
{
    double x = at - a->first;
    int32_t after = x >= -rounded, before = x / a->bin < a->bins;
    return after & before;
}

/* The bin of a coordinate; any bin for one outside. */
static inline int32_t bin_of(const struct axis *a, double at)
{
    double bin = (at - a->first) / a->bin;
    bin = bin > 0 ? bin : 0;
    return (int32_t)(bin < a->bins ? bin : a->bins);
}

/* The offset within the bin, as in the library: the distance from the bin's edge is a
 * float on the way. */
static inline int32_t offset_of(const struct axis *a, double at, int32_t bin)
{
    float degrees = (float)(at - (a->first + bin * a->bin));
    double x = degrees / a->bin * a->largest + 0.5;
    x = x >= 1 ? x : 0;
    return (int32_t)(x < a->largest ? x : a->largest);
}

WIDE_EXACT static void places(struct axis ax, struct axis ay, const struct geo_point *p,
                              int n, struct pfm_place *to)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double lat = p[i].lat, lon = p[i].lon;
        lon += lon < ax.first - rounded ? 360 : 0;
        int32_t column = bin_of(&ax, lon), row = bin_of(&ay, lat);
        int32_t within = is_within(&ax, lon) & is_within(&ay, lat);
        to[i].column = column | (within - 1);
        to[i].row = row;
        to[i].x = offset_of(&ax, lon, column);
        to[i].y = offset_of(&ay, lat, row);
    }
}

void pfm_places(const struct pfm_head *h, const struct geo_point *p, int n,
                struct pfm_place *to)
{
    double largest = (double)((1 << h->offset_bits) - 1);
    struct axis ax = {h->min_x, h->bin_x, (double)h->width, largest};
    struct axis ay = {h->min_y, h->bin_y, (double)h->height, largest};
    places(ax, ay, p, n, to);
}
