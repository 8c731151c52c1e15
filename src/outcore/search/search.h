/* The settings of outcore search, and the state of its repetitions. */
#ifndef OUTCORE_SEARCH_SEARCH_H
#define OUTCORE_SEARCH_SEARCH_H

#include "outcore/data/make.h"
#include "outcore/data/records.h"
#include "outcore/search/build.h"
#include "outcore/search/lookups.h"
#include "outcore/sort/sorting.h"

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
