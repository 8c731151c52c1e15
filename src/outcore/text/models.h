/* Files that modules read as a whole when they start, in each rank, as each process of
 * the 2007 study did: the lexicon of module 2, the models of modules 3 and 4. */
#ifndef OUTCORE_TEXT_MODELS_H
#define OUTCORE_TEXT_MODELS_H

#include "outcore/data/folder.h"
#include "outcore/text/work.h"

enum { MODELS = 3 };

struct model_file {
    const char *path; /* as given; NULL: none */
    int64_t bytes;
};

struct models {
    struct model_file of[MODELS]; /* of modules 1, 2 and 3 (from 0) */
    struct data_folder folder;    /* of the generated ones */
    int64_t made_bytes;           /* size of each of two; 0: none are generated */
    struct text_out memory;
};

/* Local, in `plan`. Finds the sizes of the given files: 0, or -errno with
 * a sentence. */
int models_plan(struct models *m);

/* **Collective**, a phase of its own, which is not part of the work: generates models,
 * if asked. Returns the agreed verdict. */
int models_make(struct run *r, struct models *m);

/* Local, on the rank's thread, in a phase: reads that module's file into m->memory, if
 * it has one. Returns the number of bytes, and adds to *opened. */
int64_t models_read(struct run *r, struct models *m, int module, int64_t *opened);

/* **Collective.** Removes the generated files. Returns the agreed verdict. */
int models_remove(struct run *r, struct models *m);

#endif
