/* Adds soundings to bins in any order, as the PFM library does: fills a bin's last
 * block, then adds blocks at the end of the .ndx, and updates the bin's record. A pass
 * at the end computes statistics. */
#ifndef PFMLOAD_SCHEMES_HEAP_H
#define PFMLOAD_SCHEMES_HEAP_H

#include "pfmload/input/load.h"
#include "pfmload/schemes/roles.h"
#include "pfmload/store/pages.h"

struct heap {
    struct load *l;
    struct run *r; /* run of the lane that has the files */
    struct pages *blocks, *bins;
    int64_t end; /* length of the .ndx */
    uint8_t *block, *record;
};

/* Local. Opens a heap on open, empty files, with windows of `memory` bytes in all; with
 * 0, each block and record is read and written by its own request. Returns 0, or
 * -ENOMEM with a sentence; heap_close must be called whatever it returns. */
int heap_open(struct heap *h, struct load *l, int64_t memory);

/* Local. Adds n soundings one by one. Returns 0, or the run's failure. */
int heap_add_each(struct heap *h, const struct pfm_sounding *s, int64_t n);

void heap_flush(struct heap *h); /* Local. Writes changed windows. */
void heap_close(struct heap *h); /* Local. Frees the memory. */

/* ---- packets --------------------------------------------------------------------- */

/* Sends soundings to the I/O node in the PFM's own form (schemes D and D-threaded):
 * messages of packets, each with a bin, a number and that many packed soundings. A
 * slave collects, sorts and packs a batch of them at a time. */

/* **Collective**, as load_ready is called first. Does a slave's part; `credits`: of its
 * channel (channel_limit). */
void packets_slave(struct load *l, int64_t credits);

/* Local. Adds the packets of a message of n bytes to the bins. Failures are kept in the
 * run. */
void packets_add(struct heap *h, const uint8_t *message, int64_t n);

#endif
