/* Deals consecutive records to the sections of an external sorter, which all lanes fill
 * and sort: one section of each lane at a time. */
#ifndef OUTCORE_SORT_SECTIONS_H
#define OUTCORE_SORT_SECTIONS_H

#include "extsort/extsort.h"

struct sections {
    struct extsort *sorter;
    int64_t record; /* bytes of a record */
    int lanes;
    struct extsort_section *of; /* for each lane; in the order of their numbers: */
    int *order;                 /* of[order[0]] comes first */
    bool *taken;
    int64_t room, filled; /* records of all sections together */
    const char *from;     /* records to copy next, */
    int64_t n;            /* and their number */
};

/* Local. Returns -ENOMEM with a sentence. */
int sections_open(struct sections *s, struct extsort *sorter, int64_t record,
                  int lanes);
void sections_close(struct sections *s);

/* Local, on the rank's thread, in a phase. Call start before the first record of a
 * sort, add to copy the next n, and finish after the last one. */
void sections_start(struct run *r, struct sections *s);
void sections_add(struct run *r, struct sections *s, const void *from, int64_t n);
void sections_finish(struct run *r, struct sections *s);

#endif
