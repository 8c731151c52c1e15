/* What the workloads share: options, the method that files are stored by, phases with
 * their verdict, the answers that are checked. */
#ifndef LDAD_MEASURE_WORKLOAD_H
#define LDAD_MEASURE_WORKLOAD_H

#include "algebra/descriptor.h"
#include "ldad/measure/timed.h"
#include "run/workload.h"

struct workload_options {
    struct run_options run;
    const char *io;
};

/* Entries of a workload's option table for `struct workload_options o`, last. */
/* clang-format off */
#define WORKLOAD_OPTIONS(o) \
    {.kind = OPT_TITLE, .help = "Method:"}, \
    {.kind = OPT_CHOICE, .name = "io", .value = &(o).io, .arg = "METHOD", \
     .choices = "independent|collective|collective-nocb|hdf5|unique|partitioned", \
     .help = "shorthand for --iomethod, --filetype and --collective; " \
             "collective-nocb: without the MPI library's collective buffering"}, \
    RUN_OPTIONS_WITH((o).run, "SHARED", "no")
/* clang-format on */

enum { WORKLOAD_FILES = 4 };
typedef char workload_path[4096];

struct ldad_workload { /* r->context */
    struct workload_options *options;
    const char *const *role; /* of its files: "input" */
    int files;
    /* made here */
    struct run *run;
    workload_path path[WORKLOAD_FILES]; /* of the present repetition */
    struct ldad_plan plan;
    struct ldad_map map;
    MPI_Info info; /* to open every file with */
    struct timed timed;
};

/* What every workload takes, and the hooks that are the same in all of them. */
/* clang-format off */
#define WORKLOAD_TAKES \
    (RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_PARTITIONED | RUN_TAKES_HDF5 | \
     RUN_TAKES_NULL | RUN_TAKES_COLLECTIVE | RUN_TAKES_VERIFY)
#define WORKLOAD_HOOKS \
    .takes = WORKLOAD_TAKES, .figures = workload_figures, .put_away = workload_put_away
/* clang-format on */

/* **Collective.** The whole of main, with what --io is short for in its place. */
int workload_main(const struct workload *w, int argc, char **argv);

/* Local. Whether ranks wait for each other in every transfer, as MPI-IO's collective
 * calls do. */
bool workload_collective(const struct ldad_workload *w);

/* Local. The end of a workload's plan, once w->plan is made and `rc` known: checks, and
 * fills in what follows from files of so many bytes. */
int workload_plan(struct ldad_workload *w, int rc, int64_t file_bytes,
                  struct run_need *n);

/* Local. Begins a workload's open. */
int workload_open(struct run *r);

/* The first stage: names the files of a repetition. */
int workload_begin(struct run *r, void *unused);

/* Figures of what was read by ranks that did not write it; files are removed; what open
 * made is. */
void workload_figures(struct run *r);
int workload_put_away(struct run *r, int rc);
void workload_close(struct run *r);

/* Local. The verdict of one call of a workload, which says with `failed` whether it
 * went wrong on this rank. */
int workload_called(const struct ldad_workload *w, int failed);

/* Local. The benchmark's own care, not the workload's time: between these. */
enum act workload_care_begin(struct ldad_workload *w);
void workload_care_end(struct ldad_workload *w, enum act before);

/* Local. A block was checked; where it is wrong, `why` says it in a clause. */
void workload_checked(struct ldad_workload *w, int64_t offset, int64_t bytes,
                      const char *why);

#endif
