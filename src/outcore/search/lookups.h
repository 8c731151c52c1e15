/* Look-ups by the lanes of a rank, each with as many in flight as its file allows.
 * Latency is from the start of a look-up's first read to the end of its last one. */
#ifndef OUTCORE_SEARCH_LOOKUPS_H
#define OUTCORE_SEARCH_LOOKUPS_H

#include "base/stats.h"
#include "outcore/search/fetch.h"
#include "outcore/search/finding.h"
#include "run/lanes.h"
#include <stdatomic.h>

struct lookup { /* a look-up in flight */
    struct finding finding;
    int64_t number; /* of its key */
    int64_t start_ns;
    bool going_on; /* it has another page to read */
};

struct lookups_lane {
    struct io_req *req;
    struct lookup *slot;  /* as many, for each request */
    int64_t reads, bytes; /* that were to be read */
    int64_t longest_ns;
    int64_t hist[HIST_SIZE]; /* in nanoseconds */
};

struct lookups {
    struct run_file *of; /* for each lane */
    const struct sort_order *order;
    const struct pages *pages;
    const struct search_index *index; /* NULL: there is none */
    int64_t from, end;                /* range of pages */
    int lanes;                        /* lanes that look up; others do nothing */
    struct lookups_lane *lane;
    /* for a batch: */
    const char *keys; /* n keys, each at its place in a record */
    int64_t key_bytes, n;
    int64_t *answer; /* lookup_answer for each */
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

/* Local. Allocate and free the memory of `lanes` lanes. Returns 0, or -ENOMEM with
 * a sentence. */
int lookups_open(struct lookups *l, int lanes, int depth);
void lookups_close(struct lookups *l, int lanes);

/* Local, before the first batch. Resets the counts. */
void lookups_begin(struct lookups *l, int lanes);

/* Local. The body, for run_lanes; `lookups` is a struct lookups. Each lane takes keys
 * until there are none left. */
void lookups_run(struct run *r, void *lookups);

#endif
