/* Verifies answers by the records themselves: the one at the position must not be
 * before the key, and the one before it must be. */
#ifndef OUTCORE_SEARCH_VERIFY_H
#define OUTCORE_SEARCH_VERIFY_H

#include "outcore/search/index.h"
#include "run/lanes.h"
#include "sort/order.h"

struct verify {          /* answers of a rank */
    struct run_file *of; /* for each lane */
    const struct sort_order *order;
    const struct pages *pages;
    const char *keys;
    int64_t first; /* number of the first of n look-ups, for the user */
    int64_t n, key_bytes;
    const int64_t *answer;     /* lookup_answer */
    struct io_req *const *req; /* for each lane's reads */
};

/* Local. The body, for run_lanes; `verify` is a struct verify. Reads untimed; a wrong
 * answer is a failure, and counts as bad. */
void verify_answers(struct run *r, void *verify);

#endif
