/* Checks, outside of the measurement, that the output is the sorted input: each record
 * is not below the previous one, their number is the same, and the sums of their CRC-32
 * are. The sum, and the number of keys equal to the previous one, are those of valsort,
 * the Sort Benchmark's program. */
#ifndef OUTCORE_SORT_CHECK_H
#define OUTCORE_SORT_CHECK_H

#include "outcore/sort/sorting.h"

/* Bytes of a lane's memory during the check, more for records longer than some
 * 100 KiB. */
#define CHECK_MEMORY (1 << 20)

struct check_answer {
    int64_t records;    /* of the output */
    int64_t duplicates; /* records with the previous one's key */
    uint64_t sum;       /* of their CRC-32, modulo 2^64 */
};

/* **Collective**, after sorting_run. Phase `verify`, which is not part of the work:
 * reads both files. Returns the agreed verdict: -EIO with a sentence if the output
 * is wrong. */
int check_sorted(struct run *r, const struct sorting *s, struct check_answer *a);

#endif
