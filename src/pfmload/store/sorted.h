/* Sorts soundings, and packets of schemes E and F, by the external sorter, with one
 * lane, in a given memory. */
#ifndef PFMLOAD_STORE_SORTED_H
#define PFMLOAD_STORE_SORTED_H

#include "extsort/extsort.h"

#define SORTED_MEMORY_MIN 65536 /* bytes */

/* The run and queue by which scratch files are transferred and booked. */
struct sorted_io {
    struct run *run;
    struct io_queue *queue; /* shared by several files; NULL: each has its own */
};

/* Local. Opens a sorter of soundings into the order of a PFM (batch_before), with a
 * group for each bin. Soundings beyond the memory go to files whose paths begin with
 * `scratch`. Records may be added at once. Errors as in extsort_open. */
int sorted_soundings(struct extsort **s, int64_t memory_bytes, const char *scratch,
                     const struct sorted_io *io);

/* Local. Opens a sorter of packets of `packet_bytes`, a multiple of 8, whose first 8
 * bytes are the key, a number. */
int sorted_packets(struct extsort **s, int64_t packet_bytes, int64_t memory_bytes,
                   const char *scratch, const struct sorted_io *io);

#endif
