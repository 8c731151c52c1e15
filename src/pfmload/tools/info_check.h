/* pfminfo --verify: whether a PFM's bins are those of their soundings, and its other
 * files and its header those of its bins. No MPI. */
#ifndef PFMLOAD_TOOLS_INFO_CHECK_H
#define PFMLOAD_TOOLS_INFO_CHECK_H

#include "pfmload/tools/info.h"

struct info_check;

/* Local. Opens the coverage map; in->inputs must have been read, and *c is
 * freed by info_check_close. Returns 0, or -errno with a sentence. */
int info_check_open(struct info_check **c, struct info *in, struct pfm *p);

/* Local. Every bin in order, row by row, also those without soundings: its byte of the
 * coverage map. Returns 0, or -errno with a sentence. */
int info_check_cover(struct info_check *c, const struct pfm_bin *bin);

/* Local. A bin's soundings, of a chain that took `blocks` of them. A summary that is
 * wrong is counted; anything else is -errno with a sentence. */
int info_check_bin(struct info_check *c, const struct pfm_bin *bin,
                   const struct pfm_sounding *s, int64_t blocks);

/* Local. After all bins: the verdict on them, and on the header's extremes. Returns 0,
 * or -errno with a sentence. */
int info_check_end(struct info_check *c, struct pfm *p);
void info_check_close(struct info_check **c);

#endif
