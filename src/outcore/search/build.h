/* The words of an index, read from the file by the lanes of all ranks, each of a part
 * of its pages: the last record of each page, or every record. What is read is seen to
 * be sorted. */
#ifndef OUTCORE_SEARCH_BUILD_H
#define OUTCORE_SEARCH_BUILD_H

#include "outcore/search/index.h"
#include "run/lanes.h"
#include "sort/order.h"

enum { BUILD_SCAN_SLOTS = 4, BUILD_SCAN_BYTES = 1 << 20 };

struct build_edge { /* a record that a lane has seen first, or last */
    int64_t number; /* -1: none yet */
    char *record;   /* up to the end of its key */
};

struct build_lane {
    struct build_edge first, last;
    struct io_req *req; /* of as many as there may be under way */
    int64_t reads;      /* of single records */
    int64_t bytes;      /* that were to be read */
};

struct build {
    struct run_file *of; /* of each lane */
    const struct sort_order *order;
    const struct pages *pages;
    int64_t from, end; /* pages of this rank */
    uint64_t *word;    /* of page `from` */
    bool scan;
    int64_t most; /* pages of a lane, the others are left out: to try it */
    struct build_lane *lane;
    char *ranks; /* of each rank, its first and its last record */
};

/* Local. Bytes of r->buffer of each lane that reading takes. */
int64_t build_buffer_bytes(const struct pages *p, int depth);

/* Local. How much of a record is kept, so that its key can be compared. */
int64_t build_key_bytes(const struct sort_order *o);

/* Local. Memory of lanes, and of a row for each rank, and its end. 0 or -ENOMEM with a
 * sentence. */
int build_open(struct build *b, int ranks, int lanes, int depth);
void build_close(struct build *b, int lanes);

/* Local. The body, for run_lanes; `build` is a struct build. */
void build_words(struct run *r, void *build);

/* **Collective**, after it, with all pages read: records of different lanes and ranks
 * are seen to be in order, too. A failure is this rank's. */
void build_join(struct run *r, const struct build *b);

/* Local, after that. The last record of the pages of a rank. */
struct build_edge build_last_of(const struct build *b, int rank);

#endif
