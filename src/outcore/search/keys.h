/* The keys to be looked up: of records of the file, or new ones, which it is unlikely
 * to have. Look-up q is the same for any number of ranks and lanes. */
#ifndef OUTCORE_SEARCH_KEYS_H
#define OUTCORE_SEARCH_KEYS_H

#include "base/draw.h"
#include "outcore/data/records.h"
#include "outcore/search/index.h"
#include "run/lanes.h"
#include "sort/order.h"

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
