/* Files by FILETYPE: names, opening, closing, and dropping the page cache first. */
#include "base/err.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Makes the array's dimensions from the layout's digits with more than one value, then
 * from the elements of a slot. */
static void make_shape(struct run_file *f, const char *role, const struct layout *l)
{
    struct io_shape *s = &f->shape;
    struct layout_digit digit[LAYOUT_DIGITS];
    int n = layout_digits(l, digit);
    size_t at = 0;
    if (l->start) /* a shifted file is not an array */
        return;
    s->name = role;
    s->element_bytes = l->slot_bytes % 8 ? 1 : 8;
    for (int i = 0; i < n; i++)
        if (digit[i].count > 1) {
            s->dims[s->ndims++] = digit[i].count;
            at += (size_t)snprintf(f->dim_names + at, sizeof f->dim_names - at, "%s,",
                                   digit[i].name);
        }
    s->dims[s->ndims++] = l->slot_bytes / s->element_bytes;
    snprintf(f->dim_names + at, sizeof f->dim_names - at, "element");
}

static void file_start(struct run_file *f, struct run *r, bool shared, int64_t bytes,
                       int64_t max_request, int depth)
{
    memset(f, 0, sizeof *f);
    f->run = r;
    f->shared = shared;
    f->comm = shared ? r->world.comm : MPI_COMM_SELF;
    f->bytes = bytes;
    f->max_request = max_request;
    f->depth = depth;
    f->engine = r->engine;
}

void run_file_at(struct run_file *f, struct run *r, const char *path, bool shared,
                 bool mine, int64_t bytes, int64_t max_request, int depth)
{
    file_start(f, r, shared, bytes, max_request, depth);
    f->elsewhere = !shared && !mine;
    int n = snprintf(f->path, sizeof f->path, "%s", path);
    if (n >= (int)sizeof f->path && !r->failed)
        r->failed = err_set(-ENAMETOOLONG, path, -1, "the path is too long");
}

void run_file_local(struct run_file *f, struct run *r, const char *path, int64_t bytes,
                    int64_t max_request, int depth)
{
    run_file_at(f, r, path, false, true, bytes, max_request, depth);
    f->local = f->independent = true;
    f->place = r->worker;
}

void run_file_beside(struct run_file *f, struct run *r, const char *path,
                     int64_t max_request, int depth)
{
    run_file_local(f, r, path, 0, max_request, depth);
    f->beside = true;
    f->without = IO_WRITE_BACK;
    f->engine = r->engine ? r->engine : "posix";
}

void run_path(struct run *r, const char *role, const char *which, char *path,
              size_t size)
{
    const struct run_options *o = r->options;
    char rep[16] = "";
    if (o->repeat > 1 ||
        r->arms) /* not the same name anew: network file systems mix them up */
        snprintf(rep, sizeof rep, ".rep%d", r->rep);
    const char *name = r->program->name; /* "outcore aio" makes outcore-... */
    int n = snprintf(path, size, "%s/%.*s-%s.%s%s%s", o->dir, (int)strcspn(name, " "),
                     name, r->id, role, rep, which);
    if (n >= (int)size && !r->failed)
        r->failed = err_set(-ENAMETOOLONG, NULL, -1, "--dir is too long a path");
}

void run_file_of(struct run_file *f, int worker)
{
    char which[32] = "";
    int n = 0;
    f->place = worker;
    if (!f->run->shared)
        n = snprintf(which, sizeof which, ".%06d", worker);
    if (f->member)
        snprintf(which + n, sizeof which - (size_t)n, "-%d", f->member);
    run_path(f->run, f->role, which, f->path, sizeof f->path);
}

void run_file_name(struct run_file *f, struct run *r, const char *role,
                   const struct layout *l, int64_t max_request, int depth)
{
    file_start(f, r, r->shared, layout_file_bytes(l), max_request, depth);
    make_shape(f, role, l);
    f->plan = layout_plan(l);
    f->role = role;
    run_file_of(f, r->worker);
}

bool run_writes_back(const struct run *r)
{
    return r->async && r->flush && !(r->io_flags & IO_DIRECT) &&
           io_engine_writes_back(r->engine);
}

/* Open MPI binds ranks to cores by default, and batch systems do, too. */
static bool bound_to_one_core(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1 && world_cores() == 1;
}

/* Warns of known reasons why an asynchronous engine will not hide I/O. */
static void warn_of_engine(struct run_file *f)
{
    struct run *r = f->run;
    const char *caveat = io_file_caveat(f->io);
    bool direct = r->io_flags & IO_DIRECT & ~f->without;
    if (f->depth > 1 && io_file_in_turn(f->io))
        report_warning(r->report, "depth_without_effect",
                       "queue depth %d has little effect: %s", f->depth,
                       io_file_in_turn(f->io));
    if (!r->async)
        return;
    if (!caveat && !direct && io_engine_needs_direct(r->engine))
        caveat = "libaio blocks where it does not go past the page cache: add "
                 "--cache=direct";
    if (caveat)
        report_warning(r->report, "not_asynchronous",
                       "IOMODE=ASYNC hides little or nothing here: %s", caveat);
    if (bound_to_one_core())
        report_warning(
            r->report, "bound_to_one_core",
            "each rank is bound to one core: threads that move bytes, of the "
            "engine, the MPI library or the kernel, share it with the "
            "computation (mpirun --bind-to none, or more cores per task)");
    if (r->flush && !direct && io_engine_stores(r->engine) && !run_writes_back(r))
        report_warning(r->report, "write_back_at_end",
                       "I/O engine %s does not write back what it writes: the bytes "
                       "stay in the page cache until the system or the sync at the end "
                       "of the phase, which nothing overlaps, sends them to the device",
                       r->engine);
}

void run_describe(struct run *r, struct io_file *io, bool collective, int depth)
{
    const char *ak[RUN_HINTS_MAX], *av[RUN_HINTS_MAX];
    const char *ek[RUN_HINTS_MAX], *ev[RUN_HINTS_MAX];
    static struct io_hint effect[RUN_HINTS_MAX];
    int n = io ? io_file_hints(io, effect, RUN_HINTS_MAX) : 0;
    for (int i = 0; i < r->hint_count; i++) {
        ak[i] = r->hints[i].key;
        av[i] = r->hints[i].value;
    }
    for (int i = 0; i < n; i++) {
        ek[i] = effect[i].key;
        ev[i] = effect[i].value;
    }
    struct report_io is = {.engine = r->engine,
                           .version = "",
                           .io_layer = io ? io_file_layer(io) : r->engine,
                           .mode = r->async ? "async" : "sync",
                           .chosen_because = r->async ? r->chosen : "IOMODE=SYNC",
                           .collective = collective,
                           .cache = r->options->cache,
                           .sync = !r->flush            ? "none"
                                   : run_writes_back(r) ? "transfer and phase"
                                                        : "phase",
                           .depth = depth,
                           .timeout_s = r->options->io_timeout,
                           .hints_asked = r->hint_count,
                           .hints_in_effect = n,
                           .asked_key = ak,
                           .asked_value = av,
                           .effect_key = ek,
                           .effect_value = ev};
    report_io(r->report, &is);
    r->described = true;
}

void run_count_cached(struct run *r, int64_t bytes, int64_t resident)
{
    if (resident < 0)
        return;
    r->origin.looked_bytes += bytes;
    r->origin.resident_bytes += resident;
}

int64_t run_drop_cached(struct run *r, const char *path)
{
    int64_t resident = -1;
    enum act before = phase_act(r->phase, ACT_CHECK);
    watchdog_arm_as_set("emptying the page cache", path);
    int rc = r->flush ? io_cache_drop(path, 0, 0, &resident)
                      : io_cache_resident(path, 0, 0, &resident);
    watchdog_disarm();
    phase_act(r->phase, before);
    run_fail(r, rc);
    return resident;
}

void run_empty_cache(struct run *r, const char *path, int64_t bytes)
{
    run_count_cached(r, bytes, run_drop_cached(r, path));
}

static void empty_cache_part(struct run *r, const char *path, int part, bool rest)
{
    int64_t bytes = 0, resident = -1;
    int rc = io_cache_part(path, part, rest, r->flush, &bytes, &resident);
    run_fail(r, rc);
    run_count_cached(r, bytes, resident);
}

void run_empty_cache_parts(struct run *r, const char *path, int place)
{
    enum act before = phase_act(r->phase, ACT_CHECK);
    empty_cache_part(r, path, r->world.rank, r->world.node_rank == 0);
    if (place != r->world.rank)
        empty_cache_part(r, path, place, false);
    phase_act(r->phase, before);
}

/* Drops cached pages. For a shared file one rank of each node does it (for a container,
 * each its part); all wait for it. */
static void file_empty_cache(struct run_file *f)
{
    struct run *r = f->run;
    if (f->shared && r->partitioned && !r->input.path) /* the plan of other ranks
                                                        * decides its parts */
        run_empty_cache_parts(r, f->path, f->place);
    else if (!f->shared || r->world.node_rank == 0)
        run_empty_cache(r, f->path, f->bytes);
    if (f->shared) {
        enum act before = phase_act(r->phase, ACT_IDLE);
        world_barrier(f->comm);
        phase_act(r->phase, before);
    }
}

void run_buffer(struct run *r, void *buf, int64_t bytes)
{
    if (r->buffer_count < RUN_BUFFERS_MAX)
        r->buffers[r->buffer_count++] = (struct iovec){buf, (size_t)bytes};
}

/* The parameters to open the file with: the program's, its `flags` and the
 * run's policy. */
static struct io_open how_to_open(struct run_file *f, int flags)
{
    const struct run *r = f->run;
    int policy = r->io_flags | (run_writes_back(r) ? IO_WRITE_BACK : 0);
    policy &= ~(f->without | (f->independent ? IO_COLLECTIVE : 0));
    f->shape.dim_names = f->dim_names;
    return (struct io_open){.engine = f->engine,
                            .comm = f->comm,
                            .path = f->path,
                            .flags = flags | policy | (f->local ? IO_LOCAL : 0),
                            .bytes = f->bytes,
                            .max_request = f->max_request,
                            .depth = f->depth,
                            .queue = f->queue,
                            .timeout_s = r->options->io_timeout,
                            .hints = r->hints,
                            .hint_count = r->hint_count,
                            .buffers = r->buffers,
                            .buffer_count = r->buffer_count,
                            .plan = f->plan.ranks ? &f->plan : NULL,
                            .node_dirs = r->options->node_dirs,
                            .striping = r->striping.count ? &r->striping : NULL,
                            .shape = f->shape.ndims ? &f->shape : NULL};
}

void run_charge_header(struct run *r, int64_t before_ns)
{
    if (r->flush)
        phase_move(r->phase, ACT_OPEN_CLOSE, ACT_SYNC, io_header_ns() - before_ns);
}

static int file_open_file(struct run_file *f, int flags)
{
    struct run *r = f->run;
    struct io_open o = how_to_open(f, flags);
    int64_t header_ns = io_header_ns();
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = r->phase->switch_ns;
    int rc = io_file_open(&f->io, &o);
    phase_act(r->phase, before);
    if (!rc)
        phase_op(r->phase, flags & IO_CREATE ? PHASE_OP_CREATE : PHASE_OP_OPEN,
                 begin_ns, r->phase->switch_ns);
    run_charge_header(r, header_ns);
    return rc;
}

static int open_mine(struct run_file *f, int flags)
{
    if ((flags & IO_READ) && !(flags & IO_CREATE) && !f->beside && !f->as_cached &&
        io_engine_stores(f->engine))
        file_empty_cache(f);
    return file_open_file(f, flags);
}

/* Opens lane i's file. Of a shared file only lane 0's takes part in what is collective;
 * the other lanes open it on their own. */
static int open_for(struct run_file f[], int i, int flags)
{
    if (!i || !f[i].shared)
        return open_mine(&f[i], flags);
    f[i].comm = MPI_COMM_SELF;
    return file_open_file(&f[i], flags & ~IO_CREATE);
}

/* Attributes time and failures to lane i. While it opens or closes another lane's file,
 * the first lane is idle. */
static enum act turn_to(struct run_file f[], int i)
{
    struct run *r = f->run;
    err_lane(r->team ? i : -1);
    return i ? phase_act(r->phase, ACT_IDLE) : r->phase->now;
}

static void turn_back(struct run_file f[], enum act before)
{
    err_lane(-1);
    phase_act(f->run->phase, before);
}

static int open_each(struct run_file f[], int n, int flags)
{
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        enum act before = turn_to(f, i);
        rc = f[i].elsewhere ? 0 : open_for(f, i, flags);
        turn_back(f, before);
    }
    return rc;
}

int run_file_open_lanes(struct run_file f[], int n, int flags)
{
    struct run *r = f->run;
    if (!r->engine)
        return 0;
    int rc = open_each(f, n, flags);
    run_fail(r, rc);
    /* idle: waiting for ranks that still open theirs */
    enum act before = phase_act(r->phase, ACT_IDLE);
    r->failed = err_agree(r->world.comm, r->failed);
    phase_act(r->phase, before);
    lanes_fail(r);
    if (!r->failed && !r->described && f->io) {
        run_describe(r, f->io, r->options->collective, f->depth);
        warn_of_engine(f);
    }
    return r->failed;
}

static int open_local(struct run_file *f, int flags)
{
    struct run *r = f->run;
    if (!f->engine || r->failed)
        return r->failed;
    run_fail(r, open_mine(f, flags));
    if (!r->failed && !r->described && !r->lane && !f->beside) {
        run_describe(r, f->io, false, f->depth);
        warn_of_engine(f);
    }
    return r->failed;
}

int run_file_open(struct run_file *f, int flags)
{
    if (f->local)
        return open_local(f, flags);
    return run_file_open_lanes(f, 1, flags);
}

/* Waits for the other ranks before a shared file is closed: closing is collective, and
 * waiting there would count as closing. Returns true if some rank has failed. */
static bool wait_for_others(struct run_file *f)
{
    struct run *r = f->run;
    int mine = r->failed != 0, any = mine;
    MPI_Request request;
    if (!f->shared)
        return any;
    enum act before = phase_act(r->phase, ACT_IDLE);
    if (!MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_LOR, f->comm, &request))
        world_wait(&request, MPI_STATUS_IGNORE);
    phase_act(r->phase, before);
    return any;
}

static void close_mine(struct run_file *f)
{
    struct run *r = f->run;
    if (!f->io)
        return;
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int64_t begin_ns = r->phase->switch_ns;
    struct io_partition stored = io_file_partition(f->io);
    r->misfits[0] += stored.misfits;
    r->misfits[1] += stored.misfit_bytes;
    int64_t header_ns = io_header_ns();
    int rc = io_file_close(&f->io);
    phase_act(r->phase, before);
    phase_op(r->phase, PHASE_OP_CLOSE, begin_ns, r->phase->switch_ns);
    run_charge_header(r, header_ns);
    run_fail(r, rc);
}

static void sync_mine(struct run *r, void *files)
{
    struct run_file *f = files;
    if (f[r->lane].io)
        run_sync(&f[r->lane]);
}

/* Syncs the files of n lanes. A single lane's sync may be collective, so it stays on
 * this thread. */
static void sync_each(struct run_file f[], int n)
{
    if (n == 1)
        run_sync(f);
    else
        run_lanes(f->run, sync_mine, f);
}

int run_file_close_lanes(struct run_file f[], int n, bool written)
{
    struct run *r = f->run;
    bool sync = written && r->flush;
    if (!f->io)
        return 0;
    if (sync)
        sync_each(f, n);
    if (!wait_for_others(f) && sync)
        run_sync_meet(f);
    for (int i = 0; i < n; i++) {
        enum act before = turn_to(f, i);
        close_mine(&f[i]);
        turn_back(f, before);
    }
    lanes_take(r);
    return r->failed;
}

static int close_local(struct run_file *f, bool written)
{
    if (f->io && written && f->run->flush) {
        run_sync(f);
        run_sync_meet(f);
    }
    close_mine(f);
    return f->run->failed;
}

int run_file_close(struct run_file *f, bool written)
{
    if (f->local)
        return close_local(f, written);
    return run_file_close_lanes(f, 1, written);
}

static int remove_mine(const struct run *r, struct run_file *f)
{
    if (f->role)
        run_file_of(f, f->run->worker);
    if (r->options->keep && !r->failed)
        io_file_keep(f->comm, f->path);
    else if (!f->elsewhere)
        return io_file_remove(f->comm, f->path);
    return 0;
}

/* Removes the files, after closing any that a failed phase has left open. */
int run_file_remove_lanes(struct run_file f[], int n)
{
    struct run *r = f->run;
    int rc = 0, files = f->shared ? 1 : n;
    if (!r || !r->engine)
        return 0;
    for (int i = 0; i < n; i++) {
        int closed = f[i].io ? io_file_close(&f[i].io) : 0;
        rc = rc ? rc : closed;
    }
    if (f->role)
        run_file_of(f, r->worker);
    run_stripes(r, f->path);
    for (int i = 0; i < files; i++) {
        int removed = remove_mine(r, &f[i]);
        rc = rc ? rc : removed;
    }
    return err_agree(r->world.comm, rc);
}

static int remove_local(struct run_file *f)
{
    struct run *r = f->run;
    if (f->io)
        run_fail(r, io_file_close(&f->io));
    if (r->options->keep && !r->failed)
        io_file_keep(MPI_COMM_NULL, f->path);
    else
        run_fail(r, io_file_remove(MPI_COMM_NULL, f->path));
    return r->failed;
}

int run_file_remove(struct run_file *f)
{
    if (f->local)
        return remove_local(f);
    return run_file_remove_lanes(f, 1);
}
