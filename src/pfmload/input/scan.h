/* The first look at all input files: where their soundings are, so that the grid and
 * the bits of a PFM can be chosen, and which files are damaged. */
#ifndef PFMLOAD_INPUT_SCAN_H
#define PFMLOAD_INPUT_SCAN_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include "pfmload/input/list.h"
#include <mpi.h>

struct reader; /* pfmload/input/reader.h */

struct scan_options {
    enum geo_how how;
    bool skip_bad; /* mark damaged files, and go on without them */
    bool progress; /* show a line of it, on rank 0 */
    /* Only soundings in here count (degrees; east > 180 where it crosses): the grid of
     * the PFM, with what whole bins add to its sides. */
    bool bounded; /* false: all count */
    double west, south, east, north;
    struct reader *reader; /* of the files */
};

/* The ends of what there is, of which each has a ping that it comes from. */
enum scan_end {
    SCAN_SHALLOWEST,
    SCAN_DEEPEST,
    SCAN_SOUTH,
    SCAN_NORTH,
    SCAN_WEST, /* and SCAN_EAST, of longitudes from -180 upwards; then from 0 */
    SCAN_EAST,
    SCAN_ENDS = SCAN_EAST + 3
};

struct scan_place {
    int64_t file, ping; /* in the list, from 0; in the file, from 1 */
};

/* Of what would be loaded from all files that are not bad. */
struct scan {
    struct geo_box box;          /* box.n: soundings */
    double depth_min, depth_max; /* m; both 0 where there are none */
    int64_t pings;               /* the highest number of one with soundings */
    int64_t beams;               /* likewise of a beam in its ping, both from 1 */
    int64_t bad;                 /* files left out, by list_open or now */
    int64_t out[GSF_OUTS];       /* beams that would be left out, by reason */
    struct scan_place place[SCAN_ENDS];
    struct geo_point sum[2]; /* of the pings' positions, for their mean: longitudes from
                              * -180 upwards, and from 0; each as often as soundings */
};

/* Local. Which of two ends (SCAN_SOUTH or SCAN_WEST) an outlier is, if there is one:
 * that which is farther from the mean of all. Returns where it comes from. */
struct scan_place scan_outlier(const struct scan *s, enum scan_end side);

/* **Collective** on `comm`, with the same list and options everywhere. Reads each file
 * on one rank (list_deal) and gives every rank the same *s; fills in the soundings of
 * the list's files and marks bad ones. Memory: a few bytes per file.
 * Returns 0 or -errno with a sentence, the same on every rank: the first file of the
 * list that is not good, unless o->skip_bad; no memory. */
int scan_files(struct scan *s, MPI_Comm comm, struct list *l,
               const struct scan_options *o);

#endif
