/* Look-ups by the lanes of a rank, each with as many under way as its file has room
 * for. Latency is from the start of a look-up's first read to the end of its last
 * one. */
#ifndef OUTCORE_SEARCH_LOOKUPS_H
#define OUTCORE_SEARCH_LOOKUPS_H

#include "base/hist.h"
#include "outcore/search/fetch.h"
#include "outcore/search/finding.h"
#include "run/lanes.h"
#include <stdatomic.h>

struct lookup { /* under way */
    struct finding finding;
    int64_t number; /* of its key */
    int64_t start_ns;
    bool going_on; /* there is another page to read */
};

struct lookups_lane {
    struct io_req *req;
    struct lookup *slot;  /* as many, of each request */
    int64_t reads, bytes; /* that were to be read */
    int64_t longest_ns;
    int64_t hist[HIST_SIZE]; /* of nanoseconds */
};

struct lookups {
    struct run_file *of; /* of each lane */
    const struct sort_order *order;
    const struct pages *pages;
    const struct search_index *index; /* NULL: there is none */
    int64_t from, end;                /* pages that are looked up in */
    int lanes;                        /* that do; others do nothing */
    struct lookups_lane *lane;
    /* Of a batch: */
    const char *keys; /* n of them, each at the place that it has in a record */
    int64_t key_bytes, n;
    int64_t *answer; /* lookup_answer of each */
    atomic_int_least64_t next;
};

/* Local. An answer as a number. */
static inline int64_t lookup_answer(struct found f)
{
    return 2 * f.position + f.equal;
}

static inline struct found lookup_found(int64_t answer)
{
    return (struct found){answer / 2, answer % 2};
}

/* Local. Memory of so many lanes, and its end. 0 or -ENOMEM with a sentence. */
int lookups_open(struct lookups *l, int lanes, int depth);
void lookups_close(struct lookups *l, int lanes);

/* Local. Before the first batch. */
void lookups_begin(struct lookups *l, int lanes);

/* Local. The body, for run_lanes; `lookups` is a struct lookups. Each lane takes the
 * next key until there are none. */
void lookups_run(struct run *r, void *lookups);

#endif
