/* Look-ups by the lanes of a rank, each with as many in flight as its file allows.
 * Latency is from the start of a look-up's first read to the end of its last one. */
#ifndef OUTCORE_SEARCH_LOOKUPS_H
#define OUTCORE_SEARCH_LOOKUPS_H

#include "base/draw.h"
#include "base/stats.h"
#include "outcore/data/records.h"
#include "outcore/search/index.h"
#include "run/lanes.h"
#include "run/run.h"
#include "sort/order.h"
#include <stdatomic.h>

/* ---- records fetched ------------------------------------------------------------- */

/* Reads scattered records of a file, a few consecutive ones at each place, on a lane,
 * with as many reads in flight as its file allows. */

enum { FETCH_IN_A_ROW = 2, FETCH_DEPTH_MOST = 1024 }; /* records; reads in flight */

struct fetch_records { /* n records from number `first` on */
    int64_t first, n;
};

struct fetched {
    const char *data; /* the bytes read, from `offset` of the file on */
    int64_t offset, bytes;
    const char *records; /* the records wanted, in `data` */
};

/* Ask for number i, once, and in order, which has the slot until it has come; and
 * take it. */
typedef struct fetch_records fetch_want(void *context, int64_t i, int slot);
typedef void fetch_have(void *context, const struct fetched *is, int64_t i, int slot);

struct fetch {
    const struct pages *pages;
    fetch_want *want;
    fetch_have *have;
    void *context;
    int64_t n;     /* 0 .. n - 1 */
    bool ordered;  /* they are taken in their order */
    bool untimed;  /* part of checks, not booked as transfers */
    int64_t bytes; /* after the run: to be moved by all reads */
};

/* Local. The bytes of a slot of r->buffer, one for each read in flight. */
int64_t fetch_slot_bytes(const struct pages *p);

/* Local, of a lane, with its file open. req: f->depth of them. A failure is kept. */
void fetch_run(struct fetch *f, struct run_file *file, struct io_req *req);

/* ---- look-ups -------------------------------------------------------------------- */

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

/* ---- keys ------------------------------------------------------------------------ */

/* The keys to be looked up: of records of the file, or new ones, which it is unlikely
 * to have. Look-up q is the same for any number of ranks and lanes. */

enum keys_kind {             /* kinds of rows that a seed makes */
                 KEYS_BYTES, /* random bytes; such a file is not made */
                 KEYS_RECORDS,
                 KEYS_VECTORS
};

struct keys {
    const struct sort_order *order;
    const struct pages *pages;
    enum keys_kind kind;
    bool read;         /* keys of the file are read from it; else they are rows that the
                        * seed makes, of which it was sorted */
    double hit_rate;   /* share of keys of the file, 0 .. 1 */
    double skew;       /* above 0: the k-th most frequent record is chosen in proportion
                        * to k^-skew */
    int64_t key_bytes; /* of a record, up to the end of its key */
    /* set by keys_prepare: */
    uint64_t fresh_key, searched_key;
    struct records records[2]; /* for the file's, for new ones */
    uint64_t vectors;
    struct zipf zipf;
};

struct keys_work {       /* keys of a rank */
    struct run_file *of; /* for each lane */
    const struct keys *keys;
    int64_t first, n;
    char *to;                  /* n keys */
    struct io_req *const *req; /* for each lane's reads */
};

/* Local. Prepares the keys, once the other members are set. */
void keys_prepare(struct keys *k, uint64_t seed);

/* Local. The body, for run_lanes; `work` is a struct keys_work. Makes the keys, or
 * reads them from the file, untimed. */
void keys_fill(struct run *r, void *work);

#endif
