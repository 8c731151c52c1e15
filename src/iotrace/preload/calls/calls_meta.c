/* Calls about files as a whole: their names, their attributes, directories. */
#include "iotrace/preload/metadata.h"
#include <dirent.h>
#include <sys/stat.h>

/* ---- attributes; the names with x are those of older programs ---- */

ON_PATH(stat, OP_STAT, (const char *path, struct stat *s), (path, s), path)
ALIAS(stat64, stat);
ON_PATH(lstat, OP_LSTAT, (const char *path, struct stat *s), (path, s), path)
ALIAS(lstat64, lstat);
ON_PATH(__xstat, OP_STAT, (int v, const char *path, struct stat *s), (v, path, s), path)
ALIAS(__xstat64, __xstat);
ON_PATH(__lxstat, OP_LSTAT, (int v, const char *path, struct stat *s), (v, path, s),
        path)
ALIAS(__lxstat64, __lxstat);
ON_PATH_AT(fstatat, OP_FSTATAT, (int dir, const char *path, struct stat *s, int flags),
           (dir, path, s, flags), dir, path, flags)
ALIAS(fstatat64, fstatat);
ON_PATH_AT(__fxstatat, OP_FSTATAT,
           (int v, int dir, const char *path, struct stat *s, int flags),
           (v, dir, path, s, flags), dir, path, flags)
ALIAS(__fxstatat64, __fxstatat);
ON_PATH_AT(statx, OP_STATX,
           (int dir, const char *path, int flags, unsigned mask, struct statx *s),
           (dir, path, flags, mask, s), dir, path, flags)
ON_PATH_AT(access, OP_ACCESS, (const char *path, int how), (path, how), AT_FDCWD, path,
           how)
ON_PATH_AT(faccessat, OP_FACCESSAT, (int dir, const char *path, int how, int flags),
           (dir, path, how, flags), dir, path, how)
ON_PATH_AT(truncate, OP_TRUNCATE, (const char *path, off_t bytes), (path, bytes),
           AT_FDCWD, path, bytes)
ALIAS(truncate64, truncate);

WRAP(int, fstat, (int fd, struct stat *s))
{
    struct event e = event_on(fd);
    return (int)event_moved(&e, OP_FSTAT, -1, 0, REAL(fstat)(fd, s));
}
ALIAS(fstat64, fstat);

WRAP(int, __fxstat, (int v, int fd, struct stat *s))
{
    struct event e = event_on(fd);
    return (int)event_moved(&e, OP_FSTAT, -1, 0, REAL(__fxstat)(v, fd, s));
}
ALIAS(__fxstat64, __fxstat);

/* ---- names ---- */

ON_PATH(rename, OP_RENAME, (const char *old, const char *path), (old, path), path)
ON_PATH_AT(renameat, OP_RENAMEAT, (int od, const char *old, int dir, const char *path),
           (od, old, dir, path), dir, path, 0)
ON_PATH_AT(renameat2, OP_RENAMEAT2,
           (int od, const char *old, int dir, const char *path, unsigned flags),
           (od, old, dir, path, flags), dir, path, flags)
ON_PATH(unlink, OP_UNLINK, (const char *path), (path), path)
ON_PATH_AT(unlinkat, OP_UNLINKAT, (int dir, const char *path, int flags),
           (dir, path, flags), dir, path, flags)
ON_PATH(remove, OP_REMOVE, (const char *path), (path), path)
ON_PATH(link, OP_LINK, (const char *old, const char *path), (old, path), path)
ON_PATH_AT(linkat, OP_LINKAT,
           (int od, const char *old, int dir, const char *path, int flags),
           (od, old, dir, path, flags), dir, path, flags)
ON_PATH(symlink, OP_SYMLINK, (const char *to, const char *path), (to, path), path)
ON_PATH_AT(symlinkat, OP_SYMLINKAT, (const char *to, int dir, const char *path),
           (to, dir, path), dir, path, 0)

WRAP(ssize_t, readlink, (const char *path, char *text, size_t n))
{
    struct event e = event_now();
    return metadata_done(&e, OP_READLINK, AT_FDCWD, path, 0,
                         REAL(readlink)(path, text, n));
}

WRAP(ssize_t, readlinkat, (int dir, const char *path, char *text, size_t n))
{
    struct event e = event_now();
    return metadata_done(&e, OP_READLINKAT, dir, path, 0,
                         REAL(readlinkat)(dir, path, text, n));
}

/* ---- directories ---- */

ON_PATH_AT(mkdir, OP_MKDIR, (const char *path, mode_t mode), (path, mode), AT_FDCWD,
           path, mode)
ON_PATH_AT(mkdirat, OP_MKDIRAT, (int dir, const char *path, mode_t mode),
           (dir, path, mode), dir, path, mode)
ON_PATH(rmdir, OP_RMDIR, (const char *path), (path), path)

/* Changes the directory: names relative to the old one are not relative to the new
 * one. */
WRAP(int, chdir, (const char *path))
{
    struct event e = event_now();
    int rc = REAL(chdir)(path);
    metadata_done(&e, OP_CHDIR, AT_FDCWD, path, 0, rc);
    if (!rc && !vforked)
        names_moved();
    return rc;
}

WRAP(int, fchdir, (int fd))
{
    struct event e = event_on(fd);
    int rc = REAL(fchdir)(fd);
    if (!rc && !vforked)
        names_moved();
    return (int)event_moved(&e, OP_FCHDIR, -1, 0, rc);
}

WRAP(DIR *, opendir, (const char *path))
{
    struct event e = event_now();
    DIR *d = REAL(opendir)(path);
    event_over(&e);
    int error = errno, fd = d ? dirfd(d) : -1;
    if (path && error != EFAULT)
        e.file = name_of_path(path, fd);
    if (d)
        fd_opened(fd, e.file, false);
    event_put(&e, OP_OPENDIR, -1, 0, d ? fd : -error);
    errno = error;
    return d;
}

/* readdir returns NULL at the end and leaves errno alone. */
WRAP(struct dirent *, readdir, (DIR * d))
{
    struct event e = event_on(dirfd(d));
    int error = errno;
    errno = 0;
    struct dirent *entry = REAL(readdir)(d);
    event_put(&e, OP_READDIR, -1, 0, entry ? 0 : -errno);
    errno = errno ? errno : error;
    return entry;
}
ALIAS(readdir64, readdir);

WRAP(int, closedir, (DIR * d))
{
    struct event e = event_on(dirfd(d));
    fd_forget(dirfd(d));
    return (int)event_moved(&e, OP_CLOSEDIR, -1, 0, REAL(closedir)(d));
}
