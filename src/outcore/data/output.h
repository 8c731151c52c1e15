/* What a program of outcore is asked to make: a file, or part files, under a temporary
 * name of the run until it is complete and checked; then renamed. Without a name it is
 * a file of --dir as any other, removed at the end unless --keep. */
#ifndef OUTCORE_DATA_OUTPUT_H
#define OUTCORE_DATA_OUTPUT_H

#include "run/run.h"

struct output {
    const char *path; /* --output; NULL: none; from output_plan on where a link leads */
    bool overwrite;   /* what is there is replaced */
    bool folder;      /* it is a folder, which its program makes (output_folder) */
    const char *role; /* in the name in --dir, and in the temporary one */
    int writers;      /* of this rank: its first lanes. UNIQUE: each has a part file,
                       * PATH.000000 and so on, in the order of ranks and lanes */
    struct run_file *of; /* of each lane; output_plan makes it */
    /* SHARED, past the page cache: the same of each lane, by way of it: for the ends of
     * what a lane writes, which share a block with another lane's. NULL: there is no
     * need. */
    struct run_file *edge;
};

/* The options, for `struct output o`. */
/* clang-format off */
#define OUTPUT_OPTIONS(o, helps) \
    {.kind = OPT_TEXT, .name = "output", .value = &(o).path, .arg = "FILE", \
     .help = helps}, \
    {.kind = OPT_FLAG, .name = "overwrite", .value = &(o).overwrite, .preset = "no", \
     .help = "overwrite --output if it exists"}
/* clang-format on */

/* Local, in `plan`. Where --dir was not said, it is the folder of --output. 0, or
 * -errno with a sentence: -EEXIST, -ENAMETOOLONG, -ENOMEM. */
int output_plan(struct run *r, struct output *o);

/* Local. 0, or -EINVAL with a sentence where the input (NULL: none), by whatever name,
 * is what the output would replace. */
int output_apart(const struct output *o, const char *input);

/* **Collective**, in a phase. Creates it, opened for requests of this kind by all lanes
 * that write; `bytes` of the whole (of UNIQUE 0: they grow). Returns r->failed. */
int output_open(struct run *r, struct output *o, int64_t bytes, int64_t max_request,
                int depth);

/* **Collective**, in a phase. Closes it; what was `written` is durable then, where the
 * policy flushes. Returns r->failed. */
int output_close(struct run *r, struct output *o, bool written);

/* **Collective**, in a phase, while it is closed: the same, to be read by the ranks and
 * lanes that have written it. */
int output_read(struct output *o);

/* *Collective**, at the end of a repetition. `done`: it is whole and right, and the
 * last one of the run: it gets its name. Else it is removed, but for --keep. Returns
 * the agreed verdict. */
int output_settle(struct run *r, struct output *o, bool done);

/* Local. Of one that is a folder, which its program makes and removes itself (writers
 * 1): the name that it has until it is complete. */
void output_folder(struct run *r, const struct output *o, char path[4096]);

/* **Collective.** Such a folder is complete: it gets its name, if any, and is nobody's
 * to remove. Returns the agreed verdict. */
int output_folder_done(struct run *r, const struct output *o);

/* Local, in `close`. */
void output_free(struct output *o);

#endif
