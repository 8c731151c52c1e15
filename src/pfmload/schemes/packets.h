/* Sends soundings to the I/O node in the PFM's own form (schemes D and D-threaded):
 * messages of packets, each with a bin, a number and that many packed soundings. A
 * slave collects, sorts and packs a batch of them at a time. */
#ifndef PFMLOAD_SCHEMES_PACKETS_H
#define PFMLOAD_SCHEMES_PACKETS_H

#include "pfmload/schemes/heap.h"
#include "pfmload/schemes/roles.h"

/* **Collective**, as load_ready is called first. Does a slave's part; `credits`: of its
 * channel (channel_limit). */
void packets_slave(struct load *l, int64_t credits);

/* Local. Adds the packets of a message of n bytes to the bins. Failures are kept in the
 * run. */
void packets_add(struct heap *h, const uint8_t *message, int64_t n);

#endif
