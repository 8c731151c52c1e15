/* Files that modules read as a whole when they start, in each rank, as each process of
 * the 2007 study did: the lexicon of module 2, the models of modules 3 and 4. */
#ifndef OUTCORE_TEXT_MODELS_H
#define OUTCORE_TEXT_MODELS_H

#include "outcore/data/folder.h"
#include "outcore/text/work.h"

enum { MODELS = 3 };

struct model_file {
    const char *path; /* as it was given; NULL: none */
    int64_t bytes;
};

struct models {
    struct model_file of[MODELS]; /* of modules 1, 2 and 3 (from 0) */
    struct data_folder folder;    /* of those that are made */
    int64_t made_bytes;           /* of each of two; 0: none are made */
    struct text_out memory;
};

/* Local, in `plan`. Looks at those that are given: 0, or -errno with a sentence. */
int models_plan(struct models *m);

/* **Collective**, a phase of its own, none of the work: makes those that are to be
 * made. Returns the agreed verdict. */
int models_make(struct run *r, struct models *m);

/* Local, on the rank's thread, in a phase: reads the file of that module, if it has
 * one. Returns how many bytes, and adds to *opened; they are in m->memory. */
int64_t models_read(struct run *r, struct models *m, int module, int64_t *opened);

/* **Collective.** Removes what was made. Returns the agreed verdict. */
int models_remove(struct run *r, struct models *m);

#endif
