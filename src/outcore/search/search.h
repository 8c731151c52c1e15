/* The settings of outcore search, and the state of its repetitions. */
#ifndef OUTCORE_SEARCH_SEARCH_H
#define OUTCORE_SEARCH_SEARCH_H

#include "base/draw.h"
#include "base/stats.h"
#include "outcore/data/make.h"
#include "outcore/data/records.h"
#include "outcore/search/index.h"
#include "outcore/sort/sorting.h"
#include "run/lanes.h"
#include "run/run.h"
#include "sort/order.h"
#include <stdatomic.h>

/* ---- look-ups -------------------------------------------------------------------- */

/* Look-ups by the lanes of a rank, each with as many in flight as its file allows.
 * Latency is from the start of a look-up's first read to the end of its last one. */

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

/* ---- building -------------------------------------------------------------------- */

/* Builds the words of an index by reading the file on the lanes of all ranks, each a
 * part of its pages: the last record of each page, or every record. What is read is
 * checked to be sorted. */

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

enum { SEARCH_FIRST = 8 }; /* look-ups whose positions are reported */

struct search_settings {
    struct run_options run;
    const char *file, *input, *record, *keys, *index, *build, *split;
    const char *sweep_threads, *sweep_depth;
    int64_t records, lookups, block, depth, memory;
    double hit_rate, zipf;
};

enum search_build { SEARCH_AUTO, SEARCH_SCAN, SEARCH_STRIDED };

struct search_answers { /* over all ranks */
    int64_t found, sum, reads;
    int64_t first[SEARCH_FIRST]; /* positions */
};

struct search {
    struct search_settings *set;
    struct form form;
    struct form_numbers sweep; /* n 0: no sweep */
    bool sweeps_threads;
    bool indexed, split;
    enum search_build how;
    struct data_file sorted;
    /* if the file is made: */
    struct data_rows rows;
    struct records records; /* of `rows` */
    uint64_t vectors;
    struct data_file unsorted;
    struct output output;
    struct sorting sorting;
    /* of this rank: */
    struct pages pages;
    struct build build;
    struct search_index index;
    void *words; /* the index's memory */
    struct keys keys;
    struct lookups lookups;
    struct share share;
    int64_t first, n;    /* look-ups */
    char *key;           /* n keys */
    int64_t *answer;     /* n */
    struct io_req **req; /* for each lane */
    struct search_answers answers;
    bool answered; /* an earlier pass has set the answers */
};

/* Local. The largest depth of the look-ups' reads, over a sweep. */
int search_depth_most(const struct search *s);

/* Local. The largest request on the sorted file. */
int64_t search_request_bytes(const struct search *s);

/* **Collective.** The body of a repetition (struct stage); context: a struct search. */
int search_repetition(struct run *r, void *context);

#endif
