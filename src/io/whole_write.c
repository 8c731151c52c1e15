/* Writes whole files, in each of the ways of enum io_replace, and removes them. */
#include "base/err.h"
#include "base/scratch.h"
#include "io/io.h"
#include "io/whole_inside.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- writing --------------------------------------------------------------------- */

static const int how_to_make[] = {
    [IO_MAKE] = O_CREAT | O_EXCL,   [IO_TRUNCATE] = O_CREAT | O_TRUNC,
    [IO_RENAME] = O_CREAT | O_EXCL, [IO_IN_PLACE] = 0,
    [IO_APPEND] = O_APPEND,
};

enum { OTHER_NAME = NAME_MAX + 1 };

/* The temporary name while it is written, unique by process and time. */
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
    int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    w->rc = scratch_begin(d->path);
    if (w->rc)
        return -1;
    int fd = openat(d->fd, name, flags | how_to_make[how] | d->how, 0644);
    int code = -errno;
    scratch_end();
    if (fd < 0 && code == -EEXIST)
        whole_fail(d, w, code,
                   "there is something of this name already, and it is left as "
                   "it is");
    else if (fd < 0)
        whole_fail_open(d, w, code, how_to_make[how] & O_CREAT ? "created" : "opened");
    return fd;
}

static void whole_write_all(const struct io_folder *d, struct io_whole *w, int fd)
{
    int64_t align = d->how ? IO_DIRECT_ALIGN : 1, done = 0;
    int64_t all = (w->bytes + align - 1) / align * align;
    if (all > w->room && d->how)
        whole_fail(d, w, -EINVAL,
                   "direct I/O writes whole blocks: %lld bytes need a buffer of %lld",
                   (long long)w->bytes, (long long)all);
    while (done < all && !w->rc) {
        ssize_t n = write(fd, (const char *)w->buf + done, (size_t)(all - done));
        if (n == 0 || (n < 0 && errno != EINTR))
            whole_fail(d, w, n ? -errno : -EIO,
                       "write of %lld bytes failed after %lld: %s", (long long)w->bytes,
                       (long long)done,
                       n ? io_reason(d->how, -errno) : "nothing was written");
        done += n > 0 ? n : 0;
    }
    if (all != w->bytes && !w->rc && ftruncate(fd, w->bytes))
        whole_fail(d, w, -errno, "the file cannot be cut to its size: %s",
                   strerror(errno));
}

void whole_sync(const struct io_folder *d, struct io_whole *w, int fd)
{
    if (!w->rc && fsync(fd))
        whole_fail(d, w, -errno, "fsync failed: %s", strerror(errno));
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
        whole_fail(d, w, rc, "what was written cannot be given this name: %s",
                   strerror(-rc));
    else if (sync && fsync(d->fd))
        whole_fail(d, w, -errno, "the fsync of the directory failed: %s",
                   strerror(errno));
}

/* Writes, syncs and closes an open file. */
static void write_file(const struct io_folder *d, struct io_whole *w, int fd, bool sync,
                       int64_t *at)
{
    whole_write_all(d, w, fd);
    w->move_ns = whole_part(at);
    if (sync) {
        whole_sync(d, w, fd);
        w->sync_ns = whole_part(at);
    }
    whole_close(d, w, fd);
    w->close_ns = whole_part(at);
}

int io_whole_write(struct io_folder *d, struct io_whole *w, enum io_replace how,
                   bool sync)
{
    char other[OTHER_NAME];
    if (!whole_begin(d, w, true))
        return w->rc;
    if (how == IO_APPEND && d->how)
        whole_fail(d, w, -EINVAL, "direct I/O appends whole blocks only");
    if (w->rc)
        return w->rc;
    int64_t at = w->start_ns;
    const char *name = name_before(w, how, other);
    watchdog_arm_as_set("writing", w->name);
    int fd = open_to_write(d, w, name, how);
    w->open_ns = whole_part(&at);
    if (fd >= 0)
        write_file(d, w, fd, sync, &at);
    if (fd >= 0 && how == IO_RENAME) {
        rename_file(d, w, name, sync);
        w->name_ns = whole_part(&at);
    }
    if (fd >= 0 && w->rc && how_to_make[how] & O_EXCL)
        unlinkat(d->fd, name, 0);
    watchdog_disarm();
    return w->rc;
}

int io_whole_remove(struct io_folder *d, struct io_whole *w)
{
    if (!whole_begin(d, w, true))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("removing", w->name);
    if (unlinkat(d->fd, w->name, 0))
        whole_fail(d, w, -errno, "the file cannot be removed: %s", strerror(errno));
    w->name_ns = whole_part(&at);
    watchdog_disarm();
    return w->rc;
}
