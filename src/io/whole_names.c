/* Operations on names in a directory, and on the properties of files. Each is one
 * system call on the descriptor of the directory or of the file, timed as name_ns. */
#include "base/scratch.h"
#include "io/whole_inside.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int open_name(const struct io_folder *d, struct io_whole *w)
{
    int fd = openat(d->fd, w->name,
                    O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                        (d->made ? O_NOFOLLOW : 0));
    if (fd < 0)
        whole_fail_open(d, w, -errno, "opened");
    return fd;
}

int io_whole_touch(struct io_folder *d, struct io_whole *w)
{
    if (!whole_begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("opening", w->name);
    int fd = open_name(d, w);
    w->open_ns = whole_part(&at);
    if (fd >= 0) {
        whole_close(d, w, fd);
        w->close_ns = whole_part(&at);
    }
    watchdog_disarm();
    return w->rc;
}

/* Copies the status. A directory's size has no defined meaning. */
static void names_look(struct io_whole *w, const struct stat *st)
{
    w->bytes = st->st_size;
    w->modified_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
    w->kind = S_ISREG(st->st_mode)   ? IO_KIND_FILE
              : S_ISDIR(st->st_mode) ? IO_KIND_FOLDER
              : S_ISLNK(st->st_mode) ? IO_KIND_LINK
                                     : IO_KIND_OTHER;
    w->mode = st->st_mode & 07777;
    w->links = (int64_t)st->st_nlink;
}

/* Returns 0, or -errno without a sentence. */
static int names_stat(struct io_folder *d, struct io_whole *w)
{
    struct stat st;
    int64_t at = w->start_ns;
    w->bytes = 0;
    w->kind = IO_KIND_NONE;
    watchdog_arm_as_set("looking at", w->name);
    int rc = fstatat(d->fd, w->name, &st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
    w->name_ns = whole_part(&at);
    watchdog_disarm();
    if (!rc)
        names_look(w, &st);
    return rc;
}

int io_whole_stat(struct io_folder *d, struct io_whole *w)
{
    int rc = whole_begin(d, w, false) ? names_stat(d, w) : 0;
    if (rc == -ENOENT && w->fleeting)
        w->rc = rc;
    if (rc)
        whole_fail(d, w, rc, "stat failed: %s", strerror(-rc));
    return w->rc;
}

int io_whole_is_there(struct io_folder *d, struct io_whole *w)
{
    int rc = whole_begin(d, w, false) ? names_stat(d, w) : w->rc;
    if (rc && rc != -ENOENT)
        whole_fail(d, w, rc, "stat failed: %s", strerror(-rc));
    return w->rc ? w->rc : !rc;
}

/* Calls that change names. In a remembered directory, the end of the run waits
 * for them. */
enum names_call { MAKE_FOLDER, REMOVE_FOLDER, RENAME, LINK, SYMLINK };

static int names_change(struct io_folder *d, struct io_whole *w, enum names_call call)
{
    int rc = scratch_begin(d->path);
    if (rc)
        return w->rc = rc;
    rc = call == MAKE_FOLDER     ? mkdirat(d->fd, w->name, 0777)
         : call == REMOVE_FOLDER ? unlinkat(d->fd, w->name, AT_REMOVEDIR)
         : call == RENAME        ? renameat(d->fd, w->name, d->fd, w->to)
         : call == LINK          ? linkat(d->fd, w->to, d->fd, w->name, 0)
                                 : symlinkat(w->to, d->fd, w->name);
    rc = rc ? -errno : 0;
    scratch_end();
    return rc;
}

static int names_timed(struct io_folder *d, struct io_whole *w, enum names_call call)
{
    static const struct {
        const char *doing, *what;
    } row[] = {[MAKE_FOLDER] = {"creating", "the directory cannot be made"},
               [REMOVE_FOLDER] = {"removing", "the directory cannot be removed"},
               [RENAME] = {"renaming", "the file cannot be renamed"},
               [LINK] = {"linking", "the hard link cannot be made"},
               [SYMLINK] = {"linking", "the symbolic link cannot be made"}};
    if (!whole_begin(d, w, true))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set(row[call].doing, w->name);
    int rc = names_change(d, w, call);
    w->name_ns = whole_part(&at);
    watchdog_disarm();
    if (rc)
        whole_fail(d, w, rc, "%s: %s", row[call].what, strerror(-rc));
    return w->rc;
}

int io_folder_make(struct io_folder *d, struct io_whole *w)
{
    return names_timed(d, w, MAKE_FOLDER);
}

int io_folder_drop(struct io_folder *d, struct io_whole *w)
{
    return names_timed(d, w, REMOVE_FOLDER);
}

/* The same for two names in the directory. */
static int names_both(struct io_folder *d, struct io_whole *w, enum names_call call)
{
    struct io_whole other = {.name = w->to};
    if (!whole_begin(d, &other, true))
        return w->rc = other.rc;
    return names_timed(d, w, call);
}

int io_whole_rename(struct io_folder *d, struct io_whole *w)
{
    return names_both(d, w, RENAME);
}

int io_whole_link(struct io_folder *d, struct io_whole *w)
{
    return names_both(d, w, LINK);
}

int io_whole_symlink(struct io_folder *d, struct io_whole *w)
{
    return names_timed(d, w, SYMLINK);
}

int io_whole_readlink(struct io_folder *d, struct io_whole *w)
{
    if (!whole_begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("looking at", w->name);
    ssize_t n = readlinkat(d->fd, w->name, w->buf, (size_t)w->room);
    if (n < 0)
        whole_fail(d, w, -errno, "the symbolic link cannot be read: %s",
                   strerror(errno));
    w->name_ns = whole_part(&at);
    w->bytes = n < 0 ? 0 : n;
    watchdog_disarm();
    return w->rc;
}

/* ---- properties ------------------------------------------------------------------ */

enum property { CHMOD, SETXATTR, GETXATTR };

static void use_property(const struct io_folder *d, struct io_whole *w, int fd,
                         enum property which)
{
    static const char *const what[] = {
        [CHMOD] = "the mode cannot be changed",
        [SETXATTR] = "the attribute " IO_WHOLE_ATTRIBUTE " cannot be set",
        [GETXATTR] = "the attribute " IO_WHOLE_ATTRIBUTE " cannot be read"};
    ssize_t n = which == CHMOD ? fchmod(fd, (mode_t)w->mode)
                : which == SETXATTR
                    ? fsetxattr(fd, IO_WHOLE_ATTRIBUTE, w->buf, (size_t)w->bytes, 0)
                    : fgetxattr(fd, IO_WHOLE_ATTRIBUTE, w->buf, (size_t)w->room);
    if (n < 0)
        whole_fail(d, w, -errno, "%s: %s", what[which], strerror(errno));
    else if (which == GETXATTR)
        w->bytes = n;
}

static int property_timed(struct io_folder *d, struct io_whole *w, enum property which)
{
    if (!whole_begin(d, w, which != GETXATTR))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("opening", w->name);
    int fd = open_name(d, w);
    w->open_ns = whole_part(&at);
    if (fd >= 0) {
        use_property(d, w, fd, which);
        w->name_ns = whole_part(&at);
    }
    if (fd >= 0 && w->sync) {
        whole_sync(d, w, fd);
        w->sync_ns = whole_part(&at);
    }
    if (fd >= 0) {
        whole_close(d, w, fd);
        w->close_ns = whole_part(&at);
    }
    watchdog_disarm();
    return w->rc;
}

int io_whole_chmod(struct io_folder *d, struct io_whole *w)
{
    return property_timed(d, w, CHMOD);
}

int io_whole_setxattr(struct io_folder *d, struct io_whole *w)
{
    return property_timed(d, w, SETXATTR);
}

int io_whole_getxattr(struct io_folder *d, struct io_whole *w)
{
    return property_timed(d, w, GETXATTR);
}
