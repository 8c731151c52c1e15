#include "io/whole.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "io/io.h"
#include "io/whole_inside.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- directories ----------------------------------------------------------------- */

/* Finds the scratch table's descriptor of a directory, which the run must have made if
 * it is to be written. */
static int find_folder(const char *path, int flags, int *fd)
{
    *fd = scratch_tree(path);
    if (*fd >= 0 || !(flags & IO_WRITE))
        return 0;
    return err_set(-EPERM, path, -1, NOT_MADE ": files in it are only read");
}

/* Makes the directory. Every rank remembers it, to remove it if it is told to end. */
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
    d->path = mem_text(path, "an open directory");
    watchdog_arm_as_set("opening", path);
    d->fd = of >= 0 ? openat(of, ".", how) : open(path, how);
    watchdog_disarm();
    if (d->fd < 0)
        return err_set(-errno, path, -1, "the directory cannot be opened: %s",
                       strerror(errno));
    return d->path ? 0 : -ENOMEM;
}

static int open_local(struct io_folder **out, const char *path, int flags)
{
    struct io_folder *d = *out = mem_of(path, 1, sizeof *d, "an open directory");
    if (!d)
        return -ENOMEM;
    d->fd = -1;
    int rc = open_folder(d, path, flags);
    if (rc)
        io_folder_close(out);
    return rc;
}

/* Opens a directory by the descriptor of its parent. */
static int open_within(struct io_folder *d, const struct io_folder *in,
                       const char *name)
{
    int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (in->made ? O_NOFOLLOW : 0);
    watchdog_arm_as_set("opening", d->path);
    d->fd = openat(in->fd, name, how);
    watchdog_disarm();
    if (d->fd >= 0)
        return 0;
    return err_set(-errno, d->path, -1, "the directory cannot be opened: %s",
                   strerror(errno));
}

int io_folder_enter(struct io_folder **sub, const struct io_folder *in,
                    const char *name)
{
    size_t room = strlen(in->path) + strlen(name) + 2;
    struct io_folder *d = *sub = mem_of(in->path, 1, sizeof *d, "an open directory");
    char *path = mem_of(in->path, room, 1, "an open directory");
    if (!d || !path) {
        free(d);
        free(path);
        *sub = NULL;
        return -ENOMEM;
    }
    snprintf(path, room, "%s/%s", in->path, name);
    *d = (struct io_folder){.fd = -1, .path = path, .made = in->made, .how = in->how};
    int rc = open_within(d, in, name);
    if (rc)
        io_folder_close(sub);
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

/* Waits for reads in flight, which use memory of the caller's. */
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

const char *io_folder_path(const struct io_folder *d)
{
    return d->path;
}

int io_folder_sync(struct io_folder *d)
{
    return io_sync_dir(d->fd, d->path);
}

int io_folder_sync_names(struct io_folder *d)
{
    watchdog_arm_as_set("syncing", d->path);
    int rc = fsync(d->fd) && errno != EINVAL ? -errno : 0;
    watchdog_disarm();
    if (rc)
        rc = err_set(rc, d->path, -1, "the fsync of the directory failed: %s",
                     strerror(-rc));
    return rc;
}

/* ---- listing --------------------------------------------------------------------- */

static int open_listing(struct io_folder *d)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    d->listing = fd < 0 ? NULL : fdopendir(fd);
    if (d->listing)
        return 0;
    int rc = err_set(-errno, d->path, -1, "the directory cannot be listed: %s",
                     strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Reads the next name. Returns 1, or 0 at the end. */
static int next_name(struct io_folder *d, char *name, size_t room)
{
    struct dirent *e;
    do {
        errno = 0;
        e = readdir(d->listing);
    } while (e && is_dots(e->d_name));
    if (!e && errno)
        return err_set(-errno, d->path, -1, "the directory cannot be listed: %s",
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
    d->inode = e->d_ino;
    d->type = e->d_type;
    return 1;
}

uint64_t io_folder_inode(const struct io_folder *d)
{
    return d->inode;
}

int io_folder_next(struct io_folder *d, char *name, size_t room)
{
    watchdog_arm_as_set("listing", d->path);
    int rc = d->listing ? 0 : open_listing(d);
    rc = rc ? rc : next_name(d, name, room);
    watchdog_disarm();
    return rc;
}

/* Removes a directory in it, with its content. */
static int remove_sub(struct io_folder *d, const char *name)
{
    struct io_folder *sub;
    int rc = io_folder_enter(&sub, d, name);
    rc = rc ? rc : io_folder_empty(sub);
    io_folder_close(&sub);
    if (!rc && unlinkat(d->fd, name, AT_REMOVEDIR) && errno != ENOENT)
        rc = err_set(-errno, d->path, -1, "a directory in it cannot be removed: %s",
                     strerror(errno));
    return rc;
}

static int remove_name(struct io_folder *d, const char *name)
{
    watchdog_arm_as_set("removing", name);
    int rc = unlinkat(d->fd, name, 0) && errno != ENOENT ? -errno : 0;
    watchdog_disarm();
    if (rc == -EISDIR)
        return remove_sub(d, name);
    if (rc)
        rc = err_set(rc, d->path, -1, "a file in it cannot be removed: %s",
                     strerror(-rc));
    return rc;
}

int io_folder_empty(struct io_folder *d)
{
    char name[NAME_MAX + 1];
    int rc = d->made ? 1 : err_set(-EPERM, d->path, -1, NOT_MADE);
    if (d->listing)
        rewinddir(d->listing);
    while (rc > 0 && (rc = io_folder_next(d, name, sizeof name)) > 0) {
        int removed = remove_name(d, name);
        rc = removed ? removed : rc;
    }
    return rc;
}

/* ---- one file -------------------------------------------------------------------- */

void whole_fail(const struct io_folder *d, struct io_whole *w, int code,
                const char *fmt, ...)
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

void whole_fail_open(const struct io_folder *d, struct io_whole *w, int code,
                     const char *what)
{
    if (code == -ELOOP && d->made)
        whole_fail(
            d, w, -ELOOP,
            "a link was put in the place of what this run made, and is left as it is: "
            "use a --dir that nobody else may write to");
    else
        whole_fail(d, w, code, "the file cannot be %s: %s", what,
                   io_reason(d->how, code));
}

/* True if each component of the path is a name: none is "", "." or "..". */
static bool leads_within(const char *path)
{
    for (;;) {
        size_t n = strcspn(path, "/");
        if (n == 0 || (n <= 2 && !strncmp(path, "..", n)))
            return false;
        if (!path[n])
            return true;
        path += n + 1;
    }
}

bool whole_begin(const struct io_folder *d, struct io_whole *w, bool changes)
{
    w->rc = 0;
    w->open_ns = w->move_ns = w->sync_ns = w->close_ns = w->name_ns = 0;
    if (!leads_within(w->name) || (changes && strchr(w->name, '/')))
        whole_fail(d, w, -EINVAL, NO_NAME);
    else if (changes && !d->made)
        whole_fail(d, w, -EPERM, NOT_MADE);
    w->start_ns = clock_ns();
    return !w->rc;
}

int64_t whole_part(int64_t *at)
{
    int64_t begin_ns = *at;
    *at = clock_ns();
    return *at - begin_ns;
}

void whole_close(const struct io_folder *d, struct io_whole *w, int fd)
{
    if (fd >= 0 && close(fd))
        whole_fail(d, w, -errno, "close failed: %s", strerror(errno));
}

void whole_plain(const struct io_folder *d, struct io_whole *w, const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        whole_fail(d, w, -EISDIR, "it is a directory, where a file is to be read");
    else if (!S_ISREG(st->st_mode))
        whole_fail(d, w, -EINVAL, "it is not a regular file, and is not read");
}

int io_folder_plain(struct io_folder *d, const char *name)
{
    struct io_whole w = {.name = name};
    struct stat st;
    if (d->type == DT_REG)
        return 0;
    if (!leads_within(name))
        whole_fail(d, &w, -EINVAL, NO_NAME);
    watchdog_arm_as_set("looking at", name);
    if (!w.rc && fstatat(d->fd, name, &st, 0))
        whole_fail(d, &w, -errno, "the file cannot be looked at: %s", strerror(errno));
    else if (!w.rc)
        whole_plain(d, &w, &st);
    watchdog_disarm();
    return w.rc;
}

bool io_folder_is_folder(const struct io_folder *d, const char *name)
{
    struct stat st;
    if (d->type != DT_UNKNOWN)
        return d->type == DT_DIR;
    watchdog_arm_as_set("looking at", name);
    bool is = !fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
    watchdog_disarm();
    return is;
}
