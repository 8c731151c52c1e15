/* The area filter: rejects soundings that are far from the surrounding bins. The rule
 * is that of the AreaFilter of the U.S. Naval Oceanographic Office.
 *
 * It takes a bin and its neighbours, 3 x 3 together, as far as they have valid
 * soundings; there must be AREA_BINS of them. The centre is the plain mean of their
 * averages. If the neighbours' averages differ from the bin's own by no more than
 * `slope` times the distance, the floor is flat and the reach is 2 sigma times the mean
 * of the standard deviations; else it is 2 sigma times the standard deviation of the
 * averages. Soundings that are `reach` or more from the centre are to be cut.
 *
 * The order in which bins are filtered matters, as filtering changes a bin's average.
 * AREA_TWO_PASS takes all decisions from the summaries before anything is cut, so the
 * order does not matter, and bins can be distributed to ranks. AREA_RASTER filters row
 * by row, and a bin sees its neighbours as filtered so far.
 *
 * Pure arithmetic, no MPI. */
#ifndef HYDRO_AREA_H
#define HYDRO_AREA_H

#include <stdbool.h>
#include <stdint.h>

#define AREA_BINS 5
#define AREA_SLOPE 1.0 /* 45 degrees */

enum area_order { AREA_TWO_PASS, AREA_RASTER };

struct area_rule {
    double sigma; /* > 0 */
    double slope; /* rise over run; AREA_SLOPE */
    double bin_m; /* side of a bin, m */
    enum area_order order;
};

/* The summary of a bin's valid soundings. */
struct area_cell {
    int64_t n;           /* 0: none, and the rest is ignored */
    double average, std; /* m */
};

struct area_limits {
    bool decides;         /* false: too few bins, or all of them without any spread */
    double centre, reach; /* m */
};

/* Local. The limits for the bin in `column` of row[1]; row[0] is the row south of
 * it, row[2] the one north of it, each of `width` cells, or NULL at the edge of
 * the grid. */
struct area_limits area_decide(const struct area_rule *rule,
                               const struct area_cell *const row[3], int64_t width,
                               int64_t column);

/* Local. True if a depth of z is to be cut. */
static inline bool area_cuts(const struct area_limits *l, double z)
{
    double off = z < l->centre ? l->centre - z : z - l->centre;
    return l->decides && off >= l->reach;
}

#endif
