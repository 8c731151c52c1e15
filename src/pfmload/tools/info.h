/* pfminfo: totals over all bins, and their output. No MPI. */
#ifndef PFMLOAD_TOOLS_INFO_H
#define PFMLOAD_TOOLS_INFO_H

#include "hydro/pfm.h"
#include "hydro/pfm_side.h"
#include <stdio.h>

/* Totals over all bins. */
struct info_totals {
    int64_t bins, soundings, soundings_max;
    double min, max; /* m; infinite if there is no depth */
    /* with --verify: */
    struct pfm_walk walk;
    int64_t blocks_max, invalid, raw_sum;
    struct pfm_extremes extremes;
    int64_t wrong; /* bins whose summary does not match their soundings */
    char first_wrong[256];
};

/* Everything known at the end. */
struct info {
    const char *path; /* the handle file */
    const struct pfm_head *head;
    struct info_totals totals;
    struct pfm_inputs inputs; /* with --json and --verify */
    bool verified;
    double cpu_s;
};

/* Local. Prints text on stdout. */
void info_print(const struct info *in);

/* Local. Writes JSON. Returns 0, or -EIO. */
int info_json(const struct info *in, FILE *out);

#endif
