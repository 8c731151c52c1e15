/* pfminfo: a shaded picture of a PFM's filtered average depths, north up. No MPI. */
#ifndef PFMLOAD_TOOLS_RELIEF_H
#define PFMLOAD_TOOLS_RELIEF_H

#include "pfmload/tools/info.h"

struct relief;

/* Local. Sizes the picture to be drawn of this grid, at most 2000 pixels on a side, and
 * begins the file in->picture.path; *r is freed by relief_close. Returns 0, or -errno
 * with a sentence. */
int relief_open(struct relief **r, struct info *in);

/* Local. A bin that has soundings; bins come row by row. */
void relief_add(struct relief *r, const struct pfm_bin *bin);

/* Local. After all bins: draws, and says in in->picture what the colours mean. Returns
 * 0, or -errno with a sentence. */
int relief_draw(struct relief *r);

/* Local. A picture that was not drawn is removed. Returns 0, or -errno with a
 * sentence. */
int relief_close(struct relief **r);

#endif
