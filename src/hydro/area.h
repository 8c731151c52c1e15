/* The area filter: where a sounding is false if it is far from what the bins around
 * say. The rule is that of the AreaFilter of the U.S. Naval Oceanographic Office.
 *
 * It looks at a bin and its neighbours, 3 x 3 together, as far as they have valid
 * soundings; there must be AREA_BINS of them. The centre is the plain mean of their
 * averages. Where the averages around differ from the bin's own by no more than `slope`
 * times the distance, the floor is flat and the reach is 2 sigma times the mean of the
 * standard deviations; else it is 2 sigma times the standard deviation of the averages.
 * Soundings that are `reach` or more from the centre are to be cut.
 *
 * In which order bins are filtered matters: a bin that is filtered has another average.
 * AREA_TWO_PASS takes all decisions from the summaries before anything is cut, so the
 * order does not matter, and bins can be shared out to ranks. AREA_RASTER filters row
 * by row, and bins see their neighbours as those before them were left.
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

/* Summary of a bin's valid soundings. */
struct area_cell {
    int64_t n;           /* 0: none, and the rest is not looked at */
    double average, std; /* m */
};

struct area_limits {
    bool decides;         /* false: too few bins, or all of them without any spread */
    double centre, reach; /* m */
};

/* Local. The limits for the bin in `column` of row[1]; row[0] is the row south of it,
 * row[2] the one north of it, each of `width` cells, NULL where the grid has none. */
struct area_limits area_decide(const struct area_rule *rule,
                               const struct area_cell *const row[3], int64_t width,
                               int64_t column);

/* Local. A depth of z is to be cut. */
static inline bool area_cuts(const struct area_limits *l, double z)
{
    double off = z < l->centre ? l->centre - z : z - l->centre;
    return l->decides && off >= l->reach;
}

#endif
