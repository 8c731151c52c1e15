/* The first look at all input files: where their soundings are, so that the grid and
 * the bits of a PFM can be chosen, and which files are damaged. */
#ifndef PFMLOAD_SCAN_H
#define PFMLOAD_SCAN_H

#include "hydro/geodesy.h"
#include "pfmload/list.h"
#include <mpi.h>

struct scan_options {
    enum geo_how how;
    bool skip_bad; /* mark damaged files, and go on without them */
    bool progress; /* show a line of it, on rank 0 */
    /* Only soundings in here count (degrees; east > 180 where it crosses): the grid of
     * the PFM, with what whole bins add to its sides. */
    bool bounded; /* false: all count */
    double west, south, east, north;
};

/* Of what would be loaded from all files that are not bad. */
struct scan {
    struct geo_box box;          /* box.n: soundings */
    double depth_min, depth_max; /* m; both 0 where there are none */
    int64_t pings;               /* the highest number of one with soundings */
    int64_t beams;               /* likewise of a beam in its ping, both from 1 */
    int64_t bad;                 /* files left out, by list_open or now */
    int64_t read_bytes, read_ns; /* of this rank */
};

/* **Collective** on `comm`, with the same list and options everywhere. Reads each file
 * on one rank (list_deal) and gives every rank the same *s; fills in the soundings of
 * the list's files and marks bad ones. Memory: a few bytes per file.
 * Returns 0 or -errno with a sentence, the same on every rank: the first file of the
 * list that is not good, unless o->skip_bad; no memory. */
int scan_files(struct scan *s, MPI_Comm comm, struct list *l,
               const struct scan_options *o);

#endif
