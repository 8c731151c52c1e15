/* Builds the words of an index by reading the file on the lanes of all ranks, each a
 * part of its pages: the last record of each page, or every record. What is read is
 * checked to be sorted. */
#ifndef OUTCORE_SEARCH_BUILD_H
#define OUTCORE_SEARCH_BUILD_H

#include "outcore/search/index.h"
#include "outcore/search/lookups.h"
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

/* ---- look-ups of all ranks ------------------------------------------------------- */

/* Look-ups of all ranks, each sent to the rank that has the index of its key's part of
 * the file, as in a distributed store; in rounds of a fixed size.
 *
 * Memory of a rank: a round's keys of its own and, at worst, of all ranks: some 64 Ki
 * keys, or 64 per rank if there are more than 1024. */

struct share_round { /* for each rank: number of keys to or from it, and their place */
    int *count, *at;
};

struct share {
    const struct build *build; /* its ranks' records determine the owners */
    int64_t key_bytes, batch;  /* keys that a rank sends in a round */
    MPI_Datatype key;
    char *out_keys, *in_keys;
    int64_t *out_answers, *in_answers;
    int64_t *number; /* number in the batch of the key at each place */
    struct share_round out, in;
    int *who, who_n; /* the ranks with pages */
};

/* Local. The bytes of memory for `ranks` ranks; 0 for one. */
int64_t share_bytes(int ranks, int64_t key_bytes);

/* Local. Open and close it. Returns 0, or -ENOMEM with a sentence. */
int share_open(struct share *s, const struct build *b, int ranks);
void share_close(struct share *s);

/* **Collective**, in a phase. Finds the answers to this rank's n keys. A failure
 * is kept. */
void share_look_up(struct run *r, struct share *s, struct lookups *l, const char *keys,
                   int64_t n, int64_t *answer);

#endif
