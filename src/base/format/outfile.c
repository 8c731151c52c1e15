#include "base/format/outfile.h"
#include "base/err.h"
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the rule -------------------------------------------------------------------- */

static int outfile_refuse(struct outfile_place *at, int code, const char *why)
{
    at->why = why ? why : strerror(code);
    return -code;
}

/* The standard descriptor that is this file, or -1. Replacing such a file would lose
 * what is printed afterwards. */
static int standard_of(const struct stat *st)
{
    struct stat open;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (!fstat(fd, &open) && S_ISREG(open.st_mode) && open.st_dev == st->st_dev &&
            open.st_ino == st->st_ino)
            return fd;
    return -1;
}

static int find_regular(struct outfile_place *at, const char *path, bool link,
                        const struct stat *st, enum outfile_how how)
{
    at->standard = standard_of(st);
    if (at->standard >= 0 && !(how & OUTFILE_STREAM))
        return outfile_refuse(at, EBUSY, "standard output or error goes there");
    if (at->standard < 0 && how & OUTFILE_NEW)
        return outfile_refuse(at, EEXIST, NULL);
    if (link && !realpath(path, at->path))
        return outfile_refuse(at, errno, NULL);
    return access(path, W_OK) ? outfile_refuse(at, errno, NULL) : 0;
}

static int find_other(struct outfile_place *at, const struct stat *st,
                      enum outfile_how how)
{
    bool pipe = S_ISFIFO(st->st_mode), device = S_ISCHR(st->st_mode);
    if (S_ISDIR(st->st_mode))
        return outfile_refuse(at, EISDIR, NULL);
    at->direct = pipe || device;
    if (at->direct && how & OUTFILE_STREAM)
        return 0;
    return outfile_refuse(at, EINVAL,
                          pipe     ? "it is a pipe, not a regular file"
                          : device ? "it is a device, not a regular file"
                                   : "it exists and is not a regular file");
}

int outfile_find(struct outfile_place *at, const char *path, enum outfile_how how)
{
    struct stat st;
    *at = (struct outfile_place){.standard = -1};
    if (snprintf(at->path, sizeof at->path, "%s", path) >= (int)sizeof at->path)
        return outfile_refuse(at, ENAMETOOLONG, NULL);
    at->there = !lstat(path, &st);
    if (!at->there)
        return errno == ENOENT ? 0 : outfile_refuse(at, errno, NULL);
    bool link = S_ISLNK(st.st_mode);
    if (link && stat(path, &st))
        return outfile_refuse(at, errno,
                              errno == ENOENT ? "it is a symbolic link that leads to "
                                                "nothing, and not a regular file"
                                              : NULL);
    return S_ISREG(st.st_mode) ? find_regular(at, path, link, &st, how)
                               : find_other(at, &st, how);
}

int outfile_rename(const char *from, const char *to, bool replace)
{
    int rc = replace ? -1 : renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (rc && (replace || errno == EINVAL || errno == ENOSYS))
        rc = rename(from, to);
    return rc ? -errno : 0;
}

/* ---- files ----------------------------------------------------------------------- */

static int fail(const char *path, int rc, const char *why)
{
    return err_set(rc, path, -1, "it cannot be written: %s", why ? why : strerror(-rc));
}

/* Opens a pipe or device. O_CREAT is not given: a name that has gone meanwhile is
 * not made. */
static int open_there(struct outfile *o)
{
    if (o->at.standard < 0)
        return open(o->at.path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    fflush(stdout);
    return fcntl(o->at.standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

int outfile_open(struct outfile *o, const char *path, enum outfile_how how)
{
    int fd = -1;
    memset(o, 0, sizeof *o);
    if (!strcmp(path, "-")) {
        o->file = stdout;
        return 0;
    }
    int rc = outfile_find(&o->at, path, how);
    if (rc)
        return fail(path, rc, o->at.why);
    o->replace = !(how & OUTFILE_NEW);
    if (o->at.direct || o->at.standard >= 0) {
        fd = open_there(o);
        rc = fd < 0 ? -errno : 0;
    } else
        rc = scratch_create_beside(o->at.path, o->beside, &fd);
    if (!rc && !(o->file = fdopen(fd, "w")))
        rc = -errno;
    return rc ? fail(path, rc, NULL) : 0;
}

/* Flushes the file, and syncs it if it replaces another: the old one stays until the
 * new one is on the disk. */
static int outfile_flush(struct outfile *o)
{
    errno = 0;
    if (fflush(o->file) || ferror(o->file))
        return errno ? -errno : -EIO;
    if (o->beside[0] && o->at.there && fsync(fileno(o->file)) && errno != EINVAL)
        return -errno;
    return 0;
}

int outfile_close(struct outfile *o, int rc)
{
    if (!o->file || o->file == stdout)
        return rc;
    int bad = rc ? rc : outfile_flush(o);
    if (fclose(o->file) && !bad)
        bad = -errno;
    o->file = NULL;
    if (o->beside[0] && !bad)
        bad = outfile_rename(o->beside, o->at.path, o->replace);
    if (o->beside[0] && bad)
        unlink(o->beside);
    if (o->beside[0])
        scratch_forget(o->beside);
    return bad && !rc ? fail(o->at.path, bad, NULL) : bad;
}
