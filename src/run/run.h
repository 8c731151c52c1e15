/* What every benchmark program does around its own work: options that mean the same
 * everywhere, start and end, files by FILETYPE, timed and verified transfers, the
 * cache policy, one report. The only library in which io, layout and report meet; a
 * program states its workload and nothing else (src/block is the worked example).
 *
 * Errors are sticky: after a transfer has failed on a rank, that rank's further
 * transfers return at once (collective ones still take part, as the others wait for
 * them), and run_phase_end gives every rank the same verdict. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/opt.h"
#include "base/progress.h"
#include "base/stamp.h"
#include "io/io.h"
#include "layout/layout.h"
#include "report/report.h"
#include "world/world.h"

#define RUN_HINTS_MAX OPT_LIST_MAX
#define RUN_BUFFERS_MAX 8

struct run_options {
    const char *iomethod, *iomode, *filetype, *cache, *dir;
    const char *node_dirs;
    const char *stripe; /* NULL: not asked for, or no such option */
    const char *json, *csv, *label, *series;
    const char *verify_how; /* yes, no or pass */
    bool collective, verify, keep, dry_run, quiet, per_rank;
    struct opt_list hints;
    int64_t repeat, seed, ranks, rank_shift;
    int64_t threads; /* lanes of each rank; 0: it has no such option */
    double io_timeout;
    double time_s; /* a limit of each phase; 0: it has none, or no such option */
    double live_s; /* between lines of rank 0's transfers; 0: none */
    const char *live_csv;
};

/* What a program can do, of what options ask for (struct workload: takes). It shows and
 * parses no option, and no choice of one, that needs a bit which it has not. */
enum run_takes {
    RUN_TAKES_UNIQUE = 1,      /* FILETYPE */
    RUN_TAKES_SHARED = 2,      /* likewise */
    RUN_TAKES_PARTITIONED = 4, /* likewise */
    RUN_TAKES_ASYNC = 8,       /* IOMODE */
    RUN_TAKES_NONE = 16,       /* IOMODE: all but the I/O */
    RUN_TAKES_DIRECT = 32,     /* transfers can be whole blocks of a device */
    RUN_TAKES_HDF5 = 64,       /* its files may be HDF5's */
    RUN_TAKES_NULL = 128,      /* it runs where nothing is stored */
    RUN_TAKES_COLLECTIVE = 256,
    RUN_TAKES_SHIFT = 512,      /* --rank-shift: its blocks have a writer */
    RUN_TAKES_LANES = 1024,     /* --threads */
    RUN_TAKES_VERIFY = 2048,    /* what it reads can be checked */
    RUN_TAKES_PASS = 4096,      /* instead of that: also in a pass of its own */
    RUN_TAKES_AUTO = 8192,      /* --cache=auto: its plan calls run_settle_cache */
    RUN_TAKES_ENGINE = 16384,   /* an engine; all do but with workload.own_calls */
    RUN_TAKES_RECORDED = 32768, /* FILETYPE: what another program had */
    RUN_TAKES_ALL = 4095
};

/* The entries of a program's option table for `struct run_options o`; as presets of
 * --filetype, --keep and --cache, what is right for benchmarks. */
#define RUN_OPTIONS(o) RUN_OPTIONS_WITH(o, "UNIQUE", "no")
#define RUN_OPTIONS_WITH(o, filetype_preset, keep_preset)                              \
    RUN_OPTIONS_CACHED(o, filetype_preset, keep_preset, "flush")
/* clang-format off */
#define RUN_OPTIONS_CACHED(o, filetype_preset, keep_preset, cache_preset) \
    {.kind = OPT_TITLE, .help = "I/O:"}, \
    {.kind = OPT_TEXT, .name = "dir", .value = &(o).dir, .preset = ".", .arg = "DIR", \
     .help = "directory in which files are created"}, \
    {.kind = OPT_TEXT, .name = "iomethod", .env = "IOMETHOD", .value = &(o).iomethod, \
     .preset = "POSIX", .arg = "METHOD", .needs = RUN_TAKES_ENGINE, \
     .help = ""}, /* run_main fills it in: the engines that were built */ \
    {.kind = OPT_CHOICE, .name = "filetype", .env = "FILETYPE", \
     .value = &(o).filetype, .preset = filetype_preset, .arg = "TYPE", \
     .choices = "UNIQUE|SHARED|PARTITIONED|RECORDED", \
     .choice_needs = {RUN_TAKES_UNIQUE, RUN_TAKES_SHARED, RUN_TAKES_PARTITIONED, \
                      RUN_TAKES_RECORDED}, \
     .choice_help = {"UNIQUE: one file per rank", "SHARED: one file for all ranks", \
                     "PARTITIONED: one logical file, stored as one file per rank " \
                     "plus a header", \
                     "RECORDED: as the program had them"}}, \
    {.kind = OPT_CHOICE, .name = "iomode", .env = "IOMODE", .value = &(o).iomode, \
     .preset = "SYNC", .arg = "MODE", .choices = "SYNC|ASYNC|NONE", \
     .choice_needs = {0, RUN_TAKES_ASYNC, RUN_TAKES_NONE}, \
     .choice_help = {NULL, \
                     "ASYNC: transfers go on while the program computes", \
                     "NONE: does everything except I/O"}}, \
    {.kind = OPT_CHOICE, .name = "cache", .value = &(o).cache, .preset = cache_preset, \
     .arg = "POLICY", .choices = "flush|keep|direct|auto", \
     .choice_needs = {0, 0, RUN_TAKES_DIRECT, RUN_TAKES_AUTO}, \
     .choice_help = {"flush: write times include the fsync, and cached pages are " \
                     "dropped before reading", \
                     "keep: neither, as in MADbench2", \
                     "direct: bypasses the page cache (O_DIRECT)", \
                     "auto: direct if the engine, the file system and the block " \
                     "size allow it, otherwise flush"}}, \
    {.kind = OPT_FLAG, .name = "collective", .value = &(o).collective, .preset = "no", \
     .needs = RUN_TAKES_COLLECTIVE, .help = "use MPI-IO's collective transfers"}, \
    {.kind = OPT_LIST, .name = "hint", .value = &(o).hints, .arg = "KEY=VALUE", \
     .needs = RUN_TAKES_ENGINE, .help = "an MPI-IO hint; may be repeated"}, \
    {.kind = OPT_FLAG, .name = "keep", .value = &(o).keep, .preset = keep_preset, \
     .help = "keep the files at the end"}, \
    {.kind = OPT_TEXT, .name = "node-dirs", .value = &(o).node_dirs, \
     .arg = "DIR[,DIR...]", .needs = RUN_TAKES_PARTITIONED, \
     .help = "PARTITIONED: absolute paths of directories for the ranks' files; %n " \
             "stands for the node's number, %r for the rank; the ranks of a node " \
             "take them in turn"}, \
    WORLD_TIMEOUT((o).io_timeout), \
    {.kind = OPT_ASK, .name = "list-engines", .arg = "json", .bare = "", \
     .answer = io_engine_list, .needs = RUN_TAKES_ENGINE, \
     .help = "list the I/O engines, what each can do, and why one cannot be used " \
             "here"}, \
    {.kind = OPT_TITLE, .help = "Measuring:"}, \
    {.kind = OPT_INT, .name = "repeat", .letter = 'r', .value = &(o).repeat, \
     .preset = "1", .arg = "N", .unit = "1", .min = 1, .max = 1e6, \
     .help = "repetitions; 6 or more give 95 % intervals"}, \
    {.kind = OPT_FLAG, .name = "verify", .value = &(o).verify, .preset = "yes", \
     .needs = RUN_TAKES_VERIFY, .workload = true, \
     .help = "check every block that is read, outside the I/O times"}, \
    {.kind = OPT_CHOICE, .name = "verify", .value = &(o).verify_how, .preset = "yes", \
     .bare = "yes", .arg = "HOW", .choices = "yes|no|pass", .needs = RUN_TAKES_PASS, \
     .workload = true, \
     .help = "check every block that is read, outside the I/O times; pass: in a " \
             "separate, untimed pass"}, \
    {.kind = OPT_INT, .name = "seed", .value = &(o).seed, .preset = "0", .arg = "N", \
     .unit = "1", .min = 0, .max = 9.2e18, \
     .help = "seed for data and random offsets; 0: picks a new one in each run"}, \
    {.kind = OPT_TITLE, .help = "Output:"}, \
    {.kind = OPT_TEXT, .name = "json", .value = &(o).json, .arg = "FILE", \
     .help = "write the report as JSON, for leadline compare (-: to standard " \
             "output, which then has nothing else)"}, \
    {.kind = OPT_TEXT, .name = "csv", .value = &(o).csv, .arg = "FILE", \
     .help = "write the samples as CSV (-: to standard output)"}, \
    {.kind = OPT_TEXT, .name = "label", .value = &(o).label, .arg = "TEXT", \
     .help = "a name for this run in its report"}, \
    {.kind = OPT_FLAG, .name = "quiet", .letter = 'q', .value = &(o).quiet, \
     .preset = "no", .help = "print no progress and no tables"}, \
    {.kind = OPT_FLAG, .name = "per-rank", .value = &(o).per_rank, .preset = "no", \
     .help = "write every rank's times to the JSON, even above 256 ranks"}, \
    {.kind = OPT_REAL, .name = "live", .value = &(o).live_s, .preset = "0", \
     .arg = "S", .unit = "s", .min = 0, .max = 1e6, \
     .help = "every S seconds, print on stderr what rank 0 transferred in that " \
             "time (with --quiet, only add a row to --live-csv); 0: do not"}, \
    {.kind = OPT_TEXT, .name = "live-csv", .value = &(o).live_csv, .arg = "FILE", \
     .help = "with --live: write the same as CSV, one row every S seconds"}, \
    {.kind = OPT_TEXT, .name = "series", .value = &(o).series, \
     .arg = "ID,CONFIG,ROUND", .help = "this run's place in a sweep"}, \
    {.kind = OPT_TITLE, .help = "Planning:"}, \
    {.kind = OPT_FLAG, .name = "dry-run", .value = &(o).dry_run, .preset = "no", \
     .help = "print what the run would need (also to --json), and do nothing"}, \
    {.kind = OPT_INT, .name = "ranks", .value = &(o).ranks, .preset = "0", \
     .arg = "P", .unit = "1", .min = 0, .max = 2e9, \
     .help = "with --dry-run: pretend that there are P ranks"}
/* clang-format on */

/* Also in it, of programs whose ranks read blocks that have a writer. */
/* clang-format off */
#define RUN_RANK_SHIFT(o) \
    {.kind = OPT_INT, .name = "rank-shift", .value = &(o).rank_shift, .preset = "0", \
     .arg = "N", .unit = "1", .min = 0, .max = 2e9, .workload = true, \
     .word = "node", .needs = RUN_TAKES_SHIFT, \
     .help = "rank r reads what rank r + N wrote (modulo their number; each lane " \
             "counts as a rank), so that the client's own cache cannot serve it; " \
             "node: what a rank on another node wrote"}
/* clang-format on */

/* Of programs whose phases can end by time. */
/* clang-format off */
#define RUN_TIME(o) \
    {.kind = OPT_REAL, .name = "time", .value = &(o).time_s, .preset = "0", \
     .arg = "S", .unit = "s", .min = 0, .max = 1e9, .workload = true, \
     .help = "write for S seconds, then read for S seconds; slower ranks then " \
             "catch up with the fastest one; 0: transfer all bytes"}
/* clang-format on */

/* Of programs whose files it makes sense to stripe. */
/* clang-format off */
#define RUN_STRIPE(o) \
    {.kind = OPT_TEXT, .name = "stripe", .value = &(o).stripe, .arg = "COUNT[,SIZE]", \
     .workload = true, \
     .help = "Lustre: stripe count of new files (a number, or all) and stripe size " \
             "in bytes; by default as the directory says"}
/* clang-format on */

#define RUN_SHIFT_NODE (-1) /* rank_shift: by nodes */
enum { RUN_SHIFT_LEAST = -1, RUN_SHIFT_MOST = 2, RUN_SHIFTS = 4 };

enum run_mode { RUN_NONE, RUN_SYNC, RUN_ASYNC, RUN_MODES };

struct run_rates { /* of one repetition, for the figures over all phases */
    double read_s, write_s, wall_s; /* sums over phases of the slowest rank's */
    int64_t read_bytes, write_bytes;
};

struct run_beside { /* what the kernel may have done beside the program, of a kind */
    double moved_s, other_s; /* seconds of transfers, and of computing and checking */
    int64_t bytes;
};

struct run_held { /* transfers of a phase that were looked at as they were submitted */
    int looked, held; /* held: the kernel kept the caller meanwhile */
    int depth;
};

struct run_lanes;
struct workload;
struct run_live;

struct run_input {        /* what others made, where a run makes no files of its own */
    const char *path;     /* NULL: it makes them. Of several, one, or their folder */
    int64_t count, bytes; /* bytes: of all */
    bool device;          /* a block device: there is no file system */
};

struct run_output {   /* of what a run makes, that which is not in --dir */
    const char *path; /* it need not be there yet; NULL: all is in --dir */
    int64_t bytes;    /* which are among the need's disk_bytes; -1: not known */
};

struct
    run_limit { /* what this rank had done by then, and what each worker did in all */
    bool reached;
    int64_t most;
    int64_t bytes[2], ns[2]; /* read, written; of the slowest lane */
};

struct run {
    struct world world;
    const struct workload *workload;
    const struct opt_program *program; /* its options, as far as it takes them */
    struct run_options *options;
    void *context; /* the program's own (struct workload) */
    struct report *report;
    struct phase *phase;
    int files;              /* of need.role, of each lane; 1 without one */
    int64_t all_files;      /* set in `plan`, of programs that name their own: how many
                               there are in all; 0: as FILETYPE says */
    int lane, lanes;        /* of this rank: which it is, 0.., and how many there are */
    struct run_live *live;  /* run/live.h; NULL: nobody looks */
    struct run_lanes *team; /* the other ones (run/lanes.h); NULL: there are none */
    int worker, workers;    /* of all lanes of all ranks, this one (rank x lanes + lane)
                               and how many there are */
    int shifted[RUN_SHIFTS]; /* with RUN_SHIFT_NODE, the rank so many shifts on */
    struct progress progress;
    /* Set in `plan` (run/workload.h): --dir is not looked at, nothing is written. */
    struct run_input input;
    struct run_output output;
    const char *engine; /* engine spec in use; NULL with RUN_NONE */
    bool async;         /* transfers are under way until run_await */
    bool output_taken;  /* standard output is for --json or --csv, and nothing else */
    bool queues;        /* the engine is asynchronous, in any mode */
    bool in_kernel;     /* the kernel has its queue */
    const char *engine_of[RUN_MODES]; /* spec, once chosen */
    char chosen[512];                 /* why the asynchronous one was */
    bool verify;                      /* blocks are stamped and checked */
    bool flush;                       /* --cache=flush or direct */
    int io_flags;  /* IO_COLLECTIVE and IO_DIRECT, as the options say */
    bool counters; /* the kernel tells what came from the device */
    bool shared;   /* FILETYPE=SHARED or PARTITIONED */
    bool partitioned;
    char part_spec[256];         /* the engine that partitions, with the one within */
    char plan[LDAD_TEXT];        /* of the files; "": not known */
    int64_t misfits[2];          /* this rank's writes that did not fit it, and bytes */
    struct io_fs fs;             /* that of --dir, on each rank */
    struct io_stack stack;       /* what the files stand on, the same on every rank */
    struct io_stack also;        /* and what is read from elsewhere; n 0: nothing is */
    struct io_striping striping; /* that was asked for; count 0: none */
    bool striped;                /* a file was asked for its stripes */
    char id[64];
    uint64_t seed;
    bool own_text;       /* the program prints: the report has no text */
    bool latencies;      /* phases make figures of their transfers' latencies, too */
    bool io_shares;      /* phases have a figure of how much of them is I/O */
    bool samples_only;   /* phases make no figures: somebody else does */
    bool aside;          /* the phase is none of the work: no rate of all counts it */
    struct report_at at; /* what changes within the run; no name: nothing */
    int rep;             /* 1.. */
    int pass;   /* of the repetition, 1..: each run_mode begins one; 0: it has one */
    int failed; /* this rank's first failure */
    int64_t device_before;
    struct report_checks checks;          /* on rank 0, of all ranks */
    int64_t checked, bad;                 /* this rank's blocks */
    int64_t looked_bytes, resident_bytes; /* of files about to be read */
    /* On every rank, of all ranks; -1: not known. Of phases of work, but the first. */
    int64_t all_read_bytes, read_bytes, device_read_bytes;
    struct run_rates rates;
    struct run_beside beside[2];      /* of reads, of writes; in all repetitions */
    int64_t cpu_ns[ACT_COUNT];        /* of this process, within transfers and syncs */
    int64_t cpu_before_ns[ACT_COUNT]; /* when the phase began */
    /* Of queues: what was made in this phase; care for blocks (run_stamp, run_check)
     * while transfers were under way, and the time of these. */
    int64_t made, care_ns, queue_ns;
    struct run_held held;                  /* of this phase */
    struct run_limit limit;                /* of this phase, where one was reached */
    struct report_rate last;               /* of the phase that ended last */
    struct iovec buffers[RUN_BUFFERS_MAX]; /* that transfers use, if told */
    int buffer_count;
    char *buffer; /* of need.buffer_bytes; without --verify each repetition's noise */
    /* Of need.role: the first one of this lane; of lanes 0.. one after the other, then
     * their second ones (run_file_nth). */
    struct run_file *file;
    struct io_hint hints[RUN_HINTS_MAX];
    int hint_count;
    bool described; /* report_io was told what the engine is */
};

struct run_file {
    struct run *run;
    struct io_file *io; /* NULL while closed, and with IOMODE=NONE */
    MPI_Comm comm;      /* its ranks: this one's own file, or all ranks' */
    bool shared;        /* by all ranks */
    bool elsewhere;     /* another rank's file: this one takes no part */
    bool independent;   /* its transfers are not collective, with --collective either */
    bool local;         /* this lane's own, of which nobody is told */
    bool beside;        /* none of the files that the run is about */
    bool as_cached;     /* what of it is in memory stays there when it is opened */
    int without;        /* enum io_flags: what the policy says and this one is not */
    const char *engine; /* the run's; NULL: there is no I/O */
    int place;          /* the worker whose part of it this one transfers next */
    int member;         /* of several files of a lane, which it is */
    const char *role;
    char path[4096];
    int64_t bytes; /* of this file when complete */
    int64_t max_request;
    int depth;
    struct io_queue
        *queue; /* set before it is opened: of several files; NULL: its own */
    struct io_shape shape; /* ndims 0: none */
    char dim_names[64];
    struct ldad_plan plan; /* ranks 0: none */
};

struct run_io { /* one transfer */
    struct io_req req;
    bool under_way; /* submitted, and not awaited yet */
};

/* ---- start and end -------------------------------------------------------------- */

/* **Collective** on all processes. Answers --help and --version (then *status is set
 * and false is returned), parses options, starts MPI. Returns true to go on; what went
 * wrong is in r->failed, the same on every rank. */
bool run_start(struct run *r, const struct workload *w, const struct opt_program *p,
               int *argc, char ***argv, int *status);

/* **Collective.** After run_ready, and before the first phase: reads are of `path`,
 * too, which need not be in --dir. What it stands on counts where the report says what
 * served reads. Returns the agreed verdict. */
int run_reads(struct run *r, const char *path);

/* **Collective**, in `plan`. A file or block device that somebody else made and all
 * ranks will read: io_input_of on each of them, and that all see the same size; that
 * there is something, unless it may be empty. Returns the agreed verdict. */
int run_input(const struct run *r, const char *path, struct io_input *in, bool empty);

/* Local, rank 0 counts, once the report is open. A note of what the input is, which
 * ends with `rest`; and a warning where not all of it is stored. */
void run_input_say(struct run *r, const char *path, const struct io_input *in,
                   const char *rest);

/* Local, rank 0 counts, at the end. A warning where it was changed meanwhile: it may be
 * somebody's who goes on writing. */
void run_input_again(struct run *r, const char *path, const struct io_input *in);

/* Local, rank 0 counts. A file of the run's that is there: its stripes are told, the
 * first time that somebody asks. Between phases, as it may ask another program.
 * Programs that call run_file_remove need not. */
void run_stripes(struct run *r, const char *path);

/* Local. Before run_ready: how the files are laid out, for the report. */
void run_plan(struct run *r, const struct layout *l);

/* **Collective.** Before the first phase, once sizes are known: checks the directory,
 * the memory (bytes a rank will allocate) and the free space (bytes of all files),
 * opens the report, says what files there will be (`layout`: the order of their
 * slots; `depth`: transfers at once). `steps`: of progress in one repetition. Returns
 * the agreed verdict. */
int run_ready(struct run *r, int argc, char **argv, int64_t memory_bytes,
              int64_t disk_bytes, const char *layout, int depth, int64_t steps);

#define RUN_PLACE 13
/* Local. Where this process's number means something, as part of a run's id: twelve
 * digits of the boot of this machine and the PID namespace. */
void run_place(char out[RUN_PLACE]);

/* Local. Tells the user, on rank 0, of files in `dir` that runs which did not end, and
 * are known not to go on, have left: those whose names are `prefix` and a run's id.
 * Kept files cannot be told from them. run_ready does it for files in --dir. */
void run_leftovers(const struct run *r, const char *dir, const char *prefix);

/* **Collective.** Adds the checks to the report and closes it with the agreed `rc`.
 * Returns the verdict: a run that verified nothing has failed. */
int run_report_close(struct run *r, int rc);

/* **Collective.** Closes the report if it is open, ends MPI; returns the exit
 * status. */
int run_finish(struct run *r, int rc);

/* **Collective**, in `plan`, of programs that take RUN_TAKES_AUTO: makes --cache=auto
 * what it is to be, for transfers of `path` (a file that is there, or the folder of one
 * that is not), which are whole blocks of a device, or not. The same on every rank. */
void run_settle_cache(struct run *r, const char *path, bool whole_blocks);

/* **Collective**, in `plan`. io_direct_align of `path`, the largest of all ranks'. */
int run_direct_align(const struct run *r, const char *path);

/* Local, in `plan`. Lanes are so many, whatever --threads says. 0, or -EINVAL with a
 * sentence where the engine cannot have several. */
int run_threads(struct run *r, int threads);

/* Local. What IOMODE says. */
enum run_mode run_mode_asked(const struct run_options *o);

/* **Collective.** From now on transfers are made so. RUN_ASYNC chooses the engine the
 * first time. `verify`: blocks are checked (where --verify is on and there is I/O).
 * Between phases only, with no file open; the rates of run_rep_end count from here on.
 * Returns the agreed verdict. */
int run_mode(struct run *r, enum run_mode mode, bool verify);

/* Local. From now on transfers are made with this engine, whatever IOMETHOD says, and
 * the rates of run_rep_end count from here on: for programs that hold engines against
 * each other. Between phases, with no file open. 0, or -errno with a sentence where it
 * cannot do what the options say, or cannot be used here. `spec` stays the caller's. */
int run_engine(struct run *r, const char *spec);

/* Local. Whether each write is written back before it counts as done (IOMODE=ASYNC with
 * --cache=flush, where the engine can). */
bool run_writes_back(const struct run *r);

/* **Collective.** Before run_shifted: finds out who is where, if --rank-shift asks for
 * nodes. 0, or -EINVAL with a sentence where each worker would read what it wrote
 * itself (or a worker of its node). Returns the agreed verdict. */
int run_settle_shift(struct run *r);

/* Local. The worker (a rank, where each has one lane) that is n times --rank-shift
 * further on, n from RUN_SHIFT_LEAST to RUN_SHIFT_MOST; -1: the one whose turn further
 * on is this one. */
int run_shifted(const struct run *r, int n);

/* Local. Before files are opened: memory that transfers will use, so that engines may
 * make it known to the kernel. */
void run_buffer(struct run *r, void *buf, int64_t bytes);

/* What a run needs and moves; -1: not known beforehand. */
struct run_need {
    const struct layout *layout; /* of the slots of its files; NULL: of another kind */
    const char *role;     /* of the file of that layout that each lane has, as r->file:
                            * named when a repetition begins, opened for stages, removed
                            * at the end; NULL: the program sees to it */
    const char *order;    /* of what is in files; with a layout, its own */
    int depth;            /* transfers under way at once; 0: 1 */
    int64_t steps;        /* of progress, in a repetition */
    int64_t memory_bytes; /* a rank allocates, for all its lanes */
    int64_t buffer_bytes; /* of a lane: what run_main allocates, as r->buffer */
    int64_t files;        /* there at once, each as FILETYPE says; with a role, of a
                            * lane, in one queue; 0: 1 */
    int64_t disk_bytes;   /* of all of them */
    int64_t write_bytes, read_bytes; /* of all ranks, in a pass over all phases */
    int64_t passes;                  /* in all repetitions; 0: one in each */
};

/* **Collective.** What --dry-run does: prints it, unless --quiet, and writes it to
 * --json (schema leadline-need/1). Returns the agreed verdict. */
int run_dry(const struct run *r, const struct run_need *need);

/* **Collective.** The same, where the program printed it. */
int run_dry_json(const struct run *r, const struct run_need *need);

/* ---- phases ------------------------------------------------------------------ */

void run_phase_begin(struct run *r, const char *name);

/* **Collective.** Waits for the others (idle), ends the phase, agrees on failures, adds
 * its samples and its figures NAME.read_MBps, NAME.write_MBps, NAME.wall_s. */
int run_phase_end(struct run *r);

/* Local. After run_phase_end, of a program that knows what a phase must move, all ranks
 * together: 0, or -EIO with a sentence where other bytes were counted. < 0: any.
 * `path`: of the file, or NULL. */
int run_moved(const struct run *r, const char *phase, const char *path,
              int64_t read_bytes, int64_t write_bytes);

/* Local, on every rank, likewise, of calls that move no data: 0, and figures of their
 * latencies (PHASE.p50_us, .p99_us, .p999_us, .max_us), or -EIO with a sentence where
 * all ranks together have not made so many of this kind. */
int run_called(struct run *r, enum phase_op op, int64_t calls);

/* Local (rank 0 counts). report_figure_at of PHASE.NAME, or of NAME where phase is "",
 * for what the run is at (r->at). */
void run_figure(struct run *r, const char *phase, const char *name, const char *unit,
                const char *better, const char *formula, double value);

/* Local (rank 0 counts). results.<name> of the report, one number. */
void run_result(struct run *r, const char *name, double value);

/* **Collective.** Begins and ends repetition r->rep + 1; the end adds the figures of
 * the whole: read_MBps, write_MBps, wall_s. */
void run_rep_begin(struct run *r);
void run_rep_end(struct run *r);

/* ---- files, within a phase ----------------------------------------------- */

/* **Collective.** Names a file (one for all, or one for each rank) with the slots of
 * `l`, for requests of at most max_request bytes, `depth` at once. `role` is also the
 * name of the array that HDF5 makes of it. */
void run_file_name(struct run_file *f, struct run *r, const char *role,
                   const struct layout *l, int64_t max_request, int depth);

/* Local, of a lane. Its k-th file of need.role, 0.. */
static inline struct run_file *run_file_nth(const struct run *r, int k)
{
    return &r->file[(int64_t)k * r->lanes];
}

/* Local. Makes r->file, r->files for each lane, and gives lanes theirs; run_main does
 * it for a need.role, and frees it. -ENOMEM with a sentence. */
int run_files_make(struct run *r);

/* Local. While it is closed: of the files that it was named for, that of `worker` is
 * opened next (FILETYPE=UNIQUE), or its part of the only one is transferred next.
 * run_file_remove removes this one's. */
void run_file_of(struct run_file *f, int worker);

/* Local. Names a file that the program knows the path of: one for all ranks (`shared`),
 * or this rank's own (`mine`), or that of another rank, which alone opens, closes and
 * removes it while this one agrees on the outcome. `bytes`: of the complete file; 0: it
 * grows. */
void run_file_at(struct run_file *f, struct run *r, const char *path, bool shared,
                 bool mine, int64_t bytes, int64_t max_request, int depth);

/* Local, of a lane. Names a file of its own: then run_file_open, run_file_close and
 * run_file_remove are Local for it, and any thread's, unless the engine calls MPI.
 * Nothing is agreed upon before the end of the phase, so lanes and ranks may have
 * unequal numbers of them. One that the run did not make is opened to be read only, and
 * never removed. `bytes`: of the complete file; 0: it grows. */
void run_file_local(struct run_file *f, struct run *r, const char *path, int64_t bytes,
                    int64_t max_request, int depth);

/* Local, of a lane. The same for what a program needs beside the files that it is
 * about: inputs whose pages it looks after itself, and scratch files, which it removes
 * itself. They are there with IOMODE=NONE, too, by way of posix; the report does not
 * describe them; and a write need not be written back to be done. */
void run_file_beside(struct run_file *f, struct run *r, const char *path,
                     int64_t max_request, int depth);

/* **Collective.** Opens it (enum io_flags). To read, the cached pages of this node are
 * dropped first (--cache=flush), and in any case counted. */
int run_file_open(struct run_file *f, int flags);

/* **Collective.** Syncs where the policy says so and it was `written` to (the same on
 * every rank, also where this one's own transfers failed), then closes. Of all types of
 * files: each rank syncs as soon as it comes here, and waits for others where they are
 * closed together; the time of it is `idle`. */
int run_file_close(struct run_file *f, bool written);

/* **Collective.** Closes it if it is open, and removes it unless --keep. */
int run_file_remove(struct run_file *f);

/* Local. What run_file_open does, for programs with files of another kind. Tells the
 * report what the engine turned out to be, `depth` requests at once; io NULL: there is
 * no one file to ask. */
void run_describe(struct run *r, struct io_file *io, bool collective, int depth);

/* Local, one rank of each node, before the file is read. Drops its pages on this node
 * (--cache=flush), counting those of its `bytes` that are there. A failure is kept. */
void run_empty_cache(struct run *r, const char *path, int64_t bytes);

/* Local. The two halves of it, where the file's bytes are known only afterwards: drops,
 * and returns how many bytes were there, or -1 where that cannot be told; counts. */
int64_t run_drop_cached(struct run *r, const char *path);
void run_count_cached(struct run *r, int64_t bytes, int64_t resident);

/* Local. The path in --dir of what the run makes in this repetition; `which` follows
 * it. One that is too long is a failure of r. */
void run_path(struct run *r, const char *role, const char *which, char *path,
              size_t size);

/* Local. After a container was opened or closed: with --cache=flush, the time since
 * io_header_ns() was `before_ns` that went into its header is that of the sync. */
void run_charge_header(struct run *r, int64_t before_ns);

/* Local, all ranks, before a container is read: the same, of the partition that this
 * rank wrote and of that which rank `place` wrote. So each node looks after what it has
 * in memory, and no node after all partitions. */
void run_empty_cache_parts(struct run *r, const char *path, int place);

/* Local (collective with --collective). One transfer, timed, with its latency: submit
 * starts it, and with IOMODE=SYNC also completes it; await returns when it is done.
 * Until then t and its buffer are the engine's. */
void run_submit(struct run_file *f, struct run_io *t);
void run_await(struct run_file *f, struct run_io *t);

/* Local. Waits until the file's queue, which may be one of several files, has room for
 * another request; the time is that of the kind `op`. Whether it has. */
bool run_await_room(struct run_file *f, enum io_op op);

/* Local. Submits n <= RUN_LIST_MOST transfers of one kind at once, which run_await
 * waits for one by one, in any IOMODE; a synchronous engine has made them as it
 * returns. */
#define RUN_LIST_MOST 1024
void run_submit_list(struct run_file *f, struct run_io t[], int n);

/* Local. As io_file_flush, timed as a write. A failure is kept. */
void run_flush(struct run_file *f, bool discard);

/* **Collective.** Make what was written durable, in two steps (io_file_sync_own),
 * timed; run_file_close does it. A failure is kept. */
void run_sync(struct run_file *f);
void run_sync_meet(struct run_file *f);

/* Local. To be called every few milliseconds of computation: moves on what is under
 * way. f->io may be NULL. */
void run_poll(struct run_file *f);

/* Local. These bytes were read and will be once more in this phase: drop them from the
 * page cache, unless --cache=keep. */
void run_forget(struct run_file *f, int64_t offset, int64_t bytes);

/* Local (collective with --collective). n <= depth requests in flight at once, all of
 * one kind: ready-made, results in them. */
void run_transfer(struct run_file *f, struct io_req *req, int n);

/* Local. A rank's (lane's) first failure is the one that stays; 0: none. */
void run_fail(struct run *r, int rc);

/* Local. Processor nanoseconds so far of the process, or of this lane where there are
 * several. */
int64_t run_cpu_ns(const struct run *r);

/* Local. Whether the kernel may move bytes of this file while the program has nothing
 * in flight: it reads ahead, and writes back. */
bool run_goes_on(const struct run_file *f);

/* Local. io_queue_start_at, which looks at whether the kernel holds the caller until
 * transfers are complete. Then no more than one of them is in flight. */
int run_start_at(struct run_file *f, struct io_queue *q, struct io_req *list[], int n,
                 int64_t now_ns);

/* Local. What transfers of a kind are to a phase. */
enum act run_act_of(enum io_op op);

/* Request number i of a sequence; it uses the memory of `slot` (< depth). `file` in it
 * may be another one of the same queue. bytes < 0: there is nothing to do now; it is
 * asked again for number i when more is done, and the queue ends with what is under
 * way. */
typedef struct io_req run_request(const void *context, int64_t i, int slot);

/* Number i is done, and its slot's memory will be used anew after the call. Not called
 * for what failed, nor afterwards. */
typedef void run_request_done(void *context, const struct io_req *req, int64_t i,
                              int slot);

struct run_queue {
    run_request *make;      /* op is the request's: kinds may be mixed */
    run_request_done *done; /* NULL: nothing is to be done then */
    void *context;          /* of both */
    int64_t from;           /* number of the first one */
    int64_t total;          /* how many; -1: until limit_s have passed */
    double limit_s; /* 0: none. What is under way then is finished, and counts */
    bool ordered;   /* done() in the order of i */
    bool untimed;   /* all of it is care for blocks: no transfer is booked */
    bool mixed;     /* it has both kinds: their seconds are shared (struct phase) */
    /* What make and done do is care for blocks (run_stamp, run_check): while transfers
     * are under way it is time of these, or it would hide some of theirs; else not. */
    bool all_visible;
};

/* Local. A queue of the run's engine for several files, whose `queue` it is to be, all
 * of the same `depth`; it is closed (io_queue_close) after them. max_request: the
 * largest of any of them. 0 or -errno with a sentence, as where the engine has a queue
 * for each file. With IOMODE=NONE there is none, and *q is NULL. */
int run_queue_open(const struct run *r, struct io_queue **q, int depth,
                   int64_t max_request);

/* Local (collective with --collective, and then ordered and without limit_s). Keeps
 * depth requests under way as long as there are so many: where some are done, as many
 * are started. Each is booked as what it is. Without `done` all of the time is visible
 * time of transfers; with it submitting and waiting are, and the rest is what it was
 * before, as computing. req: the depth slots. Returns how many were made. */
int64_t run_queue(struct run_file *f, struct io_req *req, const struct run_queue *q);

/* **Collective**, on the ranks' first threads. After queues that had a limit: books
 * what was done by then, which gives the phase the figures NAME.limit_read_MBps and
 * NAME.limit_write_MBps. So that all do the same work, the slower ones are to go on:
 * returns how many requests the fastest lane of all has made in this phase, the same on
 * every rank. What each has made itself is in r->made. */
int64_t run_wear_out(struct run *r);

/* ---- stamped data, within a phase -------------------------------------------- */

/* Local. The stamp of a block that a worker writes in this repetition. */
struct stamp run_stamp_of(const struct run *r, int worker, int mat, int version);

/* Local. As run_stamp (but always) and run_check, with a stamp that the program may
 * have changed. */
void run_fill(struct run *r, void *buf, int64_t bytes, const struct stamp *s);
void run_check_stamp(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
                     const struct stamp *s);

/* Local. Fills with the stamp of (mat, version) of this worker; where blocks are not
 * verified, does nothing, as any incompressible data will do (run_noise). */
void run_stamp(struct run *r, void *buf, int64_t bytes, int mat, int version);
void run_noise(struct run *r, void *buf, int64_t bytes);

/* Local. Makes sure that a read which delivers nothing cannot pass for one that did. */
void run_poison(struct run *r, void *buf, int64_t bytes);

/* Local. Checks a block that was read into `buf` from `offset` of the file, and that
 * the rank wrote which --rank-shift says, or this one. */
void run_check(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
               int mat, int version);

/* Local. For data without stamps: counts a block as checked, and as bad (with a
 * sentence) where the fingerprints differ. earlier: of what was in its place before, 0:
 * not known. */
struct run_hash {
    uint64_t found, expected, earlier;
};
void run_check_hash(struct run_file *f, struct run_hash hash, int64_t offset,
                    int64_t bytes, int mat);

#endif
