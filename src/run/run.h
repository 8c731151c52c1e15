/* 1 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/format/progress.h"
#include "base/opt.h"
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
    const char *stripe; /* NULL: not given, or no such option */
    const char *json, *csv, *label, *series;
    const char *verify_how; /* yes, no or pass */
    bool collective, verify, keep, dry_run, quiet, per_rank, unlike_nodes, space_check,
        doctor;
    struct opt_list hints, compare;
    const char *compare_arms, *until, *budget;
    int64_t rounds;
    int64_t repeat, seed, ranks, rank_shift;
    int64_t threads; /* lanes of each rank; 0: no such option */
    double io_timeout;
    double time_s; /* limit of each phase in seconds; 0: none, or no such option */
    double live_s; /* seconds between lines of rank 0's transfers; 0: no lines */
    const char *live_csv;
};

/* The features that options need (struct workload: takes). A program shows and parses
 * no option, and no choice of an option, that needs a bit which it lacks. */
enum run_takes {
    RUN_TAKES_UNIQUE = 1,      /* FILETYPE */
    RUN_TAKES_SHARED = 2,      /* likewise */
    RUN_TAKES_PARTITIONED = 4, /* likewise */
    RUN_TAKES_ASYNC = 8,       /* IOMODE */
    RUN_TAKES_NONE = 16,       /* IOMODE: everything except the I/O */
    RUN_TAKES_DIRECT = 32,     /* transfers can be whole blocks of a device */
    RUN_TAKES_HDF5 = 64,       /* its files may be HDF5's */
    RUN_TAKES_NULL = 128,      /* it runs where nothing is stored */
    RUN_TAKES_COLLECTIVE = 256,
    RUN_TAKES_SHIFT = 512,      /* --rank-shift: its blocks have a writer */
    RUN_TAKES_LANES = 1024,     /* --threads */
    RUN_TAKES_VERIFY = 2048,    /* what it reads can be checked */
    RUN_TAKES_PASS = 4096,      /* ... and also in a pass of its own */
    RUN_TAKES_AUTO = 8192,      /* --cache=auto: its plan calls run_settle_cache */
    RUN_TAKES_ENGINE = 16384,   /* it transfers by an engine: all do
                                 * except workload.own_calls */
    RUN_TAKES_RECORDED = 32768, /* FILETYPE: that of the recorded program */
    RUN_TAKES_COMPARE = 65536,  /* --compare: `plan` may be called again */
    RUN_TAKES_ALL = 4095
};

/* The manual's texts of options below (workload.c). */
extern const char run_threads_text[], run_rank_shift_text[], run_stripe_text[],
    run_dir_text[], run_iomethod_text[], run_hint_text[], run_keep_text[],
    run_node_dirs_text[], run_verify_text[], run_verify_how_text[], run_json_text[],
    run_live_text[], run_dry_run_text[], run_compare_text[], run_until_text[];

/* The entries of a program's option table for `struct run_options o`; the presets of
 * --filetype, --keep and --cache are those for benchmarks. */
#define RUN_OPTIONS(o) RUN_OPTIONS_WITH(o, "UNIQUE", "no")
#define RUN_OPTIONS_WITH(o, filetype_preset, keep_preset)                              \
    RUN_OPTIONS_CACHED(o, filetype_preset, keep_preset, "flush")
/* clang-format off */
#define RUN_OPTIONS_CACHED(o, filetype_preset, keep_preset, cache_preset) \
    {.kind = OPT_TITLE, .help = "I/O:"}, \
    {.kind = OPT_TEXT, .name = "dir", \
     .value = &(o).dir, .preset = ".", .arg = "DIR", \
     .help = "directory in which files are created", .text = run_dir_text}, \
    {.kind = OPT_TEXT, .name = "iomethod", .env = "IOMETHOD", .value = &(o).iomethod, \
     .preset = "POSIX", .arg = "METHOD", .needs = RUN_TAKES_ENGINE, \
     .text = run_iomethod_text, \
     .help = ""}, /* run_main fills it in: the engines that were built */ \
    {.kind = OPT_CHOICE, .name = "filetype", .env = "FILETYPE", \
     .value = &(o).filetype, .preset = filetype_preset, .arg = "TYPE", \
     .choices = "UNIQUE|SHARED|PARTITIONED|RECORDED", \
     .choice_needs = {RUN_TAKES_UNIQUE, RUN_TAKES_SHARED, RUN_TAKES_PARTITIONED, \
                      RUN_TAKES_RECORDED}, \
     .choice_help = {"UNIQUE: one file per rank", "SHARED: one file for all ranks", \
                     "PARTITIONED: one logical file, stored as one file per rank " \
                     "plus a header", \
                     "RECORDED: as the program had them"}, \
     .choice_text = {NULL, NULL, \
                     "a container (*ldad*(1)): one logical file, stored as one file " \
                     "per rank plus a header, by the engine *posix* or *mpiio*"}}, \
    {.kind = OPT_CHOICE, .name = "iomode", .env = "IOMODE", .value = &(o).iomode, \
     .preset = "SYNC", .arg = "MODE", .choices = "SYNC|ASYNC|NONE", \
     .choice_needs = {0, RUN_TAKES_ASYNC, RUN_TAKES_NONE}, \
     .choice_help = {NULL, \
                     "ASYNC: transfers go on while the program computes", \
                     "NONE: does everything except I/O"}, \
     .choice_text = {"waits for each transfer", \
                     "transfers go on while the program computes, by an asynchronous " \
                     "engine: *uring* or *threads* with *POSIX*, *mpiio-nb* with " \
                     "*MPI*; the report says which, and why. Under --cache=flush a " \
                     "write is then complete when its bytes have been written back " \
                     "to the device, where the engine can do that; else the report " \
                     "says that it cannot"}}, \
    {.kind = OPT_CHOICE, .name = "cache", .value = &(o).cache, .preset = cache_preset, \
     .arg = "POLICY", .choices = "flush|keep|direct|auto", \
     .choice_needs = {0, 0, RUN_TAKES_DIRECT, RUN_TAKES_AUTO}, \
     .choice_help = {"flush: write times include the fsync, and cached pages are " \
                     "dropped before reading", \
                     "keep: neither, as in MADbench2", \
                     "direct: bypasses the page cache (O_DIRECT)", \
                     "auto: direct if the engine, the file system and the block " \
                     "size allow it, otherwise flush"}, \
     .choice_text = {"every phase that wrote ends with *fsync*(2) or " \
                     "*MPI_File_sync*, which counts as write time, and the files' " \
                     "pages are dropped from the memory of the nodes " \
                     "(*posix_fadvise*(2)) before they are read back. An " \
                     "asynchronous transfer of *threads*, *uring* or *aio* is " \
                     "complete only when its bytes have been written back from the " \
                     "page cache to the device", \
                     NULL, \
                     "does what *flush* does, and opens files with O_DIRECT, so that " \
                     "no byte passes through the page cache: for posix, threads, " \
                     "uring, libaio and aio, and sizes that are multiples of what " \
                     "the kernel says of the file system, or of the device's logical " \
                     "block (512 or 4096 bytes)"}}, \
    {.kind = OPT_FLAG, .name = "collective", .value = &(o).collective, .preset = "no", \
     .needs = RUN_TAKES_COLLECTIVE, .help = "use MPI-IO's collective transfers", \
     .text = "Use MPI-IO's collective transfers. The engine must support them: " \
             "*mpiio*, *mpiio-nb*, *hdf5*."}, \
    {.kind = OPT_LIST, .name = "hint", .value = &(o).hints, .arg = "KEY=VALUE", \
     .needs = RUN_TAKES_ENGINE, .text = run_hint_text, \
     .help = "an MPI-IO hint; may be repeated"}, \
    {.kind = OPT_FLAG, .name = "keep", .value = &(o).keep, .preset = keep_preset, \
     .help = "keep the files at the end", .text = run_keep_text}, \
    {.kind = OPT_TEXT, .name = "node-dirs", .value = &(o).node_dirs, \
     .arg = "DIR[,DIR...]", .needs = RUN_TAKES_PARTITIONED, \
     .help = "PARTITIONED: absolute paths of directories for the ranks' files; %n " \
             "stands for the node's number, %r for the rank; the ranks of a node " \
             "take them in turn", .text = run_node_dirs_text}, \
    {.kind = OPT_FLAG, .name = "unlike-nodes", \
     .fixed = true, .value = &(o).unlike_nodes, \
     .preset = "no", \
     .help = "run although --dir is on other storage on some nodes", \
     .text = "Run although --dir is on other storage on some nodes than on others. " \
             "By default that is refused: as a rule a mount is missing. With this " \
             "option the report warns (*unlike_nodes*), and has rates by groups of " \
             "nodes beside the total. Each rank needs files of its own: what nodes " \
             "share is refused."}, \
    {.kind = OPT_FLAG, .name = "space-check", \
     .fixed = true, .value = &(o).space_check, \
     .preset = "yes", \
     .help = "refuse files that the file system has no space for", \
     .text = "Refuse files that the file system has no space for, before the run. " \
             "With --no-space-check nobody asks, for file systems that tell a wrong " \
             "number."}, \
    {.kind = OPT_FLAG, .name = "doctor", .value = &(o).doctor, .preset = "no", \
     .help = "first examine --dir, for the report: what its file system can do, and " \
             "is honest about", \
     .text = "First examine --dir as *leadline doctor* does, in some seconds: what " \
             "its file system can do, and is honest about. The report has the " \
             "findings (*doctor*), and *leadline compare* tells what differs."}, \
    WORLD_TIMEOUT((o).io_timeout), \
    {.kind = OPT_ASK, .name = "list-engines", .arg = "json", .bare = "", \
     .answer = io_engine_list, .needs = RUN_TAKES_ENGINE, \
     .help = "list the I/O engines, what each can do, and why one cannot be used " \
             "here", \
     .text = "List the I/O engines and their options, what each can do, or why one " \
             "cannot be used here, and end. With *json* print an array of objects."}, \
    {.kind = OPT_TITLE, .help = "Measuring:"}, \
    {.kind = OPT_INT, .name = "repeat", \
     .fixed = true, .letter = 'r', .value = &(o).repeat, \
     .preset = "1", .arg = "N", .unit = "1", .min = 1, .max = 1e6, \
     .help = "repetitions; 6 or more give 95 % intervals", \
     .text = "Repetitions, each with new files. With 6 or more, figures have 95 % " \
             "intervals."}, \
    {.kind = OPT_FLAG, .name = "verify", .value = &(o).verify, .preset = "yes", \
     .needs = RUN_TAKES_VERIFY, .workload = true, .text = run_verify_text, \
     .help = "check every block that is read, outside the I/O times"}, \
    {.kind = OPT_CHOICE, .name = "verify", .value = &(o).verify_how, .preset = "yes", \
     .bare = "yes", .arg = "HOW", .choices = "yes|no|pass", .needs = RUN_TAKES_PASS, \
     .workload = true, .text = run_verify_how_text, \
     .help = "check every block that is read, outside the I/O times; pass: in a " \
             "separate, untimed pass"}, \
    {.kind = OPT_INT, .name = "seed", \
     .fixed = true, .value = &(o).seed, .preset = "0", .arg = "N", \
     .unit = "1", .min = 0, .max = 9.2e18, \
     .help = "seed for data and random offsets; 0: picks a new one in each run", \
     .text = "Seed for data and random offsets; 0 picks a new one in each run. The " \
             "report has it."}, \
    {.kind = OPT_TITLE, .help = "Comparing, in one run:"}, \
    {.kind = OPT_LIST, .name = "compare", .value = &(o).compare, .fixed = true, \
     .arg = "OPTION=VALUE,VALUE", .needs = RUN_TAKES_COMPARE, \
     .text = run_compare_text, \
     .help = "compare the values of an option, in rounds; may be repeated: then all " \
             "combinations"}, \
    {.kind = OPT_TEXT, .name = "compare-arms", .value = &(o).compare_arms, \
     .fixed = true, .arg = "ARMS", .needs = RUN_TAKES_COMPARE, \
     .help = "compare named settings: 'posix: iomethod=posix; coll: iomethod=mpi " \
             "collective'", \
     .text = "Compare named settings: \"posix: iomethod=posix; coll: iomethod=mpi " \
             "collective\". With --compare, all combinations."}, \
    {.kind = OPT_TEXT, .name = "until", .value = &(o).until, .fixed = true, \
     .arg = "WIDTH", .needs = RUN_TAKES_COMPARE, .text = run_until_text, \
     .help = "end when all intervals are this narrow, for example 5%"}, \
    {.kind = OPT_TEXT, .name = "budget", .value = &(o).budget, .fixed = true, \
     .arg = "TIME", .needs = RUN_TAKES_COMPARE, \
     .help = "time that the comparison may take, for example 90s or 30m", \
     .text = "The time that the comparison may take: seconds, or 90s, 30m, 8h. No " \
             "round is begun that would exceed it, judged by the rounds before. By " \
             "default 5m, if neither --rounds nor --until is given."}, \
    {.kind = OPT_INT, .name = "rounds", .value = &(o).rounds, .preset = "0", \
     .fixed = true, .arg = "N", .unit = "1", .min = 0, .max = 1e5, \
     .needs = RUN_TAKES_COMPARE, \
     .help = "rounds of the comparison, after the one of warm-up", \
     .text = "The rounds of the comparison, after the one of warm-up; 6 are the " \
             "least for an interval. 0: as many as --until and --budget allow."}, \
    {.kind = OPT_TITLE, .help = "Output:"}, \
    {.kind = OPT_TEXT, .name = "json", \
     .fixed = true, .value = &(o).json, .arg = "FILE", \
     .text = run_json_text, \
     .help = "write the report as JSON, for leadline compare (-: to standard " \
             "output, which then has nothing else)"}, \
    {.kind = OPT_TEXT, .name = "csv", .fixed = true, .value = &(o).csv, .arg = "FILE", \
     .help = "write the samples as CSV (-: to standard output)", \
     .text = "Write the samples as CSV, one row per repetition, phase and activity; " \
             "*-* as for --json."}, \
    {.kind = OPT_TEXT, .name = "label", \
     .fixed = true, .value = &(o).label, .arg = "TEXT", \
     .help = "a name for this run in its report"}, \
    {.kind = OPT_FLAG, .name = "quiet", \
     .fixed = true, .letter = 'q', .value = &(o).quiet, \
     .preset = "no", .help = "print no progress and no tables", \
     .text = "Print no progress and no tables. Progress is printed only where " \
             "standard error is a terminal."}, \
    {.kind = OPT_FLAG, .name = "per-rank", \
     .fixed = true, .value = &(o).per_rank, .preset = "no", \
     .help = "write every rank's times to the JSON, even above 256 ranks"}, \
    {.kind = OPT_REAL, .name = "live", \
     .fixed = true, .value = &(o).live_s, .preset = "0", \
     .arg = "S", .unit = "s", .min = 0, .max = 1e6, .text = run_live_text, \
     .help = "every S seconds, print on stderr what rank 0 transferred in that " \
             "time (with --quiet, only add a row to --live-csv); 0: do not"}, \
    {.kind = OPT_TEXT, .name = "live-csv", \
     .fixed = true, .value = &(o).live_csv, .arg = "FILE", \
     .help = "with --live: write the same as CSV, one row every S seconds", \
     .text = "With --live: write the same as CSV, one row each time. The file exists " \
             "during the run and stays, however the run ends."}, \
    {.kind = OPT_TEXT, .name = "series", .fixed = true, .value = &(o).series, \
     .arg = "ID,CONFIG,ROUND", .help = "this run's place in a sweep", \
     .text = "This run's place in a sweep, for the report. *leadline sweep* sets " \
             "it."}, \
    {.kind = OPT_TITLE, .help = "Planning:"}, \
    {.kind = OPT_FLAG, .name = "dry-run", \
     .fixed = true, .value = &(o).dry_run, .preset = "no", \
     .text = run_dry_run_text, \
     .help = "print what the run would need (also to --json), and do nothing"}, \
    {.kind = OPT_INT, .name = "ranks", \
     .fixed = true, .value = &(o).ranks, .preset = "0", \
     .arg = "P", .unit = "1", .min = 0, .max = 2e9, \
     .help = "with --dry-run: pretend that there are P ranks"}
/* clang-format on */

/* An option for programs whose ranks read blocks that ranks have written. */
/* clang-format off */
#define RUN_RANK_SHIFT(o) \
    {.kind = OPT_INT, .name = "rank-shift", .value = &(o).rank_shift, .preset = "0", \
     .arg = "N", .unit = "1", .min = 0, .max = 2e9, .workload = true, \
     .word = "node", .needs = RUN_TAKES_SHIFT, .text = run_rank_shift_text, \
     .help = "rank r reads what rank r + N wrote (modulo their number; each lane " \
             "counts as a rank), so that the client's own cache cannot serve it; " \
             "node: what a rank on another node wrote"}
/* clang-format on */

/* An option for programs whose files may usefully be striped. */
/* clang-format off */
#define RUN_STRIPE(o) \
    {.kind = OPT_TEXT, .name = "stripe", .value = &(o).stripe, .arg = "COUNT[,SIZE]", \
     .workload = true, .text = run_stripe_text, \
     .help = "Lustre: stripe count of new files (a number, or all) and stripe size " \
             "in bytes; by default as the directory says"}
/* clang-format on */

#define RUN_SHIFT_NODE (-1) /* rank_shift: by node */
enum { RUN_SHIFT_LEAST = -1, RUN_SHIFT_MOST = 2, RUN_SHIFTS = 4 };

enum run_mode { RUN_NONE, RUN_SYNC, RUN_ASYNC, RUN_MODES };

struct run_origin {                       /* where the bytes came from that were read */
    int64_t looked_bytes, resident_bytes; /* of files about to be read, on this rank */
    int64_t read_bytes, device_read_bytes; /* of all ranks; device -1: not known. Phases
                                            * of work, without the first */
};

struct run_rates { /* rates of one repetition, for the figures over all phases */
    double read_s, write_s, wall_s; /* sums over phases of the slowest rank's time */
    int64_t read_bytes, write_bytes;
};

struct run_beside {          /* time between transfers of a kind, which the kernel may
                              * have used */
    double moved_s, other_s; /* seconds of transfers, and of computing and checking */
    int64_t bytes;
};

struct run_held { /* sample of a phase's transfers, observed as they were submitted */
    int looked, held; /* held: those in which the kernel blocked the caller */
    int depth;
};

struct doctor;
struct run_lanes;
struct arms;
struct workload;
struct run_live;

struct run_input {        /* files of others, for runs that make none of their own */
    const char *path;     /* one of them, or their directory; NULL: the run makes
                           * its files */
    int64_t count, bytes; /* bytes: in all of them */
    bool device;          /* a block device: there is no file system */
};

struct run_output {   /* output of a run that is not in --dir */
    const char *path; /* need not exist yet; NULL: all output is in --dir */
    int64_t bytes;    /* included in the need's disk_bytes; -1: not known */
};

struct run_limit { /* this rank's work until the limit, and each worker's total */
    bool reached;
    int64_t most;
    int64_t bytes[2], ns[2]; /* read, written; the slowest lane's */
};

struct run {
    struct world world;
    const struct workload *workload;
    const struct opt_program *program; /* the options that it takes */
    struct run_options *options;
    void *context; /* the program's own (struct workload) */
    struct report *report;
    struct arms *arms; /* run/compare.h; NULL: no comparison */
    struct phase *phase;
    int files;               /* number of each lane's files of need.role; 1 without
                              * a role */
    int64_t all_files;       /* set in `plan` by programs that name their own files:
                              * their total number; 0: by FILETYPE */
    int direct_align;        /* the divisor of direct transfers: IO_DIRECT_ALIGN, or
                              * what run_direct_align has found */
    int lane, lanes;         /* the lane's number, from 0, and the number of this
                              * rank's lanes */
    struct run_live *live;   /* run/inside.h; NULL: no --live */
    struct run_lanes *team;  /* the other lanes (run/lanes.h); NULL: none */
    int worker, workers;     /* the lane's number among all ranks' lanes (rank x lanes +
                              * lane), and their number */
    int shifted[RUN_SHIFTS]; /* with RUN_SHIFT_NODE: the rank that is n shifts on */
    struct progress progress;
    /* Set in `plan` (run/workload.h): then --dir is not checked and nothing
     * is written. */
    struct run_input input;
    struct run_output output;
    const char *engine; /* engine spec in use; NULL with RUN_NONE */
    bool async;         /* transfers are in flight until run_await */
    bool output_taken;  /* standard output is reserved for --json or --csv */
    bool queues;        /* the engine is asynchronous, in any mode */
    bool in_kernel;     /* the engine's queue is in the kernel */
    const char *engine_of[RUN_MODES]; /* specs of engines, once chosen */
    char chosen[512];                 /* reason for the choice of the
                                       * asynchronous engine */
    bool verify;                      /* blocks are stamped and checked */
    bool flush;                       /* --cache=flush or direct */
    int io_flags;                     /* IO_COLLECTIVE and IO_DIRECT, by the options */
    bool counters;                    /* the kernel counts what comes from the device */
    bool counts_here;                 /* on this node, by its first rank's trial */
    int groups, group; /* of nodes on unlike storage, and this rank's, from 0; groups
                        * 0: all are alike */
    struct doctor *doctor; /* findings of --doctor, on rank 0; NULL: none */
    bool shared;           /* FILETYPE=SHARED or PARTITIONED */
    bool partitioned;
    char part_spec[256];         /* the engine that partitions, with its inner one */
    char plan[LDAD_TEXT];        /* of the files; "": not known */
    int64_t misfits[2];          /* this rank's writes that did not fit the plan, and
                                  * their bytes */
    struct io_fs fs;             /* file system of --dir, on each rank */
    struct io_stack stack;       /* storage below the files, the same on every rank */
    struct io_stack also;        /* storage below other files that are read; n
                                  * 0: none */
    struct io_striping striping; /* requested by --stripe; count 0: not */
    bool striped;                /* the stripes of a file were looked up */
    struct io_stored stored;     /* of this rank's first file; data 0: not known */
    char id[64];
    uint64_t seed;
    bool own_text;       /* the program prints its own text: the report prints none */
    bool latencies;      /* phases have figures of their transfers' latencies, too */
    bool sync_latencies; /* ... and of their syncs' */
    bool io_shares;      /* phases have a figure of the share of I/O in their time */
    bool samples_only;   /* phases make no figures: the program makes its own */
    bool aside;          /* the phase is left out of the rates over all phases */
    struct report_at at; /* variable part of a run's figures; no name: none */
    int rep;             /* from 1 */
    int pass;   /* of the repetition, from 1: each run_mode begins one; 0: there is
                 * only one */
    int failed; /* this rank's first failure */
    int64_t device_before;
    struct report_checks checks; /* on rank 0, of all ranks */
    int64_t checked, bad;        /* this rank's blocks */
    int64_t all_read_bytes;      /* of all ranks, in all phases */
    struct run_origin origin;
    struct run_rates rates;
    struct run_beside beside[2];      /* reads, writes; over all repetitions */
    int64_t cpu_ns[ACT_COUNT];        /* of this process, within transfers and syncs */
    int64_t cpu_before_ns[ACT_COUNT]; /* when the phase began */
    /* Queues: requests made in this phase; time of care for blocks (run_stamp,
     * run_check) while transfers were in flight, and the time of these transfers. */
    int64_t made, care_ns, queue_ns;
    struct run_held held;                  /* in this phase */
    struct run_limit limit;                /* in this phase, if a limit was reached */
    struct report_rate last;               /* of the last phase that ended */
    struct iovec buffers[RUN_BUFFERS_MAX]; /* memory that transfers use, if announced */
    int buffer_count;
    char *buffer; /* need.buffer_bytes; without --verify, noise filled in for
                   * each repetition */
    /* Files of need.role. This is the lane's first one; in memory, the first files of
     * all lanes come before their second ones (run_file_nth). */
    struct run_file *file;
    struct io_hint hints[RUN_HINTS_MAX];
    int hint_count;
    bool described; /* report_io has the engine */
};

struct run_file {
    struct run *run;
    struct io_file *io; /* NULL while closed, and with IOMODE=NONE */
    MPI_Comm comm;      /* the ranks that open it: all, or this one */
    bool shared;        /* one file for all ranks */
    bool elsewhere;     /* another rank's file: this rank takes no part */
    bool independent;   /* its transfers are not collective, even with --collective */
    bool local;         /* this lane's own file, outside of all agreements */
    bool beside;        /* not among the files that the run is about */
    bool as_cached;     /* opening it keeps its cached pages */
    int without;        /* enum io_flags that the policy has and this file has not */
    const char *engine; /* the run's; NULL: no I/O */
    int place;          /* the worker whose part of the file is transferred next */
    int member;         /* index among the lane's files */
    const char *role;
    char path[4096];
    int64_t bytes; /* bytes of the complete file */
    int64_t max_request;
    int depth;
    struct io_queue
        *queue; /* set before opening: shared by several files; NULL: its own */
    struct io_shape shape; /* ndims 0: none */
    char dim_names[64];
    struct ldad_plan plan; /* ranks 0: none */
};

struct run_io { /* a transfer */
    struct io_req req;
    bool under_way; /* submitted, and not yet awaited */
};

/* ---- start and end -------------------------------------------------------------- */

/* **Collective** on all processes. Answers --help and --version (sets *status and
 * returns false), parses options, starts MPI. Returns true to go on; errors are in
 * r->failed, the same on every rank. */
bool run_start(struct run *r, const struct workload *w, const struct opt_program *p,
               int *argc, char ***argv, int *status);

/* **Collective.** After run_ready, and before the first phase: announces that the run
 * also reads `path`, which need not be in --dir. Its storage then counts in the
 * report's account of what served reads. Returns the agreed verdict. */
int run_reads(struct run *r, const char *path);

/* **Collective**, in `plan`. Examines an existing file or block device that all ranks
 * will read: calls io_input_of on each rank, and checks that all see the same size, and
 * that it has content unless it may be `empty`. Returns the agreed verdict. */
int run_input(const struct run *r, const char *path, struct io_input *in, bool empty);

/* Local, rank 0 counts, once the report is open. Adds a note on the input, which ends
 * with `rest`, and a warning if parts of it are not stored (holes). */
void run_input_say(struct run *r, const char *path, const struct io_input *in,
                   const char *rest);

/* Local, rank 0 counts, at the end. Warns if the input has changed meanwhile: its owner
 * may still write it. */
void run_input_again(struct run *r, const char *path, const struct io_input *in);

/* Local. Looks, at the first call, for the report, at one of this rank's files, or at
 * the shared one: its stripes (on rank 0), and what is stored of it. Between phases, as
 * it may run another program. Programs that call run_file_remove need not call it. */
void run_stripes(struct run *r, const char *path);

/* Local. Before run_ready: gives the report the layout of the files. */
void run_plan(struct run *r, const struct layout *l);

/* **Collective.** Before the first phase, once sizes are known: checks the directory,
 * the memory (bytes a rank will allocate) and the free space (bytes of all files),
 * opens the report, and gives it the files' properties (`layout`: the order of their
 * slots; `depth`: transfers in flight). `steps`: of progress in one repetition. Returns
 * the agreed verdict. */
int run_ready(struct run *r, int argc, char **argv, int64_t memory_bytes,
              int64_t disk_bytes, const char *layout, int depth, int64_t steps);

#define RUN_PLACE 13
/* Local. Identifies the place in which this process id is valid, as part of a run's id:
 * twelve digits of the boot of this machine and the PID namespace. */
void run_place(char out[RUN_PLACE]);

/* Local. Tells the user, on rank 0, of files in `dir` that ended runs have left: those
 * whose names are `prefix` and the id of a run that is known to have ended. Kept files
 * look the same. run_ready calls it for --dir. */
void run_leftovers(const struct run *r, const char *dir, const char *prefix);

/* **Collective.** Adds the checks to the report and closes it with the agreed `rc`.
 * Returns the verdict, a failure if the run verified nothing. */
int run_report_close(struct run *r, int rc);

/* **Collective.** Closes the report if it is open, and ends MPI. Returns the
 * exit status. */
int run_finish(struct run *r, int rc);

/* **Collective**, in `plan`, for programs with RUN_TAKES_AUTO: resolves --cache=auto
 * for transfers of `path` (an existing file, or the directory of a future one).
 * `whole_blocks`: they are whole blocks of a device. The same on every rank. */
void run_settle_cache(struct run *r, const char *path, bool whole_blocks);

/* **Collective**, in `plan`, for sizes that are no multiples of IO_DIRECT_ALIGN. Sets
 * r->direct_align to io_direct_align of `path`, the largest on any rank, and returns
 * it. All files of the run must be on the same file system. */
int run_direct_align(struct run *r, const char *path);

/* **Collective**, in `plan`. False if --cache=direct cannot transfer sizes of which
 * these bits are the union: they are multiples neither of IO_DIRECT_ALIGN nor of
 * run_direct_align of `path`, which is asked then only. */
bool run_direct_fits(struct run *r, const char *path, int64_t sizes);

/* Local. Returns -EINVAL with a sentence that names r->direct_align and ends with
 * `what`. */
int run_refuse_direct(const struct run *r, const char *what);

/* Local, in `plan`. Sets the number of lanes, whatever --threads says. Returns 0, or
 * -EINVAL with a sentence if the engine cannot have several. */
int run_threads(struct run *r, int threads);

/* Local. The mode that IOMODE asks for. */
enum run_mode run_mode_asked(const struct run_options *o);

/* **Collective.** Sets the mode of further transfers. RUN_ASYNC chooses its engine the
 * first time. `verify`: blocks are checked (if --verify is on and there is I/O).
 * Between phases only, with no file open; the rates of run_rep_end count from here on.
 * Returns the agreed verdict. */
int run_mode(struct run *r, enum run_mode mode, bool verify);

/* Local. Sets the engine of further transfers, whatever IOMETHOD says; the rates of
 * run_rep_end count from here on. For programs that compare engines. Between phases,
 * with no file open. Returns 0, or -errno with a sentence if the engine cannot do what
 * the options need, or cannot be used here. `spec` stays the caller's. */
int run_engine(struct run *r, const char *spec);

/* Local. True if each write is written back before it counts as done (IOMODE=ASYNC with
 * --cache=flush, if the engine can). */
bool run_writes_back(const struct run *r);

/* **Collective.** Before run_shifted: finds the ranks' nodes, if --rank-shift asks for
 * nodes. Fails with -EINVAL and a sentence if each worker would read what it wrote
 * itself (or a worker of its node). Returns the agreed verdict. */
int run_settle_shift(struct run *r);

/* Local. The worker (a rank, if each has one lane) that is n times --rank-shift further
 * on, n from RUN_SHIFT_LEAST to RUN_SHIFT_MOST. -1 gives the worker of which this one
 * is the next. */
int run_shifted(const struct run *r, int n);

/* Local. Before files are opened: announces memory that transfers will use, so that
 * engines may register it with the kernel. */
void run_buffer(struct run *r, void *buf, int64_t bytes);

/* Needs of a run, and the bytes it moves; -1: not known beforehand. */
struct run_need {
    const struct layout *layout; /* slots of its files; NULL: files without slots */
    const char *role;     /* role of the file of that layout that each lane has as
                           * r->file: named when a repetition begins, opened for stages,
                           * removed at the end; NULL: the program does so */
    const char *order;    /* order of data in the files; with a layout, the layout's */
    int depth;            /* transfers in flight; 0: 1 */
    int64_t steps;        /* steps of progress in a repetition */
    int64_t memory_bytes; /* what a rank allocates for all its lanes */
    int64_t buffer_bytes; /* of a lane: allocated by run_main as r->buffer */
    int64_t files;        /* files at a time, each by FILETYPE; with a role, the files
                           * of a lane in one queue; */
    int64_t disk_bytes;   /* bytes of all files */
    int64_t write_bytes, read_bytes; /* by all ranks, in a pass over all phases */
    int64_t passes;                  /* passes in all repetitions; 0: one in each */
};

/* **Collective.** Does what --dry-run asks for: prints the needs, unless --quiet, and
 * writes them to --json (schema leadline-need/1). Returns the agreed verdict. */
int run_dry(const struct run *r, const struct run_need *need);

/* **Collective.** Only writes them to --json, for a program that has printed them. */
int run_dry_json(const struct run *r, const struct run_need *need);

/* ---- phases ------------------------------------------------------------------ */

void run_phase_begin(struct run *r, const char *name);

/* **Collective.** Waits for the others (idle), ends the phase, agrees on failures, adds
 * its samples and its figures NAME.read_MBps, NAME.write_MBps, NAME.wall_s. */
int run_phase_end(struct run *r);

/* Local. After run_phase_end, in programs that know what a phase must move on all ranks
 * together. Returns 0, or -EIO with a sentence if other bytes were counted. < 0: any.
 * `path`: of the file, or NULL. */
int run_moved(const struct run *r, const char *phase, const char *path,
              int64_t read_bytes, int64_t write_bytes);

/* Local, on every rank, after run_phase_end. For calls that move no data: adds figures
 * of their latencies (PHASE.p50_us, .p99_us, .p999_us, .max_us). Returns 0, or -EIO
 * with a sentence if all ranks together have not made `calls` of this kind. */
int run_called(struct run *r, enum phase_op op, int64_t calls);

/* Local (rank 0 counts). Adds report_figure_at of PHASE.NAME, or of NAME if phase is
 * "", at the run's present r->at. */
void run_figure(struct run *r, const char *phase, const char *name, const char *unit,
                const char *better, const char *formula, double value);

/* Local (rank 0 counts). Adds one number to the report as results.<name>. */
void run_result(struct run *r, const char *name, double value);

/* **Collective.** Begin and end repetition r->rep + 1; the end adds the figures of the
 * whole: read_MBps, write_MBps, wall_s. */
void run_rep_begin(struct run *r);
void run_rep_end(struct run *r);

/* ---- files, within a phase ----------------------------------------------- */

/* **Collective.** Names a file (one for all ranks, or one per rank) with the slots of
 * `l`, for requests of at most max_request bytes, `depth` in flight. `role` is also the
 * name of the array that HDF5 makes of it. */
void run_file_name(struct run_file *f, struct run *r, const char *role,
                   const struct layout *l, int64_t max_request, int depth);

/* Local, of a lane. Its k-th file of need.role, from 0. */
static inline struct run_file *run_file_nth(const struct run *r, int k)
{
    return &r->file[(int64_t)k * r->lanes];
}

/* Local. Makes r->file with r->files files for each lane; run_main calls it for a
 * need.role, and frees them. Returns -ENOMEM with a sentence on failure. */
int run_files_make(struct run *r);

/* Local, while the file is closed. Chooses the file of `worker` to be opened next
 * (FILETYPE=UNIQUE), or that worker's part of the one file to be transferred next.
 * run_file_remove then removes it. */
void run_file_of(struct run_file *f, int worker);

/* Local. Names a file by its path: one for all ranks (`shared`), this rank's own
 * (`mine`), or another rank's. The owner alone opens, closes and removes its file, and
 * other ranks agree on the outcome. `bytes`: of the complete file; 0: it grows. */
void run_file_at(struct run_file *f, struct run *r, const char *path, bool shared,
                 bool mine, int64_t bytes, int64_t max_request, int depth);

/* Local, of a lane. Names a file of the lane's own: run_file_open, run_file_close and
 * run_file_remove are then Local for it, and any thread may call them, unless the
 * engine calls MPI. Ranks agree on the outcome only at the end of the phase, so lanes
 * and ranks may have unequal numbers of such files. A file that the run did not make is
 * opened read-only, and never removed. `bytes`: of the complete file; 0: it grows. */
void run_file_local(struct run_file *f, struct run *r, const char *path, int64_t bytes,
                    int64_t max_request, int depth);

/* Local, of a lane. As run_file_local, for files other than those that the program is
 * about: inputs whose cached pages it manages itself, and scratch files, which it
 * removes itself. They exist with IOMODE=NONE, too, by the engine posix; the report
 * does not describe them; and their writes need not be written back. */
void run_file_beside(struct run_file *f, struct run *r, const char *path,
                     int64_t max_request, int depth);

/* **Collective.** Opens the file with `flags` (enum io_flags). Before reading, counts
 * its cached pages on this node, and with --cache=flush drops them. */
int run_file_open(struct run_file *f, int flags);

/* **Collective.** Syncs the file if the policy says so and it was `written` to (the
 * same on every rank, even if this rank's transfers failed), then closes it. With any
 * FILETYPE each rank syncs as soon as it comes here; where ranks close a file together,
 * waiting for the others counts as `idle`. */
int run_file_close(struct run_file *f, bool written);

/* **Collective.** Closes the file if it is open, and removes it unless --keep. */
int run_file_remove(struct run_file *f);

/* Local. Describes the opened engine in the report, with `depth` requests in flight, as
 * run_file_open does; for programs with files of another kind. io NULL: there is no one
 * file to ask. */
void run_describe(struct run *r, struct io_file *io, bool collective, int depth);

/* Local, on one rank of each node, before the file is read. Drops its pages on this
 * node (--cache=flush), after counting those that are there among its `bytes`. A
 * failure is kept. */
void run_empty_cache(struct run *r, const char *path, int64_t bytes);

/* Local. The two halves of run_empty_cache, if the file's bytes are known only
 * afterwards. The first drops the pages and returns how many bytes were cached, or -1
 * if that is not known; the second counts them. */
int64_t run_drop_cached(struct run *r, const char *path);
void run_count_cached(struct run *r, int64_t bytes, int64_t resident);

/* Local. Makes the path in --dir of a file of this repetition; `which` is appended. A
 * path that is too long is a failure of r. */
void run_path(struct run *r, const char *role, const char *which, char *path,
              size_t size);

/* Local. After a container was opened or closed, with --cache=flush: counts the time
 * spent on its header (io_header_ns() minus `before_ns`) as time of the sync. */
void run_charge_header(struct run *r, int64_t before_ns);

/* Local, on all ranks, before a container is read. As run_empty_cache, for two
 * partitions: the one that this rank wrote, and the one that rank `place` wrote. So
 * each node looks after what it has in memory, and no node after all partitions. */
void run_empty_cache_parts(struct run *r, const char *path, int place);

/* Local (collective with --collective). Make one timed transfer, with its latency:
 * submit starts it, and with IOMODE=SYNC also completes it; await returns when it is
 * done. Until then the engine owns t and its buffer. */
void run_submit(struct run_file *f, struct run_io *t);
void run_await(struct run_file *f, struct run_io *t);

/* Local. Waits until the file's queue, which several files may share, has room for
 * another request; the time counts for the kind `op`. Returns true if it has room. */
bool run_await_room(struct run_file *f, enum io_op op);

/* Local. Submits n <= RUN_LIST_MOST transfers of one kind together; run_await waits for
 * each, in any IOMODE. A synchronous engine has made them when it returns. */
#define RUN_LIST_MOST 1024
void run_submit_list(struct run_file *f, struct run_io t[], int n);

/* Local. Calls io_file_flush, timed as a write. A failure is kept. */
void run_flush(struct run_file *f, bool discard);

/* **Collective.** Make the writes durable, in two steps (io_file_sync_own), timed;
 * run_file_close calls them. A failure is kept. */
void run_sync(struct run_file *f);
void run_sync_meet(struct run_file *f);

/* Local. Advances transfers in flight; to be called every few milliseconds of
 * computation. f->io may be NULL. */
void run_poll(struct run_file *f);

/* Local. Drops these bytes, which this phase will read again, from the page cache,
 * unless --cache=keep. */
void run_forget(struct run_file *f, int64_t offset, int64_t bytes);

/* Local (collective with --collective). Makes n <= depth prepared requests of one kind,
 * all in flight at once; they hold their results. */
void run_transfer(struct run_file *f, struct io_req *req, int n);

/* Local. Records a failure; the first one of a rank (lane) stays. 0: no failure. */
void run_fail(struct run *r, int rc);

/* Local. Processor nanoseconds so far of the process, or of this lane if there
 * are several. */
int64_t run_cpu_ns(const struct run *r);

/* Local. True if the kernel may move bytes of this file while the program has nothing
 * in flight: it reads ahead and writes back. */
bool run_goes_on(const struct run_file *f);

/* Local. Calls io_queue_start_at, and observes whether the kernel blocks the caller
 * until transfers are complete. Then no more than one of them is in flight. */
int run_start_at(struct run_file *f, struct io_queue *q, struct io_req *list[], int n,
                 int64_t now_ns);

/* Local. The activity in a phase that transfers of a kind are. */
enum act run_act_of(enum io_op op);

/* Makes request number i of a sequence, in the memory of `slot` (< depth). Its
 * `file` may be another file of the same queue. bytes < 0: nothing to do now; number
 * i is asked for again when more requests are done, and the queue ends when none is
 * in flight. */
typedef struct io_req run_request(const void *context, int64_t i, int slot);

/* Called when number i is done; its slot's memory is reused after the call. Not called
 * for a failed request, nor afterwards. */
typedef void run_request_done(void *context, const struct io_req *req, int64_t i,
                              int slot);

/* The intended start of number i, on clock_ns; called again until it is not after
 * now_ns. Numbers have increasing starts. */
typedef int64_t run_request_due(void *context, int64_t i, int64_t now_ns);

struct run_queue {
    run_request_due *due;   /* NULL: at once. Else latencies are from then on, and the
                             * time until the next one is the caller's, if nothing is in
                             * flight */
    run_request *make;      /* sets op: kinds may be mixed */
    run_request_done *done; /* NULL: nothing to do on completion */
    void *context;          /* for all */
    int64_t from;           /* number of the first request */
    int64_t total;          /* number of requests; -1: until limit_s have passed */
    double limit_s;         /* 0: none. Requests in flight at the limit are finished,
                             * and count */
    bool ordered;           /* done() is called in the order of i */
    bool untimed;           /* all of it is care for blocks: no transfer is booked */
    bool mixed; /* both kinds occur: their seconds are shared (struct phase) */
    /* make() and done() are care for blocks (run_stamp, run_check): while transfers are
     * in flight their time counts as these transfers', or it would hide a part of it;
     * else not. */
    bool all_visible;
    bool brief; /* done() is brief: its time is the transfers', and is not measured,
                 * which would take longer */
};

/* Local. Opens a queue of the run's engine for several files of the same `depth`, to be
 * their `queue`; it is closed (io_queue_close) after them. max_request: the largest of
 * any file. Returns 0, or -errno with a sentence, for example if the engine has one
 * queue per file. With IOMODE=NONE there is none, and *q is NULL. */
int run_queue_open(const struct run *r, struct io_queue **q, int depth,
                   int64_t max_request);

/* Local (collective with --collective, and then ordered and without limit_s). Keeps
 * `depth` requests in flight while there are enough: starts one for each that is done,
 * and books each by its kind. Without `done`, or with a brief one, all of the time is
 * visible time of transfers; with it, submitting and waiting are, and the rest stays
 * time of the activity around, such as computing. req: the depth slots. Returns the
 * number of requests made. */
int64_t run_queue(struct run_file *f, struct io_req *req, const struct run_queue *q);

/* **Collective**, on the ranks' first threads. After queues with a limit: books the
 * work done by then, which gives the phase the figures NAME.limit_read_MBps and
 * NAME.limit_write_MBps. Returns the number of requests that the fastest lane has made
 * in this phase, the same on every rank; the slower lanes must catch up, so that all do
 * the same work. r->made has the rank's own number. */
int64_t run_wear_out(struct run *r);

/* ---- stamped data, within a phase -------------------------------------------- */

/* Local. The stamp of a block that a worker writes in this repetition. */
struct stamp run_stamp_of(const struct run *r, int worker, int mat, int version);

/* Local. run_fill is run_stamp, but always fills; run_check_stamp is run_check. Both
 * take a stamp that the program may have changed. */
void run_fill(struct run *r, void *buf, int64_t bytes, const struct stamp *s);
void run_check_stamp(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
                     const struct stamp *s);

/* Local. Fills with the stamp of (mat, version) of this worker. If blocks are not
 * verified it does nothing, for then any incompressible data will do (run_noise). */
void run_stamp(struct run *r, void *buf, int64_t bytes, int mat, int version);
void run_noise(struct run *r, void *buf, int64_t bytes);

/* Local. Overwrites the buffer, so that a read that delivers nothing is detected. */
void run_poison(struct run *r, void *buf, int64_t bytes);

/* Local. Checks a block that was read into `buf` from `offset` of the file. Its writer
 * is the rank that --rank-shift says, or this one. */
void run_check(struct run_file *f, const void *buf, int64_t offset, int64_t bytes,
               int mat, int version);

/* Local. For data without stamps: counts a block as checked, and as bad (with a
 * sentence) if the fingerprints differ. earlier: fingerprint of the previous content;
 * 0: not known. */
struct run_hash {
    uint64_t found, expected, earlier;
};
void run_check_hash(struct run_file *f, struct run_hash hash, int64_t offset,
                    int64_t bytes, int mat);

#endif
