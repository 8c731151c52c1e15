/* The entries of a pass's answer in the order of their vectors' numbers, so that their
 * data is read in one pass over a file. */
#ifndef OUTCORE_KNN_ENTRIES_H
#define OUTCORE_KNN_ENTRIES_H

#include "outcore/knn/scan.h"

struct entry {
    uint64_t id;
    int64_t query, place; /* number of the query, from 0; index in its list */
};

/* Local. Collects the entries of the lists of queries from .. end - 1, into room for
 * all of them. Returns their number. */
int64_t entries_of(const struct scan *s, int64_t from, int64_t end, struct entry *to);

/* Local. Opens a file for reading pieces outside of the measurement: by posix, through
 * the page cache. */
void entries_file(struct run_file *f, struct run *r, const char *path,
                  int64_t max_request);

enum { ENTRIES_BLOCK = 4096, ENTRIES_DEPTH = 2 };

#endif
