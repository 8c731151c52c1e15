/* Scans all input files: finds the extent of their soundings, so that the grid and the
 * bits of a PFM can be chosen, and damaged files. */
#ifndef PFMLOAD_INPUT_SCAN_H
#define PFMLOAD_INPUT_SCAN_H

#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include "pfmload/input/list.h"
#include <mpi.h>

struct reader; /* pfmload/input/beams.h */

struct scan_options {
    enum geo_how how;
    bool skip_bad; /* mark damaged files, and continue without them */
    bool progress; /* show a line of progress, on rank 0 */
    /* Only soundings in these bounds count (degrees; east > 180 if they cross that
     * meridian): the grid of the PFM, including the parts of bins beyond the
     * requested bounds. */
    bool bounded; /* false: all soundings count */
    double west, south, east, north;
    struct reader *reader; /* of the files */
};

/* The ends of the extent, each with the ping that it comes from. */
enum scan_end {
    SCAN_SHALLOWEST,
    SCAN_DEEPEST,
    SCAN_SOUTH,
    SCAN_NORTH,
    SCAN_WEST, /* with SCAN_EAST: longitudes from -180 upwards; the next two: from 0 */
    SCAN_EAST,
    SCAN_ENDS = SCAN_EAST + 3
};

struct scan_place {
    int64_t file, ping; /* number in the list, from 0; number in the file, from 1 */
};

/* Results over the soundings to be loaded from all files that are not bad. */
struct scan {
    struct geo_box box;          /* box.n: soundings */
    double depth_min, depth_max; /* m; both 0 if there are none */
    int64_t pings;               /* highest number of a ping with soundings */
    int64_t beams;               /* highest number of a beam in its ping, both from 1 */
    int64_t bad;                 /* number of files left out, by list_open or now */
    int64_t out[GSF_OUTS];       /* beams that would be left out, by reason */
    struct scan_place place[SCAN_ENDS];
    struct geo_point sum[2]; /* of the pings' positions, for their mean: longitudes from
                              * -180 upwards, and from 0; weighted by soundings */
};

/* Local. Finds an outlier: of two ends (SCAN_SOUTH or SCAN_WEST) the one that is
 * farther from the mean of all. Returns its ping. */
struct scan_place scan_outlier(const struct scan *s, enum scan_end side);

/* **Collective** on `comm`, with the same list and options everywhere. Reads each file
 * on one rank (list_deal) and gives every rank the same *s; fills in the soundings of
 * the list's files and marks bad ones. Memory: a few bytes per file. Returns 0, or
 * -errno with a sentence, the same on every rank: the first bad file of the list,
 * unless o->skip_bad; no memory. */
int scan_files(struct scan *s, MPI_Comm comm, struct list *l,
               const struct scan_options *o);

#endif
