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

/* ---- checks ---------------------------------------------------------------------- */

/* pfminfo --verify: checks a PFM's bins against their soundings, and its other files
 * and its header against its bins. No MPI. */

struct info_check;

/* Local. Opens the coverage map; in->inputs must have been read, and info_check_close
 * frees *c. Returns 0, or -errno with a sentence. */
int info_check_open(struct info_check **c, struct info *in, struct pfm *p);

/* Local. Checks the coverage map's byte of every bin in order, row by row, including
 * those without soundings. Returns 0, or -errno with a sentence. */
int info_check_cover(struct info_check *c, const struct pfm_bin *bin);

/* Local. Checks a bin's soundings, from a chain of `blocks` blocks. A wrong summary is
 * counted; other errors are -errno with a sentence. */
int info_check_bin(struct info_check *c, const struct pfm_bin *bin,
                   const struct pfm_sounding *s, int64_t blocks);

/* Local. After all bins: returns the verdict on them, and on the header's extremes: 0,
 * or -errno with a sentence. */
int info_check_end(struct info_check *c, struct pfm *p);
void info_check_close(struct info_check **c);

#endif
