/* Operations on names in a directory: stat, change, make and remove. Each is one system
 * call on the directory's descriptor, timed as name_ns. */
#include "base/scratch.h"
#include "io/whole_inside.h"
#include "world/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int io_whole_touch(struct io_folder *d, struct io_whole *w)
{
    if (!whole_begin(d, w, false))
        return w->rc;
    int64_t at = w->start_ns;
    watchdog_arm_as_set("opening", w->name);
    int fd = openat(d->fd, w->name,
                    O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                        (d->made ? O_NOFOLLOW : 0));
    w->open_ns = whole_part(&at);
    if (fd < 0) {
        whole_fail_open(d, w, -errno, "opened");
    } else {
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
                                     : IO_KIND_OTHER;
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
enum names_call { MAKE_FOLDER, REMOVE_FOLDER, RENAME };

static int names_change(struct io_folder *d, struct io_whole *w, enum names_call call)
{
    int rc = scratch_begin(d->path);
    if (rc)
        return w->rc = rc;
    rc = call == MAKE_FOLDER     ? mkdirat(d->fd, w->name, 0777)
         : call == REMOVE_FOLDER ? unlinkat(d->fd, w->name, AT_REMOVEDIR)
                                 : renameat(d->fd, w->name, d->fd, w->to);
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
               [RENAME] = {"renaming", "the file cannot be renamed"}};
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

int io_whole_rename(struct io_folder *d, struct io_whole *w)
{
    struct io_whole other = {.name = w->to};
    if (!whole_begin(d, &other, true))
        return w->rc = other.rc;
    return names_timed(d, w, RENAME);
}
