/* The slaves of schemes E and F: they send whole blocks of one bin each, and keep what
 * is left over until more of the bin comes. In the end the first of them to finish
 * groups what all have left over. */
#ifndef PFMLOAD_SCHEMES_GROUPER_H
#define PFMLOAD_SCHEMES_GROUPER_H

#include "pfmload/input/load.h"

/* **Collective**, as load_ready is called first. A slave's part, from its first item to
 * the last packet (packet.h), with what can be sent sent as soon as there is about as
 * much of it as is left over. Of each bin the I/O node gets any number of full packets,
 * and after these at most one that is not full. Memory: --memory, half of it for the
 * soundings that are read, half of it for leftovers, which go to scratch files beyond
 * that. */
void grouper_slave(struct load *l);

#endif
