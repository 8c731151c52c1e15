#include "io/whole.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/scratch.h"
#include "io/io.h"
#include "io/whole_ring.h"
#include "world/world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_MADE "the folder is not one that this run made, and is left as it is"

struct io_folder {
    int fd;
    char *path;
    bool made; /* by the run: things in it may be changed, and are no links */
    int how;   /* of each open: O_DIRECT or 0 */
    DIR *listing;
    struct whole_ring *ring; /* NULL: there is none, or it was not asked for yet */
    bool tried;              /* whether there is one */
    int under_way;
    struct io_whole *ready[IO_WHOLE_DEPTH]; /* read without a ring, not reaped yet */
    int ready_count;
};

/* ---- folders --------------------------------------------------------------------- */

/* Of a folder that is to be made or is this run's, the scratch table's descriptor. */
static int find_folder(const char *path, int flags, int *fd)
{
    *fd = scratch_tree(path);
    if (*fd >= 0 || !(flags & IO_WRITE))
        return 0;
    return err_set(-EPERM, path, -1, NOT_MADE ": files in it are only read");
}

/* Everybody remembers it, for whoever is told to end removes it. */
static int whole_make_folder(MPI_Comm comm, const char *path, int flags)
{
    bool local = flags & IO_LOCAL;
    int rank = 0, fd = -1, rc = 0;
    if (!local)
        MPI_Comm_rank(comm, &rank);
    watchdog_arm_as_set("creating", path);
    if (rank == 0)
        rc = scratch_create_tree(path, &fd);
    watchdog_disarm();
    if (local || (rc = err_agree(comm, rc)))
        return rc;
    watchdog_arm_as_set("opening", path);
    if (rank)
        rc = scratch_add_tree(path, &fd);
    watchdog_disarm();
    rc = err_agree(comm, rc);
    if (rc && rank)
        scratch_forget(path);
    else if (rc)
        scratch_remove(path);
    return rc;
}

static int open_folder(struct io_folder *d, const char *path, int flags)
{
    int of, rc = find_folder(path, flags, &of);
    int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    if (rc)
        return rc;
    d->made = of >= 0;
    d->how = flags & IO_DIRECT ? O_DIRECT : 0;
    d->path = strdup(path);
    watchdog_arm_as_set("opening", path);
    d->fd = of >= 0 ? openat(of, ".", how) : open(path, how);
    watchdog_disarm();
    if (d->fd < 0)
        return err_set(-errno, path, -1, "the folder cannot be opened: %s",
                       strerror(errno));
    return d->path ? 0 : err_set(-ENOMEM, path, -1, "no memory to open a folder");
}

static int open_local(struct io_folder **out, const char *path, int flags)
{
    struct io_folder *d = *out = calloc(1, sizeof *d);
    if (!d)
        return err_set(-ENOMEM, path, -1, "no memory to open a folder");
    d->fd = -1;
    int rc = open_folder(d, path, flags);
    if (rc)
        io_folder_close(out);
    return rc;
}

int io_folder_open(struct io_folder **d, MPI_Comm comm, const char *path, int flags)
{
    *d = NULL;
    int rc = flags & IO_CREATE ? whole_make_folder(comm, path, flags) : 0;
    if (rc)
        return rc;
    rc = open_local(d, path, flags);
    if (!(flags & IO_LOCAL))
        rc = err_agree(comm, rc);
    if (rc)
        io_folder_close(d);
    if (rc && flags & IO_CREATE)
        io_file_remove(flags & IO_LOCAL ? MPI_COMM_NULL : comm, path);
    return rc;
}

/* What is under way uses memory of the caller's. */
static void drain(struct io_folder *d)
{
    struct io_whole *done[IO_WHOLE_DEPTH];
    watchdog_arm_as_set("closing", d->path);
    while (d->under_way && io_whole_reap(d, done, IO_WHOLE_DEPTH, 1, 0) >= 0)
        continue;
    watchdog_disarm();
}

void io_folder_close(struct io_folder **folder)
{
    struct io_folder *d = *folder;
    *folder = NULL;
    if (!d)
        return;
    drain(d);
    whole_ring_close(&d->ring);
    if (d->listing)
        closedir(d->listing);
    if (d->fd >= 0)
        close(d->fd);
    free(d->path);
    free(d);
}

int io_folder_sync(struct io_folder *d)
{
    watchdog_arm_as_set("syncing", d->path);
    int rc = syncfs(d->fd) ? -errno : 0;
    watchdog_disarm();
    if (rc)
        rc = err_set(rc, d->path, -1, "syncfs failed: %s", strerror(-rc));
    return rc;
}

/* ---- listing --------------------------------------------------------------------- */

static int open_listing(struct io_folder *d)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    d->listing = fd < 0 ? NULL : fdopendir(fd);
    if (d->listing)
        return 0;
    int rc = err_set(-errno, d->path, -1, "the folder cannot be listed: %s",
                     strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* 1, or 0 at the end. */
static int next_name(struct io_folder *d, char *name, size_t room)
{
    struct dirent *e;
    do {
        errno = 0;
        e = readdir(d->listing);
    } while (e && is_dots(e->d_name));
    if (!e && errno)
        return err_set(-errno, d->path, -1, "the folder cannot be listed: %s",
                       strerror(errno));
    if (!e) {
        rewinddir(d->listing);
        return 0;
    }
    size_t n = strlen(e->d_name) + 1;
    if (n > room)
        return err_set(-ENAMETOOLONG, d->path, -1,
                       "there is room for names of %zu bytes, and one has %zu", room,
                       n);
    memcpy(name, e->d_name, n);
    return 1;
}

int io_folder_next(struct io_folder *d, char *name, size_t room)
{
    watchdog_arm_as_set("listing", d->path);
    int rc = d->listing ? 0 : open_listing(d);
    rc = rc ? rc : next_name(d, name, room);
    watchdog_disarm();
    return rc;
}

int io_folder_empty(struct io_folder *d)
{
    char name[NAME_MAX + 1];
    int rc = d->made ? 1 : err_set(-EPERM, d->path, -1, NOT_MADE);
    if (d->listing)
        rewinddir(d->listing);
    while (rc > 0 && (rc = io_folder_next(d, name, sizeof name)) > 0) {
        watchdog_arm_as_set("removing", name);
        if (unlinkat(d->fd, name, 0) && errno != ENOENT && errno != EISDIR)
            rc = err_set(-errno, d->path, -1, "a file in it cannot be removed: %s",
                         strerror(errno));
        watchdog_disarm();
    }
    return rc;
}

/* ---- one file -------------------------------------------------------------------- */

/* Of the first failure; what comes after it is its consequence. */
__attribute__((format(printf, 4, 5))) static void
fail(const struct io_folder *d, struct io_whole *w, int code, const char *fmt, ...)
{
    char path[PATH_MAX + NAME_MAX + 2], text[256];
    va_list ap;
    if (w->rc)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(path, sizeof path, "%s/%s", d->path, w->name);
    w->rc = err_set(code, path, -1, "%s", text);
}

static void fail_open(const struct io_folder *d, struct io_whole *w, int code,
                      const char *what)
{
    if (code == -ELOOP && d->made)
        fail(d, w, -ELOOP,
             "a link was put in the place of what this run made, and is left as it is: "
             "use a --dir that nobody else may write to");
    else if (code == -EINVAL && d->how)
        fail(d, w, code, "this file system does no direct I/O (O_DIRECT)");
    else
        fail(d, w, code, "the file cannot be %s: %s", what, strerror(-code));
}

/* A name is that of a file in the folder and nowhere else. */
static bool begin(const struct io_folder *d, struct io_whole *w, bool changes)
{
    w->rc = 0;
    w->open_ns = w->move_ns = w->sync_ns = w->close_ns = w->name_ns = 0;
    if (!*w->name || is_dots(w->name) || strchr(w->name, '/'))
        fail(d, w, -EINVAL, "this is no name of a file in the folder");
    else if (changes && !d->made)
        fail(d, w, -EPERM, NOT_MADE);
    w->start_ns = clock_ns();
    return !w->rc;
}

/* Since `at`, which goes on. */
static int64_t part(int64_t *at)
{
    int64_t begin_ns = *at;
    *at = clock_ns();
    return *at - begin_ns;
}

static void close_file(const struct io_folder *d, struct io_whole *w, int fd)
{
    if (fd >= 0 && close(fd))
        fail(d, w, -errno, "close failed: %s", strerror(errno));
}

/* ---- reading --------------------------------------------------------------------- */

static int how_to_read(const struct io_folder *d)
{
    return O_RDONLY | O_CLOEXEC | O_NOCTTY | d->how | (d->made ? O_NOFOLLOW : 0);
}

/* Whether it is a file with room for it; its size. */
static bool whole_fits(const struct io_folder *d, struct io_whole *w,
                       const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        fail(d, w, -EISDIR, "it is a folder, where a file is to be read");
    else if (!S_ISREG(st->st_mode))
        fail(d, w, -EINVAL, "it is no plain file, and is not read");
    else if (st->st_size > w->room)
        fail(d, w, -EOVERFLOW, "the file has %lld bytes, and there is room for %lld",
             (long long)st->st_size, (long long)w->room);
    return !w->rc;
}

/* A FIFO would keep who opens it waiting. */
static int open_to_read(const struct io_folder *d, struct io_whole *w, struct stat *st)
{
    int fd = openat(d->fd, w->name, how_to_read(d) | O_NONBLOCK);
    if (fd < 0)
        fail_open(d, w, -errno, "opened");
    else if (fstat(fd, st))
        fail(d, w, -errno, "the file cannot be looked at: %s", strerror(errno));
    else
        whole_fits(d, w, st);
    return fd;
}

static void fail_short(const struct io_folder *d, struct io_whole *w, int64_t size)
{
    fail(d, w, -EIO, "the file ended after %lld of %lld bytes: it was cut meanwhile",
         (long long)w->bytes, (long long)size);
}

/* With O_DIRECT the last block is asked for as a whole. */
static void whole_read_all(const struct io_folder *d, struct io_whole *w, int fd,
                           int64_t size)
{
    int64_t most = d->how ? w->room : size;
    w->bytes = 0;
    while (w->bytes < size && !w->rc) {
        ssize_t n = read(fd, (char *)w->buf + w->bytes, (size_t)(most - w->bytes));
        if (n < 0 && errno != EINTR)
            fail(d, w, -errno, "read failed after %lld of %lld bytes: %s",
                 (long long)w->bytes, (long long)size, strerror(errno));
        if (n == 0)
            fail_short(d, w, size);
        w->bytes += n > 0 ? n : 0;
    }
}

int io_whole_read(struct io_folder *d, struct io_whole *w)
{
    struct stat st = {0};
    w->bytes = 0;
    if (!begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("reading", w->name);
    int fd = open_to_read(d, w, &st);
    w->open_ns = part(&at);
    if (!w->rc) {
        whole_read_all(d, w, fd, st.st_size);
        w->move_ns = part(&at);
    }
    close_file(d, w, fd);
    w->close_ns = part(&at);
    watchdog_disarm();
    return w->rc;
}

/* ---- writing --------------------------------------------------------------------- */

static const int how_to_make[] = {
    [IO_MAKE] = O_EXCL,
    [IO_TRUNCATE] = O_TRUNC,
    [IO_RENAME] = O_EXCL,
};

enum { OTHER_NAME = NAME_MAX + 1 };

/* The name until it is written, of this process and moment. */
static const char *name_before(const struct io_whole *w, enum io_replace how,
                               char other[OTHER_NAME])
{
    if (how != IO_RENAME)
        return w->name;
    snprintf(other, OTHER_NAME, ".%.180s.%ld.%llx", w->name, (long)getpid(),
             (unsigned long long)w->start_ns);
    return other;
}

static int open_to_write(const struct io_folder *d, struct io_whole *w,
                         const char *name, enum io_replace how)
{
    int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    w->rc = scratch_begin(d->path);
    if (w->rc)
        return -1;
    int fd = openat(d->fd, name, flags | how_to_make[how] | d->how, 0644);
    int code = -errno;
    scratch_end();
    if (fd < 0 && code == -EEXIST)
        fail(d, w, code,
             "there is something of this name already, and it is left as "
             "it is");
    else if (fd < 0)
        fail_open(d, w, code, "created");
    return fd;
}

static void whole_write_all(const struct io_folder *d, struct io_whole *w, int fd)
{
    int64_t align = d->how ? IO_DIRECT_ALIGN : 1, done = 0;
    int64_t all = (w->bytes + align - 1) / align * align;
    if (all > w->room && d->how)
        fail(d, w, -EINVAL,
             "direct I/O writes whole blocks: %lld bytes need a buffer of %lld",
             (long long)w->bytes, (long long)all);
    while (done < all && !w->rc) {
        ssize_t n = write(fd, (const char *)w->buf + done, (size_t)(all - done));
        if (n == 0 || (n < 0 && errno != EINTR))
            fail(d, w, n ? -errno : -EIO, "write of %lld bytes failed after %lld: %s",
                 (long long)w->bytes, (long long)done,
                 n ? strerror(errno) : "nothing was written");
        done += n > 0 ? n : 0;
    }
    if (all != w->bytes && !w->rc && ftruncate(fd, w->bytes))
        fail(d, w, -errno, "the file cannot be cut to its size: %s", strerror(errno));
}

static void sync_file(const struct io_folder *d, struct io_whole *w, int fd)
{
    if (!w->rc && fsync(fd))
        fail(d, w, -errno, "fsync failed: %s", strerror(errno));
}

static void rename_file(const struct io_folder *d, struct io_whole *w, const char *name,
                        bool sync)
{
    int rc = w->rc ? w->rc : scratch_begin(d->path);
    if (rc) {
        w->rc = rc;
        return;
    }
    rc = renameat(d->fd, name, d->fd, w->name) ? -errno : 0;
    scratch_end();
    if (rc)
        fail(d, w, rc, "what was written cannot be given this name: %s", strerror(-rc));
    else if (sync && fsync(d->fd))
        fail(d, w, -errno, "the fsync of the folder failed: %s", strerror(errno));
}

/* The parts after it was opened. */
static void write_file(const struct io_folder *d, struct io_whole *w, int fd, bool sync,
                       int64_t *at)
{
    whole_write_all(d, w, fd);
    w->move_ns = part(at);
    if (sync) {
        sync_file(d, w, fd);
        w->sync_ns = part(at);
    }
    close_file(d, w, fd);
    w->close_ns = part(at);
}

int io_whole_write(struct io_folder *d, struct io_whole *w, enum io_replace how,
                   bool sync)
{
    char other[OTHER_NAME];
    if (!begin(d, w, true))
        return w->rc;
    int64_t at = w->start_ns;
    const char *name = name_before(w, how, other);
    watchdog_arm_as_set("writing", w->name);
    int fd = open_to_write(d, w, name, how);
    w->open_ns = part(&at);
    if (fd >= 0)
        write_file(d, w, fd, sync, &at);
    if (fd >= 0 && how == IO_RENAME) {
        rename_file(d, w, name, sync);
        w->name_ns = part(&at);
    }
    if (fd >= 0 && w->rc && how != IO_TRUNCATE)
        unlinkat(d->fd, name, 0);
    watchdog_disarm();
    return w->rc;
}

int io_whole_remove(struct io_folder *d, struct io_whole *w)
{
    if (!begin(d, w, true))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("removing", w->name);
    if (unlinkat(d->fd, w->name, 0))
        fail(d, w, -errno, "the file cannot be removed: %s", strerror(errno));
    w->name_ns = part(&at);
    watchdog_disarm();
    return w->rc;
}

/* ---- several at once ------------------------------------------------------------- */

bool io_whole_asynchronous(struct io_folder *d)
{
    if (!d->tried)
        whole_ring_open(&d->ring);
    d->tried = true;
    return d->ring;
}

static void start_one(struct io_folder *d, struct io_whole *w)
{
    w->bytes = 0;
    if (io_whole_asynchronous(d) && begin(d, w, false)) {
        whole_ring_add(d->ring, d->fd, how_to_read(d), w);
        return;
    }
    if (!d->ring)
        io_whole_read(d, w);
    d->ready[d->ready_count++] = w;
}

int io_whole_start(struct io_folder *d, struct io_whole *w[], int n)
{
    if (n > IO_WHOLE_DEPTH - d->under_way)
        return err_set(-EINVAL, d->path, -1, "%d files at once, and %d are the most",
                       d->under_way + n, IO_WHOLE_DEPTH);
    for (int i = 0; i < n; i++)
        start_one(d, w[i]);
    d->under_way += n;
    int rc = d->ring ? whole_ring_submit(d->ring) : 0;
    if (rc)
        rc = err_set(rc, d->path, -1, "io_uring takes no requests: %s", strerror(-rc));
    return rc;
}

/* A read that filled the buffer, or found nothing, may not have been all of a file. */
static void look_again(const struct io_folder *d, struct io_whole *w)
{
    struct stat st;
    if (w->bytes && w->bytes < w->room)
        return;
    if (fstatat(d->fd, w->name, &st, d->made ? AT_SYMLINK_NOFOLLOW : 0))
        fail(d, w, -errno, "the file cannot be looked at: %s", strerror(errno));
    else if (whole_fits(d, w, &st) && st.st_size > w->bytes)
        fail_short(d, w, st.st_size);
}

static struct io_whole *whole_judge(const struct io_folder *d,
                                    const struct whole_done *done)
{
    struct io_whole *w = done->whole;
    w->bytes = done->read > 0 ? done->read : 0;
    if (done->opened < 0)
        fail_open(d, w, done->opened, "opened");
    else if (done->read == -EISDIR)
        fail(d, w, -EISDIR, "it is a folder, where a file is to be read");
    else if (done->read < 0)
        fail(d, w, done->read, "read failed: %s", strerror(-done->read));
    else if (done->closed < 0)
        fail(d, w, done->closed, "close failed: %s", strerror(-done->closed));
    else
        look_again(d, w);
    return w;
}

static int reap_ready(struct io_folder *d, struct io_whole *done[], int max)
{
    int n = d->ready_count < max ? d->ready_count : max;
    memcpy(done, d->ready, (size_t)n * sizeof done[0]);
    d->ready_count -= n;
    memmove(d->ready, d->ready + n, (size_t)d->ready_count * sizeof d->ready[0]);
    return n;
}

static int reap_ring(struct io_folder *d, struct io_whole *done[], int max, bool wait,
                     double limit_s)
{
    struct whole_done found[IO_WHOLE_DEPTH];
    max = max < IO_WHOLE_DEPTH ? max : IO_WHOLE_DEPTH;
    int n = d->ring ? whole_ring_reap(d->ring, found, max, wait, limit_s) : 0;
    for (int i = 0; i < n; i++)
        done[i] = whole_judge(d, &found[i]);
    if (n < 0)
        err_set(n, d->path, -1, "waiting for io_uring failed: %s", strerror(-n));
    return n;
}

int io_whole_reap(struct io_folder *d, struct io_whole *done[], int max, int min,
                  double limit_s)
{
    int64_t begin_ns = clock_ns();
    int n = reap_ready(d, done, max);
    d->under_way -= n;
    min = min < n + d->under_way ? min : n + d->under_way;
    double left = limit_s;
    bool first = true;
    while (n < max && (first || n < min) && (left > 0 || limit_s <= 0)) {
        int more = reap_ring(d, done + n, max - n, n < min, left);
        if (more < 0)
            return n ? n : more;
        n += more;
        d->under_way -= more;
        left = limit_s - (double)(clock_ns() - begin_ns) / 1e9;
        first = false;
    }
    return n;
}
