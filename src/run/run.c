/* Start, preparation and end of a program. */
#include "base/err.h"
#include "base/scratch.h"
#include "base/units.h"
#include "run/compare.h"
#include "run/inside.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- options -------------------------------------------------------------------- */

static int parse_hints(struct run *r)
{
    const struct opt_list *l = &r->options->hints;
    for (int i = 0; i < l->n; i++) {
        struct io_hint *h = &r->hints[r->hint_count++];
        const char *equals = strchr(l->item[i], '=');
        size_t key = equals ? (size_t)(equals - l->item[i]) : 0;
        if (!key || !equals[1] || key >= sizeof h->key ||
            strlen(equals + 1) >= sizeof h->value)
            return err_usage("--hint: \"%s\" is not KEY=VALUE", l->item[i]);
        snprintf(h->key, sizeof h->key, "%.*s", (int)key, l->item[i]);
        snprintf(h->value, sizeof h->value, "%s", equals + 1);
    }
    return 0;
}

static int check_series(const char *series)
{
    int commas = 0;
    for (const char *c = series; c && *c; c++)
        commas += *c == ',';
    if (series && (commas != 2 || atol(strrchr(series, ',') + 1) < 1))
        return err_usage("--series: \"%s\" is not ID,CONFIG,ROUND", series);
    return 0;
}

/* Checks that an engine can do what these options need. */
static int check_engine(struct run *r, const char *engine)
{
    const struct run_options *o = r->options;
    char what[IO_ENGINE_TITLE];
    int rc = io_engine_check(engine, r->io_flags);
    if (!rc && o->verify && run_mode_asked(o) != RUN_NONE && !io_engine_stores(engine))
        rc = err_usage("%s stores nothing that could be verified: add --no-verify",
                       io_engine_title(engine, what));
    if (!rc && r->hint_count && !io_engine_takes_hints(engine))
        rc = err_usage("--hint is for MPI-IO, and %s takes no hints: leave it out%s",
                       io_engine_title(engine, what),
                       r->partitioned ? "" : ", or set IOMETHOD=MPI");
    if (!rc && o->threads > 1 && io_engine_calls_mpi(engine))
        rc =
            err_usage("--threads=%lld: %s calls MPI to transfer, which one thread of a "
                      "rank may do: start more ranks, or take IOMETHOD POSIX%s",
                      (long long)o->threads, io_engine_title(engine, what),
                      r->partitioned ? " and FILETYPE UNIQUE or SHARED" : "");
    return rc;
}

/* Wraps the engine of IOMETHOD in the one that partitions. */
static int settle_partitioned(struct run *r)
{
    int rc = io_engine_partitioned(r->engine_of[RUN_SYNC], r->part_spec,
                                   sizeof r->part_spec);
    r->engine_of[RUN_SYNC] = r->part_spec;
    return rc;
}

static int check_shift(const struct run_options *o, int workers)
{
    const char *what = o->threads > 1 ? "thread" : "rank";
    if (o->rank_shift && o->rank_shift % workers == 0)
        return err_usage("--rank-shift=%lld of %d %s%s: each would read what it wrote "
                         "itself; take a number that is no multiple of %d%s",
                         (long long)o->rank_shift, workers, what, units_s(workers),
                         workers, workers == 1 ? ", with more ranks" : "");
    return 0;
}

int run_settle_shift(struct run *r)
{
    static const int steps[RUN_SHIFTS] = {-1, 0, 1, 2};
    const struct run_options *o = r->options;
    if (o->rank_shift != RUN_SHIFT_NODE)
        return err_agree(r->world.comm, check_shift(o, r->workers));
    if (o->dry_run && o->ranks) /* the ranks' nodes are not known */
        return 0;
    return world_next_nodes(&r->world, steps, RUN_SHIFTS, r->shifted);
}

/* Shifts each lane to the lane of the same number in the other rank. */
static int shifted_by_node(const struct run *r, int n)
{
    int lanes = r->workers / r->world.size;
    return r->shifted[n - RUN_SHIFT_LEAST] * lanes + r->worker % lanes;
}

int run_shifted(const struct run *r, int n)
{
    int64_t workers = r->workers, to = r->worker + n * r->options->rank_shift;
    if (!r->options->rank_shift)
        return r->worker;
    if (r->options->rank_shift == RUN_SHIFT_NODE)
        return shifted_by_node(r, n);
    return (int)((to % workers + workers) % workers);
}

static int check_node_dirs(const struct run_options *o)
{
    if (o->node_dirs && strcmp(o->filetype, "PARTITIONED"))
        return err_usage("--node-dirs places the files of FILETYPE=PARTITIONED, and "
                         "this one is %s: leave it out",
                         o->filetype);
    return 0;
}

static int settle_stripe(struct run *r)
{
    const char *text = r->options->stripe;
    if (text && r->partitioned)
        return err_usage(
            "--stripe is of whole files, and FILETYPE=PARTITIONED makes many of one: "
            "take UNIQUE or SHARED, or set the directory's stripes (lfs setstripe)");
    return text ? io_striping_parse(text, &r->striping) : 0;
}

static int run_settle(struct run *r)
{
    struct run_options *o = r->options;
    o->verify = o->verify && strcmp(o->verify_how, "no") &&
                r->workload->takes & (RUN_TAKES_VERIFY | RUN_TAKES_PASS);
    r->io_flags = (o->collective ? IO_COLLECTIVE : 0) |
                  (strcmp(o->cache, "direct") ? 0 : IO_DIRECT);
    r->shared = strcmp(o->filetype, "UNIQUE");
    r->partitioned = !strcmp(o->filetype, "PARTITIONED");
    int rc = parse_hints(r);
    if (!rc)
        rc = check_series(o->series);
    if (!rc)
        rc = check_node_dirs(o);
    if (!rc)
        rc = settle_stripe(r);
    if (!rc)
        rc = io_engine_of_method(o->iomethod, run_without(r->workload),
                                 &r->engine_of[RUN_SYNC]);
    if (!rc && r->partitioned)
        rc = settle_partitioned(r);
    return rc ? rc : check_engine(r, r->engine_of[RUN_SYNC]);
}

/* Chooses the first engine that every rank can use, and records why not an
 * earlier one. */
static int choose_async(struct run *r)
{
    const char *engine = NULL;
    int unusable = 1;
    if (r->partitioned)
        return err_usage("IOMODE=ASYNC is not done with FILETYPE=PARTITIONED, whose "
                         "transfers are synchronous: take UNIQUE or SHARED, or "
                         "IOMODE=SYNC");
    snprintf(r->chosen, sizeof r->chosen, "IOMODE=ASYNC");
    for (int i = 0; unusable; i++) {
        int rc = io_engine_of_method_async(r->options->iomethod, i, &engine);
        if (rc || !engine) /* none is left: the last reason stands */
            return rc ? rc : unusable;
        err_clear();
        unusable = err_agree(r->world.comm, io_engine_usable(engine));
        if (unusable)
            snprintf(r->chosen, sizeof r->chosen, "IOMODE=ASYNC, and not %s: %.400s",
                     engine, err_get()->text);
    }
    err_clear();
    r->engine_of[RUN_ASYNC] = engine;
    return check_engine(r, engine);
}

enum run_mode run_mode_asked(const struct run_options *o)
{
    return !strcmp(o->iomode, "NONE")    ? RUN_NONE
           : !strcmp(o->iomode, "ASYNC") ? RUN_ASYNC
                                         : RUN_SYNC;
}

int run_mode(struct run *r, enum run_mode mode, bool verify)
{
    int rc = 0;
    if (mode == RUN_ASYNC && !r->engine_of[RUN_ASYNC])
        rc = err_agree(r->world.comm, choose_async(r));
    r->engine = r->engine_of[mode];
    r->async = mode == RUN_ASYNC;
    r->queues = r->engine && io_engine_asynchronous(r->engine);
    r->in_kernel = r->engine && io_engine_in_kernel(r->engine);
    r->flush = strcmp(r->options->cache, "keep") && r->engine;
    r->verify = verify && r->options->verify && r->engine;
    /* the figures of the whole are of one mode */
    memset(&r->rates, 0, sizeof r->rates);
    r->pass++;
    return rc;
}

int run_engine(struct run *r, const char *spec)
{
    int rc = check_engine(r, spec);
    if (!rc)
        rc = io_engine_usable(spec);
    r->engine = spec;
    r->queues = io_engine_asynchronous(spec);
    r->in_kernel = io_engine_in_kernel(spec);
    memset(&r->rates, 0, sizeof r->rates);
    return rc;
}

void run_settle_cache(struct run *r, const char *path, bool whole_blocks)
{
    bool direct = whole_blocks && r->engine;
    if (strcmp(r->options->cache, "auto"))
        return;
    direct = direct && !io_engine_check(r->engine, r->io_flags | IO_DIRECT) &&
             io_direct_works(path);
    if (!direct)
        err_clear();
    world_reduce(r->world.comm, &direct, 1, MPI_C_BOOL, MPI_LAND);
    r->options->cache = direct ? "direct" : "flush";
    r->io_flags |= direct ? IO_DIRECT : 0;
}

int run_direct_align(struct run *r, const char *path)
{
    r->direct_align = io_direct_align(path);
    world_reduce(r->world.comm, &r->direct_align, 1, MPI_INT, MPI_MAX);
    return r->direct_align;
}

bool run_direct_fits(struct run *r, const char *path, int64_t sizes)
{
    return strcmp(r->options->cache, "direct") || sizes % IO_DIRECT_ALIGN == 0 ||
           sizes % run_direct_align(r, path) == 0;
}

int run_refuse_direct(const struct run *r, const char *what)
{
    return err_usage("--cache=direct moves multiples of %d bytes here: %s",
                     r->direct_align, what);
}

/* Counts the lanes of all ranks, and finds the number of this rank's first lane. */
static void count_workers(struct run *r)
{
    r->lanes = r->options->threads > 1 ? (int)r->options->threads : 1;
    r->worker = r->world.rank * r->lanes;
    r->workers = r->world.size * r->lanes;
}

int run_threads(struct run *r, int threads)
{
    r->options->threads = threads;
    count_workers(r);
    return r->engine ? check_engine(r, r->engine) : 0;
}

/* --ranks: one process plans for that many ranks, as if on one node. */
static int pretend(struct run *r)
{
    int64_t ranks = r->options->ranks;
    if (!ranks)
        return 0;
    if (!r->options->dry_run)
        return err_usage(
            "--ranks is for --dry-run; the launcher says how many ranks run");
    if (r->world.size > 1)
        return err_usage("--ranks is for one process, and there are %d: start it "
                         "without the launcher",
                         r->world.size);
    if (r->options->threads > INT_MAX / ranks)
        return err_usage("--ranks=%lld with --threads=%lld: all ranks together have at "
                         "most %d threads",
                         (long long)ranks, (long long)r->options->threads, INT_MAX);
    r->world.size = r->world.node_ranks = r->world.ranks_per_node_max = (int)ranks;
    return 0;
}

/* Clears what options and plans have set. */
static void run_forget_plan(struct run *r)
{
    r->hint_count = r->buffer_count = 0;
    r->striping = (struct io_striping){0};
    memset(r->engine_of, 0, sizeof r->engine_of);
    r->chosen[0] = r->plan[0] = 0;
    r->input = (struct run_input){0};
    r->output = (struct run_output){0};
    r->all_files = 0;
    r->latencies = r->io_shares = r->samples_only = false;
    r->at = (struct report_at){0};
    r->direct_align = IO_DIRECT_ALIGN;
}

int run_again(struct run *r)
{
    int lanes = r->lanes;
    run_forget_plan(r);
    int rc = err_agree(r->world.comm, run_settle(r));
    r->options->quiet |= r->output_taken;
    if (rc)
        return rc;
    count_workers(r);
    if (r->report && r->lanes != lanes) {
        int wanted = r->lanes;
        run_lanes_close(r);
        rc = err_agree(r->world.comm, run_lanes_open(r, wanted));
    }
    if (!rc)
        rc = run_mode(r, run_mode_asked(r->options), true);
    r->pass = 0;
    return rc;
}

bool run_start(struct run *r, const struct workload *w, const struct opt_program *p,
               int *argc, char ***argv, int *status)
{
    memset(r, 0, sizeof *r);
    struct run_options *o = w->run;
    r->workload = w;
    r->program = p;
    r->options = o;
    r->context = w->context;
    r->direct_align = IO_DIRECT_ALIGN;
    if (world_early(p, *argc, *argv, status))
        return false;
    int rc = opt_parse(p, *argc, *argv);
    if (!rc)
        rc = arms_open(r);
    if (!rc)
        rc = run_settle(r);
    watchdog_limit(o->io_timeout);
    r->output_taken = report_to_stdout(o->json) || report_to_stdout(o->csv);
    o->quiet |= r->output_taken;
    rc = world_open(&r->world, argc, argv, p, rc, o->dry_run);
    if (rc == OPT_ASKED) {
        *status = world_close(&r->world, p->name);
        return false;
    }
    r->failed = rc ? rc : pretend(r);
    count_workers(r);
    if (!r->failed)
        r->failed = run_mode(r, run_mode_asked(o), true);
    r->pass = 0;
    return true;
}

/* ---- before the first phase ---------------------------------------------- */

/* Names the run: the batch job's id, or the time; the process id, which tells several
 * runs of a job apart; and the place in which the process id is valid. */
static void name_run(struct run *r)
{
    static const char *const ids[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"};
    const char *job = NULL;
    char utc[32], name[25], place[RUN_PLACE];
    time_t now = time(NULL);
    struct tm tm;
    for (int i = 0; i < 3 && !job; i++)
        job = getenv(ids[i]);
    gmtime_r(&now, &tm);
    strftime(utc, sizeof utc, "%Y%m%dT%H%M%S", &tm);
    snprintf(name, sizeof name, "%.24s", job ? job : utc);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    run_place(place);
    snprintf(r->id, sizeof r->id, "%s%s-%ld-%s", job ? "job" : "", name, (long)getpid(),
             place);
    MPI_Bcast(r->id, sizeof r->id, MPI_CHAR, 0, r->world.comm);
}

/* Gives each run its own data, so that blocks left by an earlier run are not taken for
 * this one's, and deduplicating storage finds no duplicates. FNV-1a of the id. */
static void choose_seed(struct run *r)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = r->id; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    r->seed = r->options->seed ? (uint64_t)r->options->seed : hash >> 2 | 1;
}

/* The ranks of a node allocate at the same time: their memory must fit together. */
static int check_memory(struct run *r, int64_t bytes)
{
    char need[16], have[16];
    int64_t available = world_memory_available();
    int64_t node = bytes * r->world.node_ranks;
    if (r->world.node_rank || available < 0 || node <= available)
        return 0;
    return err_set(-ENOMEM, NULL, -1,
                   "%d ranks on this node need %s of memory and %s "
                   "is available: take fewer ranks per node or a smaller %s",
                   r->world.node_ranks, units_bytes(need, node),
                   units_bytes(have, available),
                   opt_find(r->program, "memory") ? "--memory (-m)" : "problem");
}

static int no_space(const char *path, const char *option, int64_t bytes, int64_t free)
{
    char need[16], have[16];
    return err_set(-ENOSPC, path, -1,
                   "the files need %s and the file system "
                   "has %s free: choose another %s or a smaller problem",
                   units_bytes(need, bytes), units_bytes(have, free), option);
}

/* Refuses only what cannot fit in any case: with unique files, --dir may be another
 * directory on each node. */
static int check_space(struct run *r, int64_t bytes)
{
    const struct run_options *o = r->options;
    if (o->keep && __builtin_mul_overflow(bytes, o->repeat, &bytes))
        bytes = INT64_MAX;
    if (o->node_dirs || !o->space_check) /* node_dirs: the files are elsewhere */
        return 0;
    if (!r->shared)
        bytes /= r->world.nodes;
    if (r->fs.free_bytes < 0 || bytes <= r->fs.free_bytes)
        return 0;
    return no_space(o->dir, "--dir", bytes, r->fs.free_bytes);
}

/* True if the output is on another file system than --dir; *fs then describes it. */
static bool output_elsewhere(const struct run *r, char folder[4096], struct io_fs *fs)
{
    struct stat dir, out;
    const char *path = r->output.path;
    int n = path ? snprintf(folder, 4096, "%s", path) : 0;
    if (!n || n >= 4096 || r->output.bytes < 0)
        return false;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    else
        strcpy(folder, ".");
    /* opening the file will report why it cannot be used */
    struct err before = err_copy();
    bool there = !stat(r->options->dir, &dir) && !stat(folder, &out) &&
                 dir.st_dev != out.st_dev && !io_fs_of(folder, fs);
    err_put(&before);
    return there;
}

/* Checks the space on both file systems, if there are two. */
static int check_spaces(struct run *r, int64_t bytes)
{
    char folder[4096];
    struct io_fs fs;
    int64_t out = r->output.bytes;
    if (!output_elsewhere(r, folder, &fs))
        return check_space(r, bytes);
    int rc = check_space(r, bytes - out);
    if (!r->shared)
        out /= r->world.nodes;
    if (rc || !r->options->space_check || fs.free_bytes < 0 || out <= fs.free_bytes)
        return rc;
    return no_space(folder, "--output", out, fs.free_bytes);
}

/* Every rank checks, as a directory may exist on one node and not on another. */
static int check_dir(struct run *r)
{
    const char *dir = r->options->dir;
    struct stat st;
    watchdog_arm_as_set("looking at the directory", dir);
    int rc = io_fs_of(dir, &r->fs);
    /* access reports a lack of permission */
    if (!rc && !stat(dir, &st) && !S_ISDIR(st.st_mode))
        rc = err_set(-ENOTDIR, dir, -1, "the directory cannot be used: %s",
                     strerror(ENOTDIR));
    if (!rc && access(dir, W_OK | X_OK))
        rc = err_set(-errno, dir, -1, "the directory cannot be written to: %s",
                     strerror(errno));
    watchdog_disarm();
    if (!rc && r->striping.count && r->engine && io_engine_stores(r->engine))
        rc = io_striping_check(&r->fs);
    return rc;
}

static int open_report(struct run *r, int argc, char **argv)
{
    struct world_host *hosts;
    struct run_options *o = r->options;
    int rc = world_hosts(&r->world, &hosts);
    if (rc)
        return rc;
    struct report_open open = {.world = &r->world,
                               .hosts = hosts,
                               .program = r->program,
                               .argc = argc,
                               .argv = argv,
                               .run_id = r->id,
                               .label = o->label ? o->label : "",
                               .series = o->series,
                               .seed = r->seed,
                               .json_path = o->json,
                               .csv_path = o->csv,
                               .per_rank = o->per_rank,
                               .quiet = o->quiet || r->own_text};
    rc = report_open(&r->report, &open);
    free(hosts);
    return rc;
}

static int look_at_input(struct run *r)
{
    watchdog_arm_as_set("looking at the input", r->input.path);
    int rc = io_fs_of(r->input.path, &r->fs);
    watchdog_disarm();
    if (r->input.device) /* its name is in a file system, its data is not */
        r->fs = (struct io_fs){.type = "none", .free_bytes = -1};
    return rc;
}

static int check_resources(struct run *r, int64_t memory_bytes, int64_t disk_bytes)
{
    int rc = err_agree(r->world.comm, check_memory(r, memory_bytes));
    if (rc || !r->engine || !io_engine_stores(r->engine))
        return rc;
    if (r->input.path)
        return err_agree(r->world.comm, look_at_input(r));
    if ((rc = err_agree(r->world.comm, check_dir(r))))
        return rc;
    rc = r->world.rank ? 0 : check_spaces(r, disk_bytes);
    return err_agree(r->world.comm, rc);
}

void run_plan(struct run *r, const struct layout *l)
{
    struct ldad_plan p = layout_plan(l);
    ldad_normal(&p.each, &p.each);
    ldad_plan_print(r->plan, sizeof r->plan, &p);
}

static void describe_files(struct run *r, int64_t bytes, const char *layout)
{
    if (!r->engine)
        return;
    const struct run_input *in = r->input.path ? &r->input : NULL;
    int64_t files = (int64_t)r->files * (r->shared ? 1 : r->workers);
    files = r->all_files ? r->all_files : files;
    struct report_file f = {.role = in ? "input" : "data",
                            .path = run_storage_path(r),
                            .kind = in && in->device ? "device"
                                    : r->partitioned ? "partitioned"
                                    : r->shared      ? "shared"
                                                     : "unique",
                            .ldad = r->partitioned && !in ? r->plan : NULL,
                            .layout = layout,
                            .count = in ? in->count : files,
                            .bytes = in ? in->bytes : bytes,
                            .fs = r->fs.type,
                            .mount = r->fs.mount,
                            .block_bytes = r->fs.block_bytes};
    run_storage_tell(r, &f);
    report_file(r->report, &f);
    if (f.ldad)
        report_note(r->report, "plan", "%s", r->plan);
    if (r->fs.in_memory && !r->groups) /* at the end it is said of its group */
        report_warning(r->report, "file_system_in_memory",
                       "%s is on %s, which keeps "
                       "files in memory: no figure here is about a storage device",
                       f.path, r->fs.type);
}

/* Tests whether the kernel's counters see this file system, on every node. */
static int try_counters(struct run *r)
{
    bool stored = r->engine && io_engine_stores(r->engine);
    if (r->input.path) /* nothing is written, so run_storage_find decides */
        return 0;
    int works = stored, rc = 0;
    if (stored && r->world.node_rank == 0) {
        watchdog_arm_as_set("trying the page cache", r->options->dir);
        works = io_device_counters_work(r->options->dir);
        watchdog_disarm();
        rc = works < 0 ? works : 0;
    }
    rc = err_agree(r->world.comm, rc);
    r->counts_here = works > 0;
    world_reduce(r->world.comm, &works, 1, MPI_INT, MPI_MIN);
    r->counters = works > 0;
    return rc;
}

int run_look(struct run *r, int64_t disk_bytes, const char *layout)
{
    int rc = check_resources(r, 0, disk_bytes);
    if (!rc)
        rc = try_counters(r);
    if (!rc)
        rc = run_storage_find(r);
    if (!rc && r->groups)
        rc = err_usage("--compare: the nodes are on unlike storage in one of the "
                       "directories: compare them in runs of their own");
    if (!rc)
        describe_files(r, disk_bytes, layout);
    return rc;
}

/* Warns of a queue depth without effect, which the figures would not explain. */
static void warn_of_depth(struct run *r, int depth)
{
    if (depth == 1 || !r->engine)
        return;
    if (!r->queues)
        report_warning(r->report, "depth_without_effect",
                       "queue depth %d has no effect: I/O engine %s is synchronous and "
                       "completes one transfer before it starts the next",
                       depth, r->engine);
    else if (io_engine_needs_direct(r->engine) && !(r->io_flags & IO_DIRECT))
        report_warning(r->report, "depth_without_effect",
                       "queue depth %d has no effect: I/O engine %s blocks where it "
                       "does not go past the page cache: add --cache=direct",
                       depth, r->engine);
}

/* Warns if lanes share cores: waiting for a core shows in none of their activities. */
static void say_lanes(struct run *r)
{
    int cores = world_cores();
    if (r->lanes == 1)
        return;
    report_note(r->report, "lanes", "%d of each rank, %d in all", r->lanes, r->workers);
    if (cores > 0 && r->lanes > cores)
        report_warning(r->report, "bound_to_one_core",
                       "the %d threads of each rank share %d core%s: their times hold "
                       "waiting for one (mpirun --bind-to none, more cores per task, "
                       "or a smaller --threads)",
                       r->lanes, cores, units_s(cores));
}

/* Notes the shift of rank 0, as an example. */
static void say_shift(struct run *r)
{
    if (r->options->rank_shift == RUN_SHIFT_NODE)
        report_note(r->report, "rank_shift",
                    "by node: rank 0 reads what rank %d wrote, on another one of %d "
                    "node%s",
                    run_shifted(r, 1) / (r->workers / r->world.size), r->world.nodes,
                    units_s(r->world.nodes));
}

/* Notes the memory limit, which includes the page cache: files larger than it are not
 * served from memory. */
static void say_memory_limit(struct run *r)
{
    int64_t limit = world_memory_limit();
    if (limit >= 0)
        report_note(r->report, "memory_limit",
                    "%lld bytes, of rank 0's control group, with its page cache",
                    (long long)limit);
}

/* Counts the starts that the launcher has lost, as those who start programs tell it. */
static void say_starts(struct run *r)
{
    const char *text = getenv("LEADLINE_STARTS");
    int start = text ? atoi(text) : 0;
    if (start > 1)
        report_note(r->report, "starts",
                    "%d: the one%s before crashed before there was a report", start,
                    start > 2 ? "s" : "");
}

static void say_no_engine(struct run *r)
{
    struct report_io io = {.engine = "none",
                           .version = "",
                           .io_layer = "none",
                           .mode = "none",
                           .chosen_because = "IOMODE=NONE",
                           .cache = r->options->cache,
                           .sync = "none",
                           .depth = 1,
                           .timeout_s = r->options->io_timeout};
    report_io(r->report, &io);
}

static void look_for_leftovers(const struct run *r)
{
    char prefix[64];
    const char *name = r->program->name; /* "ldad perf" makes ldad-... */
    snprintf(prefix, sizeof prefix, "%.*s-", (int)strcspn(name, " "), name);
    watchdog_arm_as_set("looking at the directory", r->options->dir);
    if (r->engine && io_engine_stores(r->engine) && !r->input.path)
        run_leftovers(r, r->options->dir, prefix);
    watchdog_disarm();
}

/* Warns if ranks are not watched: a frozen one would block the run forever. */
static void warn_of_watch(struct run *r)
{
    if (!r->world.watched && r->options->io_timeout > 0)
        report_warning(
            r->report, "unwatched_ranks",
            "a rank that is frozen would not be noticed: the ranks of a node "
            "cannot share memory, or nodes cannot reach each other by TCP");
}

int run_ready(struct run *r, int argc, char **argv, int64_t memory_bytes,
              int64_t disk_bytes, const char *layout, int depth, int64_t steps)
{
    name_run(r);
    choose_seed(r);
    int rc = open_report(r, argc, argv);
    if (!rc)
        rc = check_resources(r, memory_bytes, disk_bytes);
    if (!rc)
        rc = run_examine(r);
    if (!rc)
        rc = try_counters(r);
    if (!rc)
        rc = run_storage_find(r);
    if (!rc)
        rc = err_agree(r->world.comm, phase_open(&r->phase));
    if (!rc)
        rc = err_agree(r->world.comm, live_open(r));
    if (!rc)
        live_watch(r, r->phase, 0);
    if (!rc)
        rc = err_agree(r->world.comm, run_lanes_open(r, r->lanes));
    if (rc)
        return rc;
    look_for_leftovers(r);
    warn_of_watch(r);
    describe_files(r, disk_bytes, layout);
    warn_of_depth(r, depth);
    say_lanes(r);
    say_memory_limit(r);
    say_shift(r);
    say_starts(r);
    if (!r->engine)
        say_no_engine(r);
    progress_start(&r->progress, r->world.rank == 0 && !r->options->quiet && !r->live,
                   steps * r->options->repeat);
    return 0;
}

/* ---- the end ------------------------------------------------------------- */

/* Notes the share of care for blocks: with a full queue it can make the rate less than
 * the device's. */
static void summarise_care(struct run *r)
{
    double share = r->queue_ns ? (double)r->care_ns / (double)r->queue_ns : -1;
    world_reduce(r->world.comm, &share, 1, MPI_DOUBLE, MPI_MAX);
    if (share >= 0)
        report_note(r->report, "care",
                    "blocks were stamped and checked in up to %.0f %% of the time of "
                    "transfers, of which others went on meanwhile, or the kernel read "
                    "ahead: rates are lower bounds",
                    1e2 * share);
}

/* a smaller share of time between transfers changes no rate by much */
#define BESIDE_LEAST 0.05

/* Notes both bounds of a rate: the kernel may use the time between a program's
 * transfers, and how much of it is not known. */
static void summarise_beside(struct run *r)
{
    static const char *const kinds[2] = {"read", "written"};
    static const char *const does[2] = {"read ahead", "write back"};
    static const char *const labels[2] = {"read_ahead", "write_back"};
    for (int k = 0; k < 2; k++) {
        const struct run_beside *b = &r->beside[k];
        double all_s = b->moved_s + b->other_s;
        if (b->bytes && b->other_s > BESIDE_LEAST * b->moved_s)
            report_note(
                r->report, labels[k],
                "while ranks computed or cared for blocks (%.3g s beside %.3g s "
                "of transfers) the kernel could %s: the storage has %s at %.4g "
                "to %.4g MB/s",
                b->other_s, b->moved_s, does[k], kinds[k],
                (double)b->bytes / all_s / 1e6, (double)b->bytes / b->moved_s / 1e6);
    }
}

static int summarise_checks(struct run *r)
{
    int64_t sum[2] = {r->checked, r->bad};
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    struct report_checks c = {.blocks_checked = sum[0], .blocks_bad = sum[1]};
    if (r->arms)
        compare_warn(r);
    run_storage_shares(r, &c);
    report_checks(r->report, &c);
    if (!r->arms) { /* these would be sums over unlike arms */
        run_storage_warn(r, &c);
        summarise_care(r);
        summarise_beside(r);
    }
    if (!r->options->verify || run_mode_asked(r->options) == RUN_NONE ||
        !r->all_read_bytes || sum[0])
        return 0;
    return err_set(-EIO, NULL, -1,
                   "no block was verified, although %lld bytes were read",
                   (long long)r->all_read_bytes);
}

/* Warns of writes that the plan did not foresee. They are no failure: they are
 * stored, too. */
static void summarise_misfits(struct run *r)
{
    int64_t sum[2] = {r->misfits[0], r->misfits[1]};
    if (!r->partitioned)
        return;
    world_reduce(r->world.comm, sum, 2, MPI_INT64_T, MPI_SUM);
    report_note(r->report, "misfits", "%lld write%s (%lld bytes) did not fit the plan",
                (long long)sum[0], units_s(sum[0]), (long long)sum[1]);
    if (sum[0])
        report_warning(
            r->report, "plan_misfits",
            "%lld write%s of %lld bytes did not fit the plan and went to the "
            "container's shared part, which is slower",
            (long long)sum[0], units_s(sum[0]), (long long)sum[1]);
}

static void summarise_opens(struct run *r)
{
    int64_t again = io_opened_again();
    world_reduce(r->world.comm, &again, 1, MPI_INT64_T, MPI_SUM);
    if (again)
        report_warning(
            r->report, "opened_again",
            "%lld time%s a file could not be opened at once (ENOENT, ESTALE): "
            "this file system shows late what another node has done, and "
            "opening waited for it",
            (long long)again, units_s(again));
}

int run_report_close(struct run *r, int rc)
{
    progress_clear(&r->progress);
    live_close(r);
    if (!r->report)
        return rc;
    summarise_misfits(r);
    summarise_opens(r);
    if (r->rep) { /* a failed run, too, reports how many blocks were wrong */
        int checked = err_agree(r->world.comm, summarise_checks(r));
        rc = rc ? rc : checked;
    }
    return report_close(&r->report, rc);
}

int run_finish(struct run *r, int rc)
{
    run_report_close(r, rc);
    compare_verdict(r, rc);
    arms_close(r);
    run_examine_close(r);
    run_lanes_close(r);
    phase_close(&r->phase);
    return world_close(&r->world, r->program->name);
}
