/* The slaves of schemes E and F: they send whole blocks of one bin each, and keep
 * leftovers until more soundings of the bin come. At the end the first slave to finish
 * groups the leftovers of all. */
#ifndef PFMLOAD_SCHEMES_GROUPER_H
#define PFMLOAD_SCHEMES_GROUPER_H

#include "pfmload/input/load.h"

/* **Collective**, as load_ready is called first. Does a slave's part, from its first
 * item to the last packet (packet.h); full blocks are sent as soon as there are about
 * as many new soundings as leftovers. The I/O node gets any number of full packets of
 * each bin, and after these at most one that is not full. Memory: --memory, half of it
 * for the soundings that are read, half of it for leftovers, which go to scratch files
 * beyond that. */
void grouper_slave(struct load *l);

#endif
