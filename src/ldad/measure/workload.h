/* What the workloads share: options, the method that files are stored by, phases with
 * their verdict, the answers that are checked. */
#ifndef LDAD_MEASURE_WORKLOAD_H
#define LDAD_MEASURE_WORKLOAD_H

#include "algebra/descriptor.h"
#include "ldad/measure/timed.h"
#include "run/run.h"

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
     .help = "short for the right ones of --iomethod, --filetype and --collective; " \
             "collective-nocb is without the MPI library's collective buffering"}, \
    RUN_OPTIONS_WITH((o).run, "SHARED", "no")
/* clang-format on */

struct workload {
    struct run run;
    struct workload_options *options;
    struct ldad_plan plan;
    struct ldad_map map;
    MPI_Info info; /* to open every file with */
    struct timed timed;
    int argc; /* with what --io is short for in its place */
    char **argv;
};

struct workload_need {
    int64_t memory_bytes; /* of a rank */
    int64_t files, file_bytes;
    int64_t write_bytes, read_bytes; /* of all ranks, in a repetition */
    const char *layout;              /* "cyclic", "slabs" */
};

/* Local. Whether ranks wait for each other in every transfer, as MPI-IO's collective
 * calls do. */
bool workload_collective(const struct workload *w);

/* **Collective** on all processes. As run_start: false where the program ends here,
 * with *status. */
bool workload_start(struct workload *w, const struct opt_program *p,
                    struct workload_options *o, int argc, char **argv, int *status);

/* **Collective.** Before the first phase, once w->plan is made and `rc` known: agrees,
 * checks what the run needs, opens the report. With --dry-run prints it: *done is set
 * then. Returns the agreed verdict. */
int workload_ready(struct workload *w, int rc, const struct workload_need *need,
                   bool *done);

/* **Collective.** Ends MPI and all. Returns the exit status. */
int workload_finish(struct workload *w, int rc);

/* **Collective.** A phase around one call of a workload, which says with `failed`
 * whether it went wrong on this rank. Returns the agreed verdict. */
void workload_phase_begin(struct workload *w, const char *name);
int workload_phase_end(struct workload *w, int failed);

enum { WORKLOAD_FILES = 4 };
typedef char workload_path[4096];

/* **Collective.** All phases of a repetition; returns the agreed verdict. */
typedef int workload_phases(const void *program, workload_path *path);

/* **Collective.** All repetitions: names n files by their `role` ("input"), runs the
 * phases, removes the files, adds the figures, among them what was read by ranks that
 * did not write it. Returns the agreed verdict. */
int workload_repeat(struct workload *w, int n, const char *const *role,
                    workload_phases *phases, const void *program);

/* Local. The benchmark's own care, not the workload's time: between these. */
enum act workload_care_begin(struct workload *w);
void workload_care_end(struct workload *w, enum act before);

/* Local. A block was checked; where it is wrong, `why` says it in a clause. */
void workload_checked(struct workload *w, int64_t offset, int64_t bytes,
                      const char *why);

#endif
