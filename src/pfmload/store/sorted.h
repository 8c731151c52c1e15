/* How soundings, and packets of schemes E and F, are put in order: by the external
 * sorter, with one lane, in a memory of a given size. */
#ifndef PFMLOAD_STORE_SORTED_H
#define PFMLOAD_STORE_SORTED_H

#include "extsort/extsort.h"

#define SORTED_MEMORY_MIN 65536 /* bytes */

/* By whom scratch files are read and written, and booked. */
struct sorted_io {
    struct run *run;
    struct io_queue *queue; /* of several files; NULL: each has its own */
};

/* Local. To sort soundings into the order of a PFM (batch_before), a group for each
 * bin. What is not in memory is in files whose paths begin with `scratch`. Records may
 * be added at once. Errors as those of extsort_open. */
int sorted_soundings(struct extsort **s, int64_t memory_bytes, const char *scratch,
                     const struct sorted_io *io);

/* Local. To sort packets of so many bytes, a multiple of 8, of which the first 8 are
 * the key, a number. */
int sorted_packets(struct extsort **s, int64_t packet_bytes, int64_t memory_bytes,
                   const char *scratch, const struct sorted_io *io);

#endif
