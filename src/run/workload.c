/* The common course of all programs, from argv to the exit status. */
#include "run/workload.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "run/compare.h"
#include "run/inside.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The data that all repetitions use. */
struct workload_run {
    struct run *r;
    const struct workload *w;
    struct run_need need;
    struct io_queue **queue; /* one for each lane that has several files; else NULL */
};

/* ---- a repetition --------------------------------------------------------------- */

int run_files_open(struct run *r, int flags)
{
    for (int k = 0; k < r->files && !r->failed; k++) {
        struct run_file *f = run_file_nth(r, k);
        for (int i = 0; i < r->lanes; i++)
            run_file_of(&f[i],
                        run_shifted(run_lane_of(r, i), flags & IO_WRITE ? 0 : 1));
        run_file_open_lanes(f, r->lanes, flags);
    }
    return r->failed;
}

int run_files_close(struct run *r, bool written)
{
    for (int k = 0; k < r->files; k++)
        run_file_close_lanes(run_file_nth(r, k), r->lanes, written);
    return r->failed;
}

static int workload_remove_files(struct run *r)
{
    int rc = 0;
    for (int k = 0; k < r->files; k++) {
        int removed = run_file_remove_lanes(run_file_nth(r, k), r->lanes);
        rc = rc ? rc : removed;
    }
    return rc;
}

static void workload_name_files(const struct workload_run *m)
{
    const struct run_need *n = &m->need;
    struct run *r = m->r;
    for (int64_t j = 0; j < (int64_t)r->files * r->lanes; j++) {
        int i = (int)(j % r->lanes);
        struct run_file *f = &r->file[j];
        run_file_name(f, run_lane_of(r, i), n->role, n->layout, n->layout->slot_bytes,
                      n->depth);
        f->member = (int)(j / r->lanes);
        f->queue = m->queue ? m->queue[i] : NULL;
    }
}

static int workload_stage(struct run *r, const struct stage *s)
{
    r->aside = s->aside;
    if (s->phase)
        run_phase_begin(r, s->phase);
    int rc = s->flags ? run_files_open(r, s->flags) : 0;
    if (!rc)
        rc = s->body(r, s->context);
    run_fail(r, rc);
    if (s->flags)
        run_files_close(r, s->flags & IO_WRITE);
    return s->phase ? run_phase_end(r)
                    : (r->failed = err_agree(r->world.comm, r->failed));
}

static int workload_stages(const struct workload_run *m)
{
    int rc = 0;
    for (const struct stage *s = m->w->stages; s->body && !rc; s++)
        rc = workload_stage(m->r, s);
    if (rc)
        return rc;
    run_rep_end(m->r);
    if (m->w->figures)
        m->w->figures(m->r);
    return 0;
}

static int workload_repetition(const struct workload_run *m)
{
    const struct run_need *n = &m->need;
    run_rep_begin(m->r);
    if (n->role)
        workload_name_files(m);
    if (n->buffer_bytes && !m->r->verify)
        run_noise(m->r, m->r->buffer, m->r->lanes * n->buffer_bytes);
    int rc = workload_stages(m);
    int removed = n->role ? workload_remove_files(m->r) : 0;
    rc = rc ? rc : removed;
    int put = m->w->put_away ? m->w->put_away(m->r, rc) : 0;
    return rc ? rc : put;
}

/* ---- needs ---------------------------------------------------------------------- */

/* Derives the needs that follow from a layout. */
static int settle_layout(struct run_need *n)
{
    const struct layout *l = n->layout;
    int rc = l ? layout_check(l) : 0;
    if (!l || rc)
        return rc;
    n->order = layout_text(l->order);
    n->files = n->files ? n->files : 1;
    if (!__builtin_mul_overflow(layout_files(l) * n->files, layout_file_bytes(l),
                                &n->disk_bytes))
        return 0;
    return err_usage("the files would exceed 2^63 - 1 bytes: take fewer or smaller "
                     "blocks");
}

static int workload_plan(struct run *r, const struct workload *w, struct run_need *n)
{
    int rc = w->plan(r, n);
    if (!rc)
        rc = settle_layout(n);
    n->depth = n->depth ? n->depth : 1;
    n->passes = n->passes ? n->passes : r->options->repeat;
    rc = err_agree(r->world.comm, rc);
    return rc ? rc : run_settle_shift(r);
}

static int workload_dry(struct run *r, const struct workload *w,
                        const struct run_need *n)
{
    if (!w->plan_print)
        return run_dry(r, n);
    if (r->world.rank == 0 && !r->options->quiet)
        w->plan_print(r, n);
    return run_dry_json(r, n);
}

/* Allocates the buffers, a piece for each lane. */
static int workload_buffers(struct run *r, int64_t bytes)
{
    void *buf = NULL;
    if (!bytes)
        return 0;
    int rc = buf_alloc(&buf, r->lanes * bytes, "transfers");
    r->buffer = buf;
    for (int i = 0; i < r->lanes && !rc; i++) {
        struct run *of = run_lane_of(r, i);
        of->buffer = r->buffer + i * bytes;
        run_buffer(of, of->buffer, bytes);
    }
    return rc;
}

int run_files_make(struct run *r)
{
    r->file = mem_new((int64_t)r->lanes * r->files, sizeof *r->file, "files");
    if (!r->file)
        return -ENOMEM;
    for (int i = 1; i < r->lanes; i++)
        run_lane_of(r, i)->file = &r->file[i];
    return 0;
}

/* Makes one queue for all files of a lane. */
static int workload_queues(struct workload_run *m)
{
    struct run *r = m->r;
    int rc = 0;
    if (r->files == 1)
        return 0;
    m->queue = mem_new(r->lanes, sizeof(struct io_queue *), "queues");
    if (!m->queue)
        return -ENOMEM;
    for (int i = 0; i < r->lanes && !rc; i++)
        rc = run_queue_open(run_lane_of(r, i), &m->queue[i], m->need.depth,
                            m->need.layout->slot_bytes);
    return rc;
}

static void workload_queues_close(struct workload_run *m)
{
    for (int i = 0; i < m->r->lanes && m->queue; i++)
        io_queue_close(&m->queue[i]);
    free(m->queue);
}

static int workload_open(struct workload_run *m)
{
    int rc = workload_buffers(m->r, m->need.buffer_bytes);
    if (!rc && m->need.role)
        rc = run_files_make(m->r);
    if (!rc && m->need.role)
        rc = workload_queues(m);
    rc = err_agree(m->r->world.comm, rc); /* before `open`, which may be collective */
    return rc || !m->w->open ? rc : err_agree(m->r->world.comm, m->w->open(m->r));
}

/* ---- a comparison --------------------------------------------------------------- */

static void workload_release(struct workload_run *m)
{
    struct run *r = m->r;
    workload_queues_close(m);
    if (m->w->close)
        m->w->close(r);
    buf_free(r->buffer);
    free(r->file);
    m->queue = NULL;
    r->buffer = NULL;
    r->file = NULL;
}

/* Plans for the arm whose settings are in place. */
static int workload_plan_arm(struct workload_run *m)
{
    m->need = (struct run_need){0};
    int rc = run_again(m->r);
    if (!rc)
        rc = workload_plan(m->r, m->w, &m->need);
    m->r->files = m->need.role ? (int)m->need.files : 1;
    if (!rc && m->need.layout)
        run_plan(m->r, m->need.layout);
    return rc;
}

static int workload_once(void *context)
{
    struct workload_run *m = context;
    int rc = workload_plan_arm(m);
    if (!rc)
        rc = workload_open(m);
    if (!rc)
        rc = workload_repetition(m);
    workload_release(m);
    return rc;
}

/* Finds the most that an arm needs: the arms come one after the other. */
static int workload_need_most(struct workload_run *m, struct run_need *most)
{
    int rc = 0;
    for (int k = m->r->arms->n - 1; k >= 0 && !rc; k--) { /* the first arm comes last */
        rc = arms_apply(m->r, k);
        if (!rc)
            rc = workload_plan_arm(m);
        if (rc)
            break;
        const struct run_need *n = &m->need;
        int64_t memory = most->memory_bytes, disk = most->disk_bytes;
        *most = *n;
        most->memory_bytes = n->memory_bytes > memory ? n->memory_bytes : memory;
        most->disk_bytes = n->disk_bytes > disk ? n->disk_bytes : disk;
        if (k)
            workload_release(m);
    }
    return rc;
}

static int workload_compare(struct workload_run *m, int argc, char **argv)
{
    struct run *r = m->r;
    struct run_need n = {0};
    int rc = workload_need_most(m, &n);
    if (!rc && r->options->dry_run)
        rc = workload_dry(r, m->w, &n);
    else if (!rc)
        rc =
            run_ready(r, argc, argv, n.memory_bytes, n.disk_bytes, n.order, n.depth, 0);
    workload_release(m);
    if (!rc && !r->options->dry_run)
        rc = compare_look(r, n.disk_bytes, n.order);
    if (!rc && !r->options->dry_run)
        rc = compare_rounds(r, workload_once, m);
    return rc;
}

/* ---- the run -------------------------------------------------------------------- */

static int workload_repeat(struct workload_run *m, int argc, char **argv)
{
    const struct run_need *n = &m->need;
    struct run *r = m->r;
    r->files = n->role ? (int)n->files : 1;
    if (n->layout)
        run_plan(r, n->layout);
    int rc = run_ready(r, argc, argv, n->memory_bytes, n->disk_bytes, n->order,
                       n->depth, n->steps);
    if (rc) /* there may be no report for results */
        return rc;
    rc = workload_open(m);
    for (int64_t i = 0; i < r->options->repeat && !rc; i++)
        rc = workload_repetition(m);
    return m->w->results ? m->w->results(r, rc) : rc;
}

static int workload_all(struct run *r, const struct workload *w, int argc, char **argv)
{
    struct workload_run m = {.r = r, .w = w};
    if (r->arms)
        return workload_compare(&m, argc, argv);
    int rc = workload_plan(r, w, &m.need);
    if (!rc)
        rc = r->options->dry_run ? workload_dry(r, w, &m.need)
                                 : workload_repeat(&m, argc, argv);
    workload_release(&m);
    return rc;
}

int run_without(const struct workload *w)
{
    return (w->takes & RUN_TAKES_NULL ? 0 : IO_STORES_NOTHING) |
           (w->takes & RUN_TAKES_HDF5 ? 0 : IO_STORES_FORMAT);
}

/* Reduces the program's options to those that it takes, and engines to
 * those available. */
static int workload_options(struct opt_program *p, const struct workload *w)
{
    static char help[IO_ENGINE_CHOICES + 64];
    char choices[IO_ENGINE_CHOICES];
    struct opt *method = opt_find(p, "iomethod");
    snprintf(help, sizeof help, "%s and its options: see --list-engines",
             io_engine_choices(choices, sizeof choices, run_without(w)));
    method->help = help;
    return opt_take(p, w->takes | (w->own_calls ? 0 : RUN_TAKES_ENGINE));
}

int run_main(const struct workload *w, int argc, char **argv)
{
    static struct run r; /* static: callbacks of the workload may keep pointers to it */
    struct opt_program p = {.name = w->name,
                            .line = w->line,
                            .about = w->about,
                            .table = w->table,
                            .n = w->options};
    int status, rc = workload_options(&p, w);
    if (!run_start(&r, w, &p, &argc, &argv, &status))
        return status;
    rc = rc ? rc : r.failed;
    return run_finish(&r, rc ? rc : workload_all(&r, w, argc, argv));
}

/* ---- the manual ------------------------------------------------------------------ */

/* The texts of the options in run/run.h and run/lanes.h. What is said of one program
 * alone is a note (OPT_NOTE) in that program's table. */

const char run_threads_text[] =
    "Lanes per rank: threads that transfer in parallel, each as if it were a rank, "
    "with "
    "its own share of the work, queue, buffers and, where each rank has one, file. "
    "Lane "
    "_t_ of rank _r_ is worker _r_ x N + _t_; layouts, names of files, random orders "
    "and --rank-shift refer to workers, so the files are the same as those of that "
    "many "
    "ranks with one thread each. Rates are the bytes of all lanes divided by the time "
    "of the slowest lane. Give each rank enough cores (*mpirun --bind-to none*, or "
    "*srun -c*). Engines that call MPI to transfer (*mpiio*, *mpiio-nb*, *hdf5*) and "
    "--filetype=PARTITIONED refuse more than one.";

const char run_rank_shift_text[] =
    "Ranks read what others wrote, so that the client's own cache cannot serve them: "
    "rank _r_ reads what rank _r_ + N wrote, modulo their number; each lane counts as "
    "a "
    "rank. With *node* it reads what a rank on another node wrote, however ranks are "
    "placed: the corresponding rank of the next node, if all nodes have the same "
    "number "
    "of ranks. A node is a shared-memory domain as MPI reports it. A run on one node, "
    "or with more than half of all ranks on one node, is refused. With 0 each rank "
    "reads its own data.";

const char run_stripe_text[] =
    "Lustre: stripe count (or *all*, one stripe on every target) and stripe size, a "
    "multiple of 64 KiB, of every file that is created, with any engine; by default as "
    "the directory says. The report has the stripes in effect, and a warning if they "
    "differ from these. Refused on other file systems, and with "
    "--filetype=PARTITIONED.";

const char run_compare_text[] =
    "Compare the values of an option within one run. May be repeated: then all "
    "combinations, the _arms_, are compared with the first one. A round makes a "
    "repetition of every arm, with new files, in an order that is drawn for each "
    "round; the first round warms up and does not count. The answer is the ratio of "
    "each "
    "arm to the first one over the rounds, with a 95 % interval, and a verdict, as "
    "*leadline compare* gives it of the report. What slows down the storage for a "
    "while "
    "meets all arms alike, so the intervals are much narrower than those of separate "
    "runs; but one run is one placement of processes and one time of day. Any option "
    "of "
    "the workload can be compared, and --dir; not the outputs and what belongs to "
    "the run as a whole. An arm that fails is left out, and the exit status is 1. "
    "SIGINT, SIGTERM and the end of a Slurm job's time end the comparison after the "
    "repetition in progress, with the answer so far.";

const char run_until_text[] =
    "End when the intervals of all arms' ratios are within this share of their middle, "
    "in two rounds in a row, after at least 16 rounds. By default 5%, with a --budget "
    "of 300 s, if neither --rounds nor --budget is given.";

const char run_dir_text[] =
    "The directory in which files are created. It must exist on every node and, if the "
    "file is shared, be the same file system on all of them.";

const char run_iomethod_text[] =
    "How bytes are moved: *POSIX* (*pread*(2) and *pwrite*(2)), *MPI* (MPI-IO) or "
    "*HDF5* (one dataset in a file of parallel HDF5, which uses MPI-IO); in upper or "
    "lower case. An engine may also be named directly: *posix*, *mpiio*, *mpiio-nb* "
    "(MPI-IO's nonblocking calls; with Open MPI and ROMIO they block, and collective "
    "calls are refused), *hdf5*, *mmap* (the file is mapped into memory, and transfers "
    "are copies from and to the mapping), *stdio* (a stream of the C library, which "
    "gathers small transfers in a buffer), *threads* (the same system calls, made by "
    "helper threads, with many requests in flight), *uring* (*io_uring*(7): many "
    "requests in flight without threads, if the kernel allows it), *libaio* "
    "(*io_submit*(2), which without O_DIRECT finishes one transfer after the other "
    "before it returns), *aio* (*aio*(7): POSIX asynchronous I/O, which glibc "
    "implements "
    "with threads), or *null*, which stores nothing and so shows the cost of "
    "everything "
    "except I/O; use it with --no-verify. --list-engines tells which of them this "
    "build and this machine have, and which this program takes.\n\n"
    "Engines take options after a colon, as in *uring:depth=32,piece=1M*.\n\n"
    "*depth=*_N_ (all asynchronous engines except null) limits the operations in the "
    "kernel, or the calls of the MPI library, that are in flight; others wait in a "
    "queue. It does not change how many transfers the program has in flight, but each "
    "transfer may consist of several operations (see *piece*). *threads* has this many "
    "threads; *helpers=*_N_ means the same. Default: no limit, except 128 with "
    "*uring*, "
    "*libaio* and *aio* (or the queue depth, if that is larger) and 16 with "
    "*threads*.\n\n"
    "*piece=*_BYTES_ (all except null) is the largest size of one system or library "
    "call. Default: 1 GiB; 4 MiB for *uring*, *libaio* and *aio*, which keep all "
    "pieces "
    "of a request in flight together.\n\n"
    "*aio* serves the requests of one descriptor one after another, at any queue "
    "depth: "
    "*descriptors=*_N_ spreads them over N duplicates of the descriptor, so that N are "
    "served at the same time (default: 1), and *threads=*_N_ limits the threads that "
    "glibc uses for them in this process (default: one per descriptor with "
    "requests).\n\n"
    "*uring* has *sqpoll* (a kernel thread takes the requests: no system call is "
    "needed "
    "to start one, but one core is kept busy), *iopoll* (the kernel polls the device "
    "for completions instead of using interrupts: only with --cache=direct, and "
    "refused "
    "if the device has no queues for it) and *plain* (neither the file nor the buffers "
    "are registered with the kernel beforehand, as with fio by default); the report's "
    "layer names them.\n\n"
    "*mpiio-nb* refuses to write to new parts of a file if the file system has less "
    "space left than all ranks may have in flight, because MPI libraries do not "
    "survive "
    "a full file system.\n\n"
    "*hdf5* also has *align=*_BYTES_ (every object in the file begins at a multiple of "
    "this, as the stripes or blocks of the file system do; without it the dataset "
    "begins near byte 2048) and *chunk=*_BYTES_ (the dataset is stored in chunks of at "
    "most this size: they span as many whole innermost dimensions as fit, a part of "
    "the "
    "next dimension, and one index of the others; without it the dataset is "
    "contiguous).\n\n"
    "*mmap* also has *window=*_BYTES_ (how much is mapped at a time, a multiple of the "
    "page size; up to 256 windows stay mapped; default: 1 GiB), "
    "*advice=normal*|*random*|*sequential* (the advice given to the kernel: "
    "*madvise*(2)) and *populate* (all pages of a window are loaded when it is "
    "mapped). "
    "If somebody else truncates the file, or the device fails or is full, the transfer "
    "or the sync that meets this fails. The engine writes whole pages: no two nodes "
    "should write into the same 4096 bytes of a shared file system.\n\n"
    "*stdio* also has *buffer=*_BYTES_ (the size of the stream's buffer; *buffer=1* "
    "switches it off; default: the block size of the file system, as the C library "
    "chooses). Bytes in the buffer reach the file when it is full, or with the next "
    "sync or seek.\n\n"
    "*null* has *delay_us*, *delay_every*, *short_every* and *fail_every*.";

const char run_hint_text[] =
    "Pass a hint to MPI-IO when files are opened. May be repeated. The report lists "
    "the "
    "hints that were asked for and those that the library says are in effect.";

const char run_keep_text[] =
    "Keep the files at the end of each repetition; if there are several repetitions, "
    "the names say which. If the run fails, the files are removed all the same.";

const char run_node_dirs_text[] =
    "With *PARTITIONED*: absolute paths of directories for the ranks' files, for "
    "example on node-local disks; by default they are beside the header. The ranks of "
    "a "
    "node use them in turn. *%n* stands for the node's number, counted from 0, and "
    "*%r* "
    "for the rank. The directories must exist.";

const char run_verify_text[] =
    "Check every block that is read. The time for this counts as *check*, not as I/O. "
    "A "
    "run fails if it reads and verifies nothing, or finds a wrong byte.";

const char run_verify_how_text[] =
    "Check every block that is read. The time for this counts as *check*, and as "
    "transfer time while other transfers are in flight or the kernel may read ahead, "
    "as "
    "it does of files in the page cache. With *pass* the timed transfers are not "
    "checked, and a second, untimed pass (phase _verify_, without rates) reads and "
    "checks every block of the file. Use it if a processor checks more slowly than the "
    "device reads. *no* checks nothing. A run fails if it reads and verifies nothing, "
    "or finds a wrong byte.";

const char run_json_text[] =
    "Write the report as JSON, the form that *leadline*(1) compares. The file exists "
    "from the start, marked as not valid, and is replaced when the run ends; a run "
    "that "
    "is killed leaves a report that says so. With *-* the report goes to standard "
    "output at the end, and nothing else does.";

const char run_live_text[] =
    "Print a line on standard error every S seconds: what rank 0, with all its lanes, "
    "has transferred since the last line, the rate, and the longest latency; or, if "
    "nothing was completed, what the rank does. With --quiet there are only the rows "
    "of "
    "--live-csv. 0: no lines.";

const char run_dry_run_text[] =
    "Print the memory and disk space that the run would need, and the bytes that it "
    "would write and read, and end. It touches no file except that of --json, which "
    "gets the exact numbers (schema leadline-need/1).";
