/* Adding soundings to bins in any order, as the PFM library does: what is left of a
 * bin's last block is filled, then blocks are added at the end of the .ndx, and the
 * bin's record follows. Statistics are left for a pass at the end. */
#ifndef PFMLOAD_SCHEMES_HEAP_H
#define PFMLOAD_SCHEMES_HEAP_H

#include "pfmload/input/load.h"
#include "pfmload/store/pages.h"

struct heap {
    struct load *l;
    struct run *r; /* of the lane that has the files */
    struct pages *blocks, *bins;
    int64_t end; /* of the .ndx */
    uint8_t *block, *record;
};

/* Local. On files that are open and empty; windows of `memory` bytes in all, or, with
 * 0, each block and record is read and written by a request of its own. Returns 0 or
 * -ENOMEM with a sentence; heap_close is due whatever it says. */
int heap_open(struct heap *h, struct load *l, int64_t memory);

/* Local. Adds n packed soundings of one bin. Failures are kept in the run. */
void heap_add(struct heap *h, int64_t bin, const uint8_t *packed, int64_t n);

/* Local. Adds n soundings one by one. Returns 0, or the run's failure. */
int heap_add_each(struct heap *h, const struct pfm_sounding *s, int64_t n);

void heap_flush(struct heap *h); /* Local. Writes what is still in the windows. */
void heap_close(struct heap *h); /* Local. Frees the memory. */

#endif
