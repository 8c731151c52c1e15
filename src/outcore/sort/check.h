/* Whether the output is the sorted input, outside of the times: each record is at or
 * above the one before it, there are as many, and the sums of their CRC-32 are the
 * same. The sum, and the number of keys that repeat the one before, are those of
 * valsort, the Sort Benchmark's program. */
#ifndef OUTCORE_SORT_CHECK_H
#define OUTCORE_SORT_CHECK_H

#include "outcore/sort/sorting.h"

/* Memory of a lane while it is done, but for records longer than some 100 KiB. */
#define CHECK_MEMORY (1 << 20)

struct check_answer {
    int64_t records;    /* of the output */
    int64_t duplicates; /* whose key is that of the record before */
    uint64_t sum;       /* of their CRC-32, modulo 2^64 */
};

/* **Collective**, after sorting_run. Phase `verify`, which is none of the work: reads
 * both files. Returns the agreed verdict: -EIO with a sentence where the answer is
 * wrong. */
int check_sorted(struct run *r, const struct sorting *s, struct check_answer *a);

#endif
