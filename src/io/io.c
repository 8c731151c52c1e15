/* The core: what all engines share. Checks, agreement, time stamps, the watchdog. */
#include "io/io.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/scratch.h"
#include "base/units.h"
#include "io/engine.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATE_S 5.0 /* for the close of a file whose requests did not finish */

int64_t io_option(const struct io_file *f, const char *key, int64_t preset)
{
    size_t n = strlen(key);
    const char *at = f->options;
    while (*at) {
        size_t len = strcspn(at, ",");
        char text[32];
        int64_t v;
        if (!strncmp(at, key, n) && at[n] == '=' && len - n - 1 < sizeof text) {
            snprintf(text, sizeof text, "%.*s", (int)(len - n - 1), at + n + 1);
            if (!units_parse_bytes(text, &v))
                return v;
        }
        at += len + (at[len] == ',');
    }
    return preset;
}

int io_req_fail(struct io_file *f, struct io_req *r, int code, const char *why)
{
    if (code == -EFBIG && !strcmp(why, strerror(EFBIG)))
        why = "File too large: a limit (ulimit -f), or the file system's";
    r->rc = err_set(code, f->path, r->offset + r->done,
                    "%s of %lld bytes failed after %lld: %s",
                    r->op == IO_OP_READ ? "read" : "write", (long long)r->bytes,
                    (long long)r->done, why);
    return r->rc;
}

int io_descriptor_open(const struct io_file *f)
{
    int how = f->flags & IO_WRITE ? f->flags & IO_READ ? O_RDWR : O_WRONLY : O_RDONLY;
    bool direct = f->flags & IO_DIRECT;
    struct stat st;
    if (scratch_made(f->path)) /* what was made is a file: a link is not it */
        how |= O_NOFOLLOW;
    int fd = open(f->path, how | (direct ? O_DIRECT : 0) | O_CLOEXEC);
    if (fd >= 0) {
        int rc = fstat(fd, &st) ? -errno : scratch_check(f->path, &st);
        if (rc)
            close(fd);
        return rc ? rc : fd;
    }
    int why = errno, other = why == ELOOP ? scratch_check(f->path, NULL) : 0;
    if (other)
        return other;
    errno = why;
    if (direct && errno == EINVAL)
        return err_set(-EINVAL, f->path, -1,
                       "this file system does no direct I/O (O_DIRECT)");
    return err_set(-errno, f->path, -1, "the file cannot be opened: %s",
                   strerror(errno));
}

/* ---- opening ---------------------------------------------------------------- */

/* Makes the file on one rank. Signals wait, so that a file never exists without
 * standing in the scratch table, nor does somebody else's file ever stand there. */
static int create(struct io_file *f)
{
    int fd = -1;
    int rc = f->engine->can & IO_IS_FOLDER ? scratch_create_folder(f->path)
                                           : scratch_create(f->path, &fd);
    if (fd >= 0)
        close(fd);
    f->created = rc == 0;
    return rc;
}

static void destroy(struct io_file *f)
{
    if (f->created)
        scratch_remove(f->path);
    if (f->folder >= 0)
        close(f->folder);
    free(f->hints_in_effect);
    free(f->mpi_path);
    free(f->path);
    free(f->options);
    free(f);
}

/* ROMIO takes what is before a colon for a kind of file system, wherever the colon is,
 * and opens another path, or none. So a folder with one is named by a descriptor, which
 * stays open as long as the file: libraries come back to the name. */
static void name_for_mpi(struct io_file *f)
{
    char text[PATH_MAX];
    const char *slash = f->path ? strrchr(f->path, '/') : NULL;
    const char *colon = slash ? memchr(f->path, ':', (size_t)(slash - f->path)) : NULL;
    f->folder = -1;
    if (colon) {
        snprintf(text, sizeof text, "%.*s", (int)(slash - f->path), f->path);
        f->folder = open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    snprintf(text, sizeof text, "/proc/self/fd/%d%s", f->folder, slash ? slash : "");
    if (f->path)
        f->mpi_path = strdup(f->folder >= 0 ? text : f->path);
}

static struct io_file *make(const struct io_open *o)
{
    struct io_file *f = calloc(1, sizeof *f);
    const char *colon = strchr(o->engine, ':');
    char whole[PATH_MAX];
    if (!f)
        return NULL;
    f->engine = io_engine_find(o->engine);
    f->comm = o->comm;
    f->path = strdup(scratch_absolute(whole, o->path) ? o->path : whole);
    f->options = strdup(colon ? colon + 1 : "");
    name_for_mpi(f);
    f->flags = o->flags;
    f->bytes = o->bytes;
    f->max_request = o->max_request;
    f->depth = o->depth > 0 ? o->depth : 1;
    f->timeout_s = o->timeout_s;
    f->hints = o->hints;
    f->hint_count = o->hint_count;
    f->shape = o->shape;
    f->buffers = o->buffers;
    f->buffer_count = o->buffer_count;
    f->plan = o->plan;
    f->node_dirs = o->node_dirs;
    f->layer = f->engine->name;
    MPI_Comm_rank(o->comm, &f->rank);
    if (f->path && f->mpi_path && f->options)
        return f;
    destroy(f);
    return NULL;
}

/* tmpfs takes O_DIRECT and stays what it is: memory. */
static int refuse_memory(const struct io_file *f)
{
    char dir[4096];
    struct io_fs fs;
    snprintf(dir, sizeof dir, "%s", f->path);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    int rc = io_fs_of(slash ? dir : ".", &fs);
    if (rc || !fs.in_memory)
        return rc;
    return err_set(-EOPNOTSUPP, f->path, -1,
                   "direct I/O needs a device, and %s is memory: choose another "
                   "directory",
                   fs.type);
}

/* Three steps, each agreed on, so that no rank is left waiting in the next one. */
static int open_steps(struct io_file *f)
{
    int rc = 0;
    if ((f->flags & IO_CREATE) && !(f->engine->can & IO_HAS_NO_FILE)) {
        watchdog_arm(f->timeout_s, "creating", f->path, -1);
        if (f->rank == 0)
            rc = create(f);
        watchdog_disarm();
        if ((rc = err_agree(f->comm, rc)))
            return rc;
        /* Whoever is told to end removes it: rank 0 may be where no signal comes. */
        if (f->rank)
            rc = scratch_add(f->path);
        if ((rc = err_agree(f->comm, rc)))
            return rc;
    }
    watchdog_arm(f->timeout_s, "opening", f->path, -1);
    rc = f->engine->open(f);
    watchdog_disarm(); /* waiting for others is no I/O */
    int all = err_agree(f->comm, rc);
    if (all && !rc) {
        watchdog_arm(f->timeout_s, "closing", f->path, -1);
        f->engine->close(f);
        watchdog_disarm();
    }
    return all;
}

int io_file_open(struct io_file **out, const struct io_open *o)
{
    *out = NULL;
    int rc = io_engine_check(o->engine, o->flags);
    struct io_file *f = rc ? NULL : make(o);
    if (!rc && !f)
        rc = err_set(-ENOMEM, o->path, -1, "no memory to open a file");
    if (f && o->hint_count && !(f->engine->can & IO_CAN_HINTS))
        rc = err_usage("I/O engine %s takes no hints: leave out --hint, or take mpiio",
                       f->engine->name);
    if (!rc && (o->flags & IO_DIRECT))
        rc = refuse_memory(f);
    rc = err_agree(o->comm, rc);
    if (!rc)
        rc = open_steps(f);
    if (rc) {
        if (f && f->rank && (f->flags & IO_CREATE))
            scratch_forget(f->path);
        if (f)
            destroy(f);
        return rc;
    }
    f->created = false; /* it is the program's from now on */
    f->hints = NULL;
    f->hint_count = 0;
    f->shape = NULL;
    f->buffers = NULL;
    f->buffer_count = 0;
    f->plan = NULL;
    f->node_dirs = NULL;
    *out = f;
    return 0;
}

/* ---- transfers ---------------------------------------------------------------- */

/* What every finished request goes through: an engine that says all is well must
 * also have moved every byte. */
static void complete(struct io_file *f, struct io_req *r)
{
    r->end_ns = clock_ns();
    if (!r->rc && r->done != r->bytes)
        io_req_fail(f, r, -EIO, "short transfer");
    if (r->rc && !f->first_rc)
        f->first_rc = r->rc;
}

static int check_direct(struct io_file *f, const struct io_req *r)
{
    uint64_t all = (uint64_t)(uintptr_t)r->buf | (uint64_t)r->offset;
    if (((all | (uint64_t)r->bytes) & (IO_DIRECT_ALIGN - 1)) == 0)
        return 0;
    return err_set(-EINVAL, f->path, r->offset,
                   "direct I/O moves multiples of %d bytes, from and to multiples of "
                   "it: this request is of %lld",
                   IO_DIRECT_ALIGN, (long long)r->bytes);
}

static int check(struct io_file *f, const struct io_req *r)
{
    if (r->bytes >= 0 && r->offset >= 0 && r->bytes <= f->max_request &&
        r->offset <= INT64_MAX - r->bytes)
        return f->flags & IO_DIRECT ? check_direct(f, r) : 0;
    return err_set(-EINVAL, f->path, r->offset,
                   "a request of %lld bytes is outside what the file was opened for "
                   "(at most %lld)",
                   (long long)r->bytes, (long long)f->max_request);
}

static void begin(struct io_file *f, struct io_req *r)
{
    r->done = 0;
    r->end_ns = 0;
    r->rc = check(f, r);
    r->start_ns = clock_ns();
}

static const char *op_text(const struct io_req *r)
{
    return r->op == IO_OP_READ ? "reading" : "writing";
}

static int start_synchronous(struct io_file *f, struct io_req *r[], int n)
{
    int rc = 0;
    for (int i = 0; i < n; i++) {
        begin(f, r[i]);
        watchdog_arm(f->timeout_s, op_text(r[i]), f->path, r[i]->offset);
        /* also a request that is refused here takes part where others wait for it */
        int failed =
            r[i]->rc && !(f->flags & IO_COLLECTIVE) ? 0 : f->engine->start(f, &r[i], 1);
        watchdog_disarm();
        if (failed && !r[i]->rc)
            r[i]->rc = failed;
        complete(f, r[i]);
        if (r[i]->rc && !rc)
            rc = r[i]->rc;
    }
    return rc;
}

static int start_asynchronous(struct io_file *f, struct io_req *r[], int n)
{
    int refused = 0;
    for (int i = 0; i < n; i++) {
        begin(f, r[i]);
        refused = refused ? refused : r[i]->rc;
    }
    /* where others wait for it, also a request that is refused here takes part */
    if (refused && !(f->flags & IO_COLLECTIVE))
        return refused;
    watchdog_arm(f->timeout_s, "submitting requests", f->path, n ? r[0]->offset : -1);
    int rc = f->engine->start(f, r, n);
    watchdog_disarm();
    if (!rc)
        f->under_way += n;
    return rc ? rc : refused;
}

int io_file_start(struct io_file *f, struct io_req *r[], int n)
{
    if (n > f->depth - f->under_way)
        return err_set(-EINVAL, f->path, -1, "%d requests at once, opened for %d",
                       f->under_way + n, f->depth);
    return f->engine->reap ? start_asynchronous(f, r, n) : start_synchronous(f, r, n);
}

static int reap(struct io_file *f, int min, double limit_s)
{
    struct io_req *done[16];
    int n = f->engine->reap(f, done, 16, min, limit_s);
    for (int i = 0; i < n; i++)
        complete(f, done[i]);
    if (n > 0)
        f->under_way -= n;
    return n;
}

/* Waits for one more to be done, within what is left of the limit since begin_ns. */
static int wait_more(struct io_file *f, int64_t begin_ns)
{
    double left = f->timeout_s - (double)(watchdog_ns() - begin_ns) / 1e9;
    if (f->timeout_s > 0 && left <= 0) {
        f->late = true;
        return err_set(-ETIMEDOUT, f->path, -1,
                       "%d requests did not finish within "
                       "%g s; --io-timeout sets the limit",
                       f->under_way, f->timeout_s);
    }
    watchdog_arm(f->timeout_s, "waiting for a request", f->path, -1);
    int n = reap(f, 1, f->timeout_s > 0 ? left : 0);
    watchdog_disarm();
    return n < 0 ? n : 0;
}

int io_file_wait_for(struct io_file *f, const struct io_req *r)
{
    int64_t begin_ns = watchdog_ns();
    int before = f->under_way, rc = 0;
    while (!rc && f->under_way && (r ? !r->end_ns : f->under_way == before))
        rc = wait_more(f, begin_ns);
    return rc || !r ? rc : r->rc;
}

int io_file_wait(struct io_file *f)
{
    int64_t begin_ns = watchdog_ns();
    int rc = 0;
    while (!rc && f->under_way)
        rc = wait_more(f, begin_ns);
    if (rc)
        return rc;
    rc = f->first_rc;
    f->first_rc = 0;
    return rc;
}

int io_file_poll(struct io_file *f)
{
    if (f->under_way)
        reap(f, 0, 0);
    return f->under_way;
}

int io_file_transfer(struct io_file *f, struct io_req *r)
{
    int rc = io_file_start(f, &r, 1);
    int waited = io_file_wait(f);
    return rc ? rc : waited;
}

static int guarded(struct io_file *f, int (*call)(struct io_file *f))
{
    if (!call)
        return 0;
    watchdog_arm(f->timeout_s, "syncing", f->path, -1);
    int rc = call(f);
    watchdog_disarm();
    return rc;
}

int io_file_sync_own(struct io_file *f, bool failed)
{
    f->failed = failed;
    if (failed && !(f->engine->can & IO_SYNC_TOGETHER))
        return 0;
    return guarded(f, f->engine->sync);
}

int io_file_sync_meet(struct io_file *f)
{
    return guarded(f, f->engine->meet);
}

int io_file_sync(struct io_file *f)
{
    int rc = io_file_sync_own(f, false), met = io_file_sync_meet(f);
    return rc ? rc : met;
}

int io_file_size(struct io_file *f, int64_t *bytes)
{
    struct stat st;
    *bytes = 0;
    if (f->engine->size)
        return f->engine->size(f, bytes);
    if (stat(f->path, &st))
        return err_set(-errno, f->path, -1, "the file's size is not to be had: %s",
                       strerror(errno));
    *bytes = st.st_size;
    return 0;
}

/* What was late once is not given the whole time again. */
static double close_limit_s(const struct io_file *f)
{
    return f->late && f->timeout_s > LATE_S ? LATE_S : f->timeout_s;
}

int io_file_close(struct io_file **file)
{
    struct io_file *f = *file;
    if (!f)
        return 0;
    int waited = f->late ? 0 : io_file_wait(f);
    watchdog_arm(close_limit_s(f), "closing", f->path, -1);
    int rc = f->engine->close(f);
    watchdog_disarm();
    rc = err_agree(f->comm, waited ? waited : rc);
    destroy(f);
    *file = NULL;
    return rc;
}

int io_file_remove(MPI_Comm comm, const char *path)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    watchdog_arm_as_set("removing", path);
    int rc = scratch_empty(path); /* each rank, what it made in it */
    watchdog_disarm();
    rc = err_agree(comm, rc);
    watchdog_arm_as_set("removing", path);
    int removed = rank == 0 ? scratch_remove(path) : 0;
    watchdog_disarm();
    removed = err_agree(comm, removed);
    rc = rc ? rc : removed;
    if (rank)
        scratch_forget(path);
    return rc;
}

void io_file_keep(MPI_Comm comm, const char *path)
{
    (void)comm;
    scratch_forget(path);
}

/* ---- what it is and does -------------------------------------------------------- */

const char *io_file_layer(const struct io_file *f)
{
    return f->layer;
}

const char *io_file_caveat(const struct io_file *f)
{
    return f->caveat;
}

struct io_partition io_file_partition(const struct io_file *f)
{
    struct io_partition p = {0};
    if (f->engine->partition)
        f->engine->partition(f, &p);
    return p;
}

int io_file_hints(const struct io_file *f, struct io_hint *h, int max)
{
    int n = f->hints_in_effect_count < max ? f->hints_in_effect_count : max;
    if (n > 0)
        memcpy(h, f->hints_in_effect, (size_t)n * sizeof *h);
    return n;
}
