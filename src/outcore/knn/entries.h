/* The answer of a pass by the vectors that are in it, as their numbers rise: what a
 * file has of each of them is read in one go. */
#ifndef OUTCORE_KNN_ENTRIES_H
#define OUTCORE_KNN_ENTRIES_H

#include "outcore/knn/scan.h"

struct entry {
    uint64_t id;
    int64_t query, place; /* in whose list, 0..; where in it */
};

/* Local. Those of the lists of queries from .. end - 1, into room for all of them.
 * Returns how many there are. */
int64_t entries_of(const struct scan *s, int64_t from, int64_t end, struct entry *to);

/* Local. A file of which pieces are read beside what is measured: by posix, and not
 * past the page cache. */
void entries_file(struct run_file *f, struct run *r, const char *path,
                  int64_t max_request);

enum { ENTRIES_BLOCK = 4096, ENTRIES_DEPTH = 2 };

#endif
