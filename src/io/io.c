/* The core that all engines share: checks, agreement, time stamps, the watchdog. */
#include "io/io.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "base/thread.h"
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
#include <time.h>
#include <unistd.h>

/* The value, of *n bytes, of "key" in "key=value,key"; NULL: it is not there. */
static const char *option_of(const char *options, const char *key, size_t *n)
{
    const char *at = options;
    /* most have none, and posix calls this each time */
    size_t name = *at ? strlen(key) : 0;
    while (*at) {
        size_t len = strcspn(at, ",");
        if (!strncmp(at, key, name) && (len == name || at[name] == '=')) {
            *n = len > name ? len - name - 1 : 0;
            return at + len - *n;
        }
        at += len + (at[len] == ',');
    }
    return NULL;
}

int64_t io_option(const char *options, const char *key, int64_t preset)
{
    char text[32];
    size_t n;
    int64_t v;
    const char *value = option_of(options, key, &n);
    if (!value || n >= sizeof text)
        return preset;
    if (!n) /* the key alone switches it on */
        return 1;
    snprintf(text, sizeof text, "%.*s", (int)n, value);
    return units_parse_bytes(text, &v) ? preset : v;
}

bool io_option_is(const char *options, const char *key, const char *word)
{
    size_t n;
    const char *value = option_of(options, key, &n);
    return value && n == strlen(word) && !strncmp(value, word, n);
}

const char *io_reason(bool direct, int code)
{
    if (code == -EFBIG)
        return "File too large: a limit (ulimit -f), or the file system's";
    if (direct && (code == -EINVAL || code == -EOPNOTSUPP))
        return "this file system refuses direct I/O (O_DIRECT) here: take "
               "--cache=flush, "
               "or another directory";
    return strerror(-code);
}

int io_req_fail(struct io_req *r, int code, const char *why)
{
    if (!strcmp(why, strerror(-code)))
        why = io_reason(r->file->flags & IO_DIRECT, code);
    r->rc = err_set(code, r->file->path, r->offset + r->done,
                    "%s of %lld bytes failed after %lld: %s",
                    r->op == IO_OP_READ ? "read" : "write", (long long)r->bytes,
                    (long long)r->done, why);
    return r->rc;
}

static int open_how(const struct io_file *f, int how)
{
    bool direct = f->flags & IO_DIRECT;
    struct stat st;
    how |= direct ? O_DIRECT : 0;
    how |= f->flags & IO_OSYNC ? O_SYNC : f->flags & IO_DSYNC ? O_DSYNC : 0;
    int fd = scratch_open(f->path, how);
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
    return err_set(-why, f->path, -1, "the file cannot be opened: %s",
                   io_reason(direct, -why));
}

int io_descriptor_open(const struct io_file *f)
{
    int write = f->flags & IO_READ ? O_RDWR : O_WRONLY;
    return open_how(f, f->flags & IO_WRITE ? write : O_RDONLY);
}

int io_descriptor_open_to_map(const struct io_file *f)
{
    return open_how(f, f->flags & IO_WRITE ? O_RDWR : O_RDONLY);
}

int io_descriptor_sync(const struct io_file *f, int fd)
{
    bool data = f->flags & IO_DATA_SYNC;
    if (data ? fdatasync(fd) : fsync(fd))
        return err_set(-errno, f->path, -1, "%s failed: %s",
                       data ? "fdatasync" : "fsync", strerror(errno));
    return 0;
}

/* ---- opening ---------------------------------------------------------------- */

/* Makes the file on one rank. Signals wait, so that the scratch table has every file
 * that exists, and never a file of somebody else. */
int io_file_make(struct io_file *f)
{
    int fd = -1;
    int rc = f->engine->can & IO_IS_FOLDER ? scratch_create_folder(f->path)
             : f->striping                 ? io_stripe_create(f->path, f->striping, &fd)
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
    if (f->queue)
        io_queue_leave(f);
    free(f->hints_in_effect);
    free(f->mpi_path);
    free(f->path);
    free(f);
}

/* Makes a name for MPI libraries. ROMIO takes the text before any colon for a kind of
 * file system, and opens another path, or none. So a directory with a colon is named by
 * a descriptor, which stays open as long as the file: libraries use the name again. */
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
        f->mpi_path = mem_text(f->folder >= 0 ? text : f->path, "an open file");
}

static struct io_file *io_make(const struct io_open *o)
{
    struct io_file *f = thread_alloc(sizeof *f, "an open file");
    char whole[PATH_MAX];
    if (!f)
        return NULL;
    f->engine = io_engine_find(o->engine);
    f->comm = o->flags & IO_LOCAL ? MPI_COMM_SELF : o->comm;
    const char *path = scratch_absolute(whole, o->path) ? o->path : whole;
    f->path = mem_text(path, "an open file");
    name_for_mpi(f);
    f->flags = o->flags;
    f->bytes = o->bytes;
    f->max_request = o->max_request;
    f->timeout_s = o->timeout_s;
    f->hints = o->hints;
    f->hint_count = o->hint_count;
    f->shape = o->shape;
    f->plan = o->plan;
    f->node_dirs = o->node_dirs;
    f->striping = o->striping;
    f->layer = f->engine->name;
    if (!(o->flags & IO_LOCAL))
        MPI_Comm_rank(o->comm, &f->rank);
    if (f->path && f->mpi_path)
        return f;
    destroy(f);
    return NULL;
}

/* Refuses direct I/O on tmpfs, which accepts O_DIRECT but is memory. */
static int refuse_memory(const struct io_file *f)
{
    char dir[4096];
    struct io_fs fs;
    struct stat st;
    if (!stat(f->path, &st) && S_ISBLK(st.st_mode)) /* only its name is in memory */
        return 0;
    snprintf(dir, sizeof dir, "%s", f->path);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    int rc = io_fs_of(slash ? dir : ".", &fs);
    if (rc || !fs.in_memory)
        return rc;
    return err_set(
        -EOPNOTSUPP, f->path, -1,
        "direct I/O needs a device, and %s is memory: take --cache=flush, or "
        "another directory",
        fs.type);
}

static int share_queue(struct io_file *f, const struct io_open *o)
{
    struct io_queue *q = o->queue;
    if (strcmp(o->engine, q->spec))
        return err_usage("a file of I/O engine %s was opened for a queue of %s",
                         o->engine, q->spec);
    if (o->flags & IO_COLLECTIVE)
        return err_usage("collective transfers need a queue for each file: leave out "
                         "--collective where several files share one");
    if (q->only)
        return err_usage("the queue of %s is for that file only: open one for several",
                         q->only->path);
    q->users++;
    f->queue = q;
    return 0;
}

/* Local. Joins the given queue, or makes one for the file. */
static int join_queue(struct io_file *f, const struct io_open *o)
{
    struct io_queue_open own = {.engine = o->engine,
                                .depth = o->depth,
                                .max_request = o->max_request,
                                .timeout_s = o->timeout_s,
                                .buffers = o->buffers,
                                .buffer_count = o->buffer_count};
    int rc = o->queue ? share_queue(f, o) : io_queue_make(&f->queue, &own, f);
    if (rc)
        return rc;
    f->options = f->queue->options;
    f->depth = f->queue->depth;
    return 0;
}

/* Agrees on a verdict among the ranks that have the file open; for a local file that is
 * this rank. */
static int io_agree(const struct io_file *f, int rc)
{
    return f->flags & IO_LOCAL ? rc : err_agree(f->comm, rc);
}

static int open_at_once(struct io_file *f, const struct io_open *o, int rc)
{
    if (!f)
        return io_engine_find(o->engine)->absent(o, rc);
    f->unready = rc;
    watchdog_arm(f->timeout_s, "opening", f->path, -1);
    rc = f->engine->open(f);
    watchdog_disarm();
    return rc;
}

static bool opens_at_once(const struct io_open *o)
{
    const struct io_engine *e = io_engine_find(o->engine);
    return e && e->can & IO_OPENS_AT_ONCE && !(o->flags & IO_LOCAL);
}

static int64_t opened_again;

int64_t io_opened_again(void)
{
    return opened_again;
}

static int open_once(struct io_file *f)
{
    watchdog_arm(f->timeout_s, "opening", f->path, -1);
    int rc = f->engine->open(f);
    watchdog_disarm(); /* waiting for others is no I/O */
    int all = io_agree(f, rc);
    if (all && !rc) {
        watchdog_arm(f->timeout_s, "closing", f->path, -1);
        f->engine->close(f);
        watchdog_disarm();
    }
    return all;
}

/* True after a moment, if another try to open may succeed: a client of a network file
 * system may not see at once what another one has made, or removed and made again. */
static bool wait_to_open(int rc, int tries)
{
    enum { TRIES = 20 };
    const struct timespec pause = {.tv_nsec = 50000000};
    if ((rc != -ESTALE && rc != -ENOENT) || tries == TRIES)
        return false;
    nanosleep(&pause, NULL);
    opened_again++;
    return true;
}

int io_open_seen(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (int i = 0; fd < 0 && wait_to_open(-errno, i); i++)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd;
}

/* Opens the file on all its ranks, which try again together. */
static int open_visible(struct io_file *f)
{
    int rc = open_once(f);
    for (int i = 0; wait_to_open(rc, i); i++) {
        err_clear();
        rc = open_once(f);
    }
    return rc;
}

/* Opens in three steps, with agreement on each, so that no rank is left waiting in
 * the next. */
static int open_steps(struct io_file *f)
{
    int rc = 0;
    if ((f->flags & IO_CREATE) && !(f->engine->can & IO_HAS_NO_FILE)) {
        watchdog_arm(f->timeout_s, "creating", f->path, -1);
        if (f->rank == 0)
            rc = io_file_make(f);
        watchdog_disarm();
        if ((rc = io_agree(f, rc)))
            return rc;
        /* Every rank removes it if it is told to end: no signal may come to rank 0. */
        if (f->rank)
            rc = scratch_add(f->path);
        if ((rc = io_agree(f, rc)))
            return rc;
    }
    return open_visible(f);
}

/* Checks a local file: files of others are never changed. */
static int check_local(const struct io_open *o)
{
    if (!(o->flags & IO_LOCAL))
        return 0;
    if (o->flags & IO_COLLECTIVE)
        return err_set(-EINVAL, o->path, -1,
                       "a file of one rank has no collective transfers");
    if (!(o->flags & IO_WRITE) || (o->flags & IO_CREATE) || scratch_made(o->path) ||
        (io_engine_find(o->engine)->can & IO_HAS_NO_FILE))
        return 0;
    return err_set(-EPERM, o->path, -1,
                   "the file is not this run's, and is left as it is: such files are "
                   "opened to be read only");
}

int io_file_open(struct io_file **out, const struct io_open *o)
{
    *out = NULL;
    int rc = io_engine_check(o->engine, o->flags);
    rc = rc ? rc : check_local(o);
    struct io_file *f = rc ? NULL : io_make(o);
    if (!rc && !f)
        rc = -ENOMEM;
    if (f && o->hint_count && !(f->engine->can & IO_CAN_HINTS))
        rc = err_usage("I/O engine %s takes no hints: leave out --hint, or take mpiio",
                       f->engine->name);
    if (!rc && (o->flags & IO_DIRECT))
        rc = refuse_memory(f);
    if (!rc)
        rc = join_queue(f, o);
    if (opens_at_once(o))
        rc = open_at_once(f, o, rc);
    else {
        if (!(o->flags & IO_LOCAL))
            rc = err_agree(o->comm, rc);
        if (!rc)
            rc = open_steps(f);
    }
    if (rc) {
        if (f && f->rank && (f->flags & IO_CREATE))
            scratch_forget(f->path);
        if (f)
            destroy(f);
        return rc;
    }
    f->align = f->flags & IO_DIRECT ? io_direct_align(f->path) : 1;
    f->created = false; /* the program owns it from now on */
    f->hints = NULL;
    f->hint_count = 0;
    f->shape = NULL;
    f->plan = NULL;
    f->node_dirs = NULL;
    f->striping = NULL;
    *out = f;
    return 0;
}

/* ---- syncing and closing -------------------------------------------------------- */

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

int io_file_flush(struct io_file *f, bool discard)
{
    if (!f->engine->flush)
        return 0;
    watchdog_arm(f->timeout_s, "flushing", f->path, -1);
    int rc = f->engine->flush(f, discard);
    watchdog_disarm();
    return rc;
}

int io_file_size(struct io_file *f, int64_t *bytes)
{
    struct stat st;
    *bytes = 0;
    if (f->engine->size)
        return f->engine->size(f, bytes);
    int rc = io_file_flush(f, false);
    if (rc)
        return rc;
    if (stat(f->path, &st))
        return err_set(-errno, f->path, -1, "the file's size is not to be had: %s",
                       strerror(errno));
    *bytes = st.st_size;
    return 0;
}

static int cut(struct io_file *f, int64_t bytes)
{
    int fd = scratch_open(f->path, O_WRONLY | O_CLOEXEC), rc = 0;
    if (fd < 0 || ftruncate(fd, bytes))
        rc = err_set(-errno, f->path, bytes, "the file cannot be cut: %s",
                     strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

int io_file_cut(struct io_file *f, int64_t bytes)
{
    if (f->engine->can & IO_HAS_NO_FILE)
        return 0;
    if (f->engine->can & (IO_IS_FOLDER | IO_OWN_FORMAT))
        return err_set(-ENOTSUP, f->path, -1, "only regular files can be cut");
    if (!scratch_made(f->path))
        return err_set(-EPERM, f->path, -1,
                       "the file is not this run's, and is left as it is");
    int rc = io_file_flush(f, true);
    watchdog_arm(f->timeout_s, "cutting", f->path, bytes);
    rc = rc ? rc : cut(f, bytes);
    watchdog_disarm();
    if (!rc && f->engine->was_cut)
        f->engine->was_cut(f, bytes);
    return rc;
}

int io_file_close(struct io_file **file)
{
    struct io_file *f = *file;
    double limit_s;
    if (!f)
        return 0;
    int waited = io_queue_part_with(f, &limit_s);
    watchdog_arm(limit_s, "closing", f->path, -1);
    int rc = f->engine->close(f);
    watchdog_disarm();
    rc = io_agree(f, waited ? waited : rc);
    destroy(f);
    *file = NULL;
    return rc;
}

static int remove_local(const char *path)
{
    watchdog_arm_as_set("removing", path);
    int rc = scratch_remove(path);
    watchdog_disarm();
    return rc;
}

int io_file_remove(MPI_Comm comm, const char *path)
{
    int rank;
    if (comm == MPI_COMM_NULL)
        return remove_local(path);
    MPI_Comm_rank(comm, &rank);
    watchdog_arm_as_set("removing", path);
    int rc = scratch_empty(path); /* each rank removes what it made in it */
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

/* ---- properties ----------------------------------------------------------------- */

const char *io_file_layer(const struct io_file *f)
{
    return f->layer;
}

const char *io_file_caveat(const struct io_file *f)
{
    return f->caveat;
}

const char *io_file_in_turn(const struct io_file *f)
{
    return f->in_turn;
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
