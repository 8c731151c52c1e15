/* What the options of outcore search come to, and what its repetitions use. */
#ifndef OUTCORE_SEARCH_SEARCH_H
#define OUTCORE_SEARCH_SEARCH_H

#include "outcore/data/form.h"
#include "outcore/data/make.h"
#include "outcore/search/build.h"
#include "outcore/search/keys.h"
#include "outcore/search/lookups.h"
#include "outcore/search/share.h"
#include "outcore/sort/sorting.h"

enum { SEARCH_FIRST = 8 }; /* look-ups whose positions are in the report */

struct search_settings {
    struct run_options run;
    const char *file, *input, *record, *keys, *index, *build, *split;
    const char *sweep_threads, *sweep_depth;
    int64_t records, lookups, block, depth, memory;
    double hit_rate, zipf;
};

enum search_build { SEARCH_AUTO, SEARCH_SCAN, SEARCH_STRIDED };

struct search_answers { /* of all ranks */
    int64_t found, sum, reads;
    int64_t first[SEARCH_FIRST]; /* positions */
};

struct search {
    struct search_settings *set;
    struct form form;
    struct form_numbers sweep; /* n 0: none */
    bool sweeps_threads;
    bool indexed, split;
    enum search_build how;
    struct data_file sorted;
    /* Where it is made: */
    struct data_rows rows;
    struct records records; /* of rows */
    uint64_t vectors;
    struct data_file unsorted;
    struct output output;
    struct sorting sorting;
    /* Of this rank: */
    struct pages pages;
    struct build build;
    struct search_index index;
    void *words; /* its memory */
    struct keys keys;
    struct lookups lookups;
    struct share share;
    int64_t first, n;    /* look-ups */
    char *key;           /* n keys */
    int64_t *answer;     /* n */
    struct io_req **req; /* of each lane */
    struct search_answers answers;
    bool answered; /* the answers are those of an earlier pass */
};

/* Local. The deepest and the widest that look-ups go. */
int search_depth_most(const struct search *s);

/* Local. The requests of the sorted file, at most. */
int64_t search_request_bytes(const struct search *s);

/* **Collective.** The body of a repetition (struct stage); context: a struct search. */
int search_repetition(struct run *r, void *context);

#endif
