/* Builds the words of an index by reading the file on the lanes of all ranks, each a
 * part of its pages: the last record of each page, or every record. What is read is
 * checked to be sorted. */
#ifndef OUTCORE_SEARCH_BUILD_H
#define OUTCORE_SEARCH_BUILD_H

#include "outcore/search/index.h"
#include "run/lanes.h"
#include "sort/order.h"

enum { BUILD_SCAN_SLOTS = 4, BUILD_SCAN_BYTES = 1 << 20 };

struct build_edge { /* first or last record that a lane has seen */
    int64_t number; /* -1: none yet */
    char *record;   /* up to the end of its key */
};

struct build_lane {
    struct build_edge first, last;
    struct io_req *req; /* as many as may be in flight */
    int64_t reads;      /* of single records */
    int64_t bytes;      /* that were to be read */
};

struct build {
    struct run_file *of; /* for each lane */
    const struct sort_order *order;
    const struct pages *pages;
    int64_t from, end; /* pages of this rank */
    uint64_t *word;    /* of page `from` */
    bool scan;
    int64_t most; /* pages of a lane after which the test ends; others are left out */
    struct build_lane *lane;
    char *ranks; /* for each rank, its first and its last record */
};

/* Local. The bytes of each lane's r->buffer that reading takes. */
int64_t build_buffer_bytes(const struct pages *p, int depth);

/* Local. The bytes of a record that are kept, so that its key can be compared. */
int64_t build_key_bytes(const struct sort_order *o);

/* Local. Allocate and free the memory of lanes, and of a row for each rank. Returns 0,
 * or -ENOMEM with a sentence. */
int build_open(struct build *b, int ranks, int lanes, int depth);
void build_close(struct build *b, int lanes);

/* Local. The body, for run_lanes; `build` is a struct build. */
void build_words(struct run *r, void *build);

/* **Collective**, after it, with all pages read: checks that records of different lanes
 * and ranks are in order, too. A failure is this rank's. */
void build_join(struct run *r, const struct build *b);

/* Local, after that. The last record of the pages of a rank. */
struct build_edge build_last_of(const struct build *b, int rank);

#endif
