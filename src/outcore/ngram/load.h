/* The model's file, which rank 0 reads for all, and its tables, which the ranks of a
 * node share. */
#ifndef OUTCORE_NGRAM_LOAD_H
#define OUTCORE_NGRAM_LOAD_H

#include "outcore/ngram/classifier.h"
#include "run/run.h"

/* **Collective**, in `plan`. Rank 0 reads the file, and sends its model to all. Returns
 * the agreed verdict; languages_free must be called in any case. */
int load_model(const struct run *r, const char *path, struct languages *m);

struct load_tables { /* all zeros: none */
    MPI_Comm node;
    MPI_Win window; /* if ranks share them; else each rank has its own */
    void *memory;
    bool open;
};

/* **Collective**, between phases. Makes the classifier of that model, in memory that a
 * node has once. Returns the agreed verdict. */
int load_tables_open(struct run *r, struct load_tables *t, const struct languages *m,
                     const struct classifier_how *how, struct classifier *c);

/* **Collective.** Frees the tables. */
void load_tables_close(struct load_tables *t);

#endif
