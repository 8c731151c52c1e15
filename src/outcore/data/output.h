/* The output of a program of outcore: a file, or part files, under a temporary name of
 * the run until it is complete and checked; then renamed. Without a name it is an
 * ordinary file in --dir, removed at the end unless --keep. */
#ifndef OUTCORE_DATA_OUTPUT_H
#define OUTCORE_DATA_OUTPUT_H

#include "run/run.h"

struct output {
    const char *path; /* --output; NULL: none; after output_plan, the target of
                       * a link */
    bool overwrite;   /* replace an existing output */
    bool folder;      /* a directory, which its program makes (output_folder) */
    const char *role; /* part of the name in --dir, and of the temporary one */
    int writers;      /* writers of this rank: its first lanes. UNIQUE: each has a part
                       * file, PATH.000000 and so on, in the order of ranks and lanes */
    struct run_file *of; /* for each lane; output_plan makes it */
    /* SHARED with direct I/O: the same file through the page cache, for each lane,
     * for the ends of a lane's range, which share a block with another lane's. NULL:
     * not needed. */
    struct run_file *edge;
};

/* The options, for `struct output o`. */
/* clang-format off */
#define OUTPUT_OPTIONS(o, helps) \
    {.kind = OPT_TEXT, .name = "output", .value = &(o).path, .arg = "FILE", \
     .help = helps}, \
    {.kind = OPT_FLAG, .name = "overwrite", .value = &(o).overwrite, .preset = "no", \
     .help = "overwrite --output if it exists", \
     .text = "Overwrite an existing --output, which is refused otherwise, as devices " \
             "and pipes always are. A symbolic link is followed."}
/* clang-format on */

/* Local, in `plan`. Plans the output; --dir defaults to its directory. Returns 0, or
 * -errno with a sentence: -EEXIST, -ENAMETOOLONG, -ENOMEM. */
int output_plan(struct run *r, struct output *o);

/* Local. Returns 0, or -EINVAL with a sentence if the output would replace the input
 * (NULL: none), by whatever name. */
int output_apart(const struct output *o, const char *input);

/* **Collective**, in a phase. Creates the output, and opens it for such requests on all
 * lanes that write; `bytes` of the whole (UNIQUE: 0, they grow). Returns r->failed. */
int output_open(struct run *r, struct output *o, int64_t bytes, int64_t max_request,
                int depth);

/* **Collective**, in a phase. Closes it; if `written` and the policy flushes, it is
 * durable then. Returns r->failed. */
int output_close(struct run *r, struct output *o, bool written);

/* **Collective**, in a phase, while it is closed. Opens it for reading by the ranks and
 * lanes that have written it. */
int output_read(struct output *o);

/* **Collective**, at the end of a repetition. If `done`, the output is complete and
 * right, and the last one of the run: gives it its name. Else removes it, unless
 * --keep. Returns the agreed verdict. */
int output_settle(struct run *r, struct output *o, bool done);

/* Local. The temporary name of an output that is a directory, which its program makes
 * and removes itself (writers 1). */
void output_folder(struct run *r, const struct output *o, char path[4096]);

/* **Collective.** Gives such a directory, which is complete, its name, if it has one,
 * and forgets it. Returns the agreed verdict. */
int output_folder_done(struct run *r, const struct output *o);

/* Local, in `close`. Frees the memory. */
void output_free(struct output *o);

#endif
