/* The common part of the workloads: options, the method by which files are stored,
 * phases with their verdict, checks of answers. */
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
             "collective-nocb: without the MPI library's collective buffering", \
     .text = "A short form of options below, which override it.", \
     .choice_text = {"one file, and each rank makes its transfers on its own " \
                     "(*--iomethod=MPI --filetype=SHARED*)", \
                     "one file, and every transfer is a collective one of MPI-IO " \
                     "(*--iomethod=MPI --filetype=SHARED --collective*)", \
                     "the same with hints that ask for neither collective buffering " \
                     "nor data sieving", \
                     "a dataset of parallel HDF5, with collective transfers " \
                     "(*--iomethod=HDF5 --filetype=SHARED --collective*)", \
                     "one file per rank, with its bytes back to back and without a " \
                     "header (*--iomethod=POSIX --filetype=UNIQUE*)", \
                     "a container, see *ldad*(1) (*--iomethod=POSIX " \
                     "--filetype=PARTITIONED --collective*)"}}, \
    RUN_OPTIONS_WITH((o).run, "SHARED", "no"), \
    {.kind = OPT_NOTE, .name = "collective", \
     .text = "With *PARTITIONED*, collective transfers wait for others only to read " \
             "bytes on another node."}
/* clang-format on */

enum { WORKLOAD_FILES = 4 };
typedef char workload_path[4096];

struct ldad_workload { /* r->context */
    struct workload_options *options;
    const char *const *role; /* names of its files: "input" */
    int files;
    /* Members that the functions below set: */
    struct run *run;
    workload_path path[WORKLOAD_FILES]; /* paths of the current repetition */
    struct ldad_plan plan;
    struct ldad_map map;
    MPI_Info info; /* for opening every file */
    struct timed timed;
};

/* The abilities of every workload, and the hooks that all of them share. */
/* clang-format off */
#define WORKLOAD_TAKES \
    (RUN_TAKES_UNIQUE | RUN_TAKES_SHARED | RUN_TAKES_PARTITIONED | RUN_TAKES_HDF5 | \
     RUN_TAKES_NULL | RUN_TAKES_COLLECTIVE | RUN_TAKES_VERIFY)
#define WORKLOAD_HOOKS \
    .takes = WORKLOAD_TAKES, .figures = workload_figures, .put_away = workload_put_away
/* clang-format on */

/* **Collective.** Does all of main, after replacing --io by what it stands for. */
int workload_main(const struct workload *w, int argc, char **argv);

/* Local. True if ranks wait for each other in every transfer, as MPI-IO's collective
 * calls do. */
bool workload_collective(const struct ldad_workload *w);

/* Local. Ends a workload's plan, once w->plan is made and `rc` known: checks it, and
 * fills in what follows from files of so many bytes. */
int workload_plan(struct ldad_workload *w, int rc, int64_t file_bytes,
                  struct run_need *n);

/* Local. Begins a workload's open. */
int workload_open(struct run *r);

/* The first stage: names the files of a repetition. */
int workload_begin(struct run *r, void *unused);

/* workload_figures reports bytes read by ranks that did not write them;
 * workload_put_away removes files; workload_close frees what open has made. */
void workload_figures(struct run *r);
int workload_put_away(struct run *r, int rc);
void workload_close(struct run *r);

/* Local. Returns the agreed verdict of one call of a workload; `failed`: it failed on
 * this rank. */
int workload_called(const struct ldad_workload *w, int failed);

/* Local. Bracket checks of the benchmark itself, which are not the workload's time. */
enum act workload_care_begin(struct ldad_workload *w);
void workload_care_end(struct ldad_workload *w, enum act before);

/* Local. Counts a checked block. If it is wrong, `why` is a clause that says so. */
void workload_checked(struct ldad_workload *w, int64_t offset, int64_t bytes,
                      const char *why);

/* ---- the workloads --------------------------------------------------------------- */

/* argv[0] is the workload's name, its options follow. Return the exit status. */
int workload_perf(int argc, char **argv);
int workload_mandelbrot(int argc, char **argv);
int workload_jacobi(int argc, char **argv);
int workload_fft(int argc, char **argv);

#endif
