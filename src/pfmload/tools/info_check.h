/* pfminfo --verify: checks a PFM's bins against their soundings, and its other files
 * and its header against its bins. No MPI. */
#ifndef PFMLOAD_TOOLS_INFO_CHECK_H
#define PFMLOAD_TOOLS_INFO_CHECK_H

#include "pfmload/tools/info.h"

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
