/* One look-up: which page to read next, until it is known where the key is: the first
 * record that is not before it. One page, where the index leaves no choice; a binary
 * search over the pages where their words are equal, or where there is no index. No
 * MPI, no files. */
#ifndef OUTCORE_SEARCH_FINDING_H
#define OUTCORE_SEARCH_FINDING_H

#include "outcore/search/index.h"
#include "sort/order.h"
#include <stdbool.h>

struct found {
    int64_t
        position; /* of the first record that is not before the key; all of them: n */
    bool equal;   /* it has the key */
};

/* All before page `low` is before the key. The answer is in one of the pages from there
 * to `high`, or is where that begins: page `end` is none. */
struct finding {
    const void *key; /* a record with it */
    int64_t low, high, end;
    int64_t page; /* to be read next */
    int64_t seen; /* the page that `is` was found in; -1: none yet */
    struct found is;
    int reads;
};

/* Local. Among the pages from .. end - 1, of which there is one, and which x is the
 * index of; NULL: there is none. */
void finding_begin(struct finding *f, const struct sort_order *o,
                   const struct search_index *x, int64_t from, int64_t end,
                   const void *key);

enum finding_next {
    FINDING_READ,     /* the page is to be read */
    FINDING_DONE,     /* f->is */
    FINDING_UNSORTED, /* the page is not what the index says */
};

/* Local. With the records of the page. */
enum finding_next finding_look(struct finding *f, const struct sort_order *o,
                               const struct pages *p, const void *records);

/* Local. How many of n sorted records are before the key. */
int64_t finding_before(const struct sort_order *o, const void *records, int64_t n,
                       const void *key);

#endif
