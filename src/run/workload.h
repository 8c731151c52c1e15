/* A program is a table: what it is called, which options it has, what it takes of those
 * that all have, what it needs, its stages and its figures. run_main does the rest
 * (src/block is the worked example). */
#ifndef RUN_WORKLOAD_H
#define RUN_WORKLOAD_H

#include "run/run.h"

/* A step of a repetition. Bodies return 0 or -errno with a sentence, of this rank
 * alone; run_main has the ranks agree when all have returned. What one finds in
 * r->failed needs no return. */
struct stage {
    const char *phase; /* that run_main begins and ends around it; NULL: it is in none,
                        * or begins and ends its own */
    int (*body)(struct run *r, void *context);
    void *context;
    int flags;  /* enum io_flags: r->file is opened so around it, to read by the rank
                 * that --rank-shift says; 0: it is not */
    bool aside; /* it is none of the work, as what checks the others: wall_s, read_MBps
                 * and write_MBps of all phases leave it out */
};

struct workload {
    const char *name, *line, *about; /* as in struct opt_program */
    struct opt *table;               /* with RUN_OPTIONS(*run) */
    int options;
    struct run_options *run;
    unsigned takes; /* enum run_takes */
    bool own_calls; /* it calls the file system itself: there is no choice of engines */
    void *context;  /* what r->context is in all that follow; NULL: nothing */

    /* Local or collective, its verdict is agreed on afterwards. With everything parsed
     * and MPI running, checks what the program was asked for, and says what it needs:
     * with --dry-run that is all there is. *n is all zeros before. */
    int (*plan)(struct run *r, struct run_need *n);
    /* **Collective**, on rank 0 prints it: what --dry-run says. NULL: run_dry does. */
    void (*plan_print)(const struct run *r, const struct run_need *n);
    /* Once the report is open, before the first repetition: memory and what else all of
     * them use. Verdict as with plan. NULL: nothing. */
    int (*open)(struct run *r);
    /* In their order, in each repetition; a row without body ends them. */
    const struct stage *stages;
    /* **Collective.** After the last stage: figures of its own. NULL: none. */
    void (*figures)(struct run *r);
    /* **Collective.** At the end of a repetition, also of one that has failed: what it
     * leaves, or removes, beside the file of need.role. Returns the agreed verdict.
     * NULL: nothing. */
    int (*put_away)(struct run *r, int rc);
    /* **Collective.** After the last repetition, also one that has failed, and where
     * `open` has: results, and what is printed. Returns the agreed verdict. NULL:
     * nothing. */
    int (*results)(struct run *r, int rc);
    /* Local. Frees what plan and open have made, also half. NULL: nothing. */
    void (*close)(struct run *r);
};

/* The number of entries of a table. */
#define WORKLOAD_COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* **Collective.** The files of need.role, of all lanes: what is done around a stage
 * with flags, for bodies of stages without. Each returns r->failed. */
int run_files_open(struct run *r, int flags);
int run_files_close(struct run *r, bool written);

/* Local. Engines that it cannot use, as its `takes` says: enum io_engine_kind. */
int run_without(const struct workload *w);

/* The whole of main. Returns the exit status. */
int run_main(const struct workload *w, int argc, char **argv);

#endif
