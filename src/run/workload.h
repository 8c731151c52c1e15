/* A program is a table: its name, its options, the common features that it takes,
 * its needs, its stages and its figures. run_main does the rest (src/block is the
 * worked example). */
#ifndef RUN_WORKLOAD_H
#define RUN_WORKLOAD_H

#include "run/run.h"

/* A step of a repetition. Bodies return 0, or -errno with a sentence, for this rank
 * alone; run_main has the ranks agree when all have returned. A failure in r->failed
 * need not be returned. */
struct stage {
    const char *phase; /* run_main begins and ends this phase around it; NULL: it has no
                        * phase, or begins and ends its own */
    int (*body)(struct run *r, void *context);
    void *context;
    int flags;  /* enum io_flags with which r->file is opened around it, for reading by
                 * the rank that --rank-shift says; 0: it is not opened */
    bool aside; /* wall_s, read_MBps and write_MBps of all phases leave it out, for
                 * example a check of the others */
};

struct workload {
    const char *name, *line, *about; /* as in struct opt_program */
    struct opt *table;               /* with RUN_OPTIONS(*run) */
    int options;
    struct run_options *run;
    unsigned takes; /* enum run_takes */
    bool meets;     /* all ranks work in one directory, whatever FILETYPE is */
    bool own_calls; /* it makes its own system calls: there is no choice of engines */
    const char *mat_is; /* as in struct stamp; NULL: a block */
    void *context;      /* r->context for all functions below; NULL: none */

    /* Local or collective; ranks agree on its verdict afterwards. Called when options
     * are parsed and MPI runs: checks the options, and states the needs in *n, which is
     * zeroed before. With --dry-run nothing else is called. */
    int (*plan)(struct run *r, struct run_need *n);
    /* **Collective.** Prints the needs on rank 0, for --dry-run. NULL: run_dry does. */
    void (*plan_print)(const struct run *r, const struct run_need *n);
    /* Once the report is open, before the first repetition: allocates memory and
     * whatever all repetitions use. Verdict as with plan. NULL: nothing. */
    int (*open)(struct run *r);
    /* Run in their order in each repetition; a row without body ends them. */
    const struct stage *stages;
    /* **Collective.** After the last stage: adds the program's own figures.
     * NULL: none. */
    void (*figures)(struct run *r);
    /* **Collective.** At the end of a repetition, even of a failed one: removes
     * or keeps files other than that of need.role. Returns the agreed verdict.
     * NULL: nothing. */
    int (*put_away)(struct run *r, int rc);
    /* **Collective.** After the last repetition, even a failed one, if
     * `open` succeeded: adds results, and prints. Returns the agreed
     * verdict. NULL: nothing. */
    int (*results)(struct run *r, int rc);
    /* Local. Frees what plan and open have made, even if they failed halfway.
     * NULL: nothing. */
    void (*close)(struct run *r);
};

/* The number of entries of a table. */
#define WORKLOAD_COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* **Collective.** Open and close the files of need.role, of all lanes, as run_main does
 * around a stage with flags; for bodies of stages without. Each returns r->failed. */
int run_files_open(struct run *r, int flags);
int run_files_close(struct run *r, bool written);

/* Local. The engines that the program cannot use, by its `takes`: enum
 * io_engine_kind. */
int run_without(const struct workload *w);

/* Runs the whole program. Returns the exit status. */
int run_main(const struct workload *w, int argc, char **argv);

#endif
