/* A module's work on a file in memory: the real one, generated sections of the same
 * length, or work that takes as long as Java took in 2007. No MPI, no files. */
#ifndef OUTCORE_TEXT_WORK_H
#define OUTCORE_TEXT_WORK_H

#include "base/err.h"
#include "outcore/data/folder.h"
#include "outcore/text/module.h"
#include "outcore/text/modules/job.h"
#include <stdlib.h>

/* ---- arrays that grow ------------------------------------------------------------ */

/* Local. Makes room for `more` bytes behind the present ones. 0, or -ENOMEM with
 * a sentence. */
static inline int grow_room(struct text_out *g, int64_t more)
{
    int rc = text_out_fit(g, more);
    return rc ? err_set(rc, NULL, -1, "no memory for a file of %lld bytes",
                        (long long)(g->bytes + more))
              : 0;
}

static inline void grow_free(struct text_out *g)
{
    free(g->at);
    *g = (struct text_out){.at = NULL};
}

/* ---- work ------------------------------------------------------------------------ */

enum { TEXT_STEPS = 8 };

enum text_cost { TEXT_COST_REAL, TEXT_COST_NONE, TEXT_COST_JAVA };

struct text_work {
    enum text_cost cost;
    double java_s; /* processor seconds of all modules together, for 9.84 MB */
    struct text_tools *tools[TEXT_STEPS]; /* of each module; real only */
};

/* Local, any thread, with a room of its own. Runs module m (0 ..) on the file with that
 * label, and replaces the contents of `out` by what the module adds. `in` is the input
 * for module 0, and the output so far for the others; in_bytes is the size of the
 * input. 0, or -errno with a sentence (-EBADMSG: malformed input). */
int text_step(const struct text_work *w, struct text_room *room, int m,
              const char *label, const struct text_out *in, int64_t in_bytes,
              struct text_out *out);

/* Local, any thread. Takes the processor time that module m took for so many bytes. */
void text_linger(const struct text_work *w, int m, int64_t in_bytes);

/* ---- models ---------------------------------------------------------------------- */

/* Files that modules read as a whole when they start, in each rank, as each process of
 * the 2007 study did: the lexicon of module 2, the models of modules 3 and 4. */

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
