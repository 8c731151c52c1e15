/* One look-up: chooses the pages to read until the key's place is known: the
 * first record that is not before it. It takes one page if the index leaves no
 * choice; a binary search over pages with equal words, or if there is no index.
 * No MPI, no files. */
#ifndef OUTCORE_SEARCH_FINDING_H
#define OUTCORE_SEARCH_FINDING_H

#include "outcore/search/index.h"
#include "sort/order.h"
#include <stdbool.h>

struct found {
    int64_t position; /* of the first record that is not before the key; n: all are
                       * before it */
    bool equal;       /* this record has the key */
};

/* All records before page `low` are before the key. The answer is in one of the pages
 * from there to `high`, or at the beginning of that; page `end` does not exist. */
struct finding {
    const void *key; /* a record with the key */
    int64_t low, high, end;
    int64_t page; /* to be read next */
    int64_t seen; /* the page in which `is` was found; -1: none yet */
    struct found is;
    int reads;
};

/* Local. Begins a look-up among the pages from .. end - 1, at least one, with their
 * index x; NULL: there is none. */
void finding_begin(struct finding *f, const struct sort_order *o,
                   const struct search_index *x, int64_t from, int64_t end,
                   const void *key);

enum finding_next {
    FINDING_READ,     /* read the page */
    FINDING_DONE,     /* the result is f->is */
    FINDING_UNSORTED, /* the page contradicts the index */
};

/* Local. Continues with the records of the page. */
enum finding_next finding_look(struct finding *f, const struct sort_order *o,
                               const struct pages *p, const void *records);

/* Local. The number of the n sorted records that are before the key. */
int64_t finding_before(const struct sort_order *o, const void *records, int64_t n,
                       const void *key);

#endif
