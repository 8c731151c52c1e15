/* Attributes of files and file systems, and special files: calls about them cost time,
 * and are all metadata. */
#include "iotrace/preload/metadata.h"
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <utime.h>

/* ---- file systems ---- */

ON_PATH(statfs, OP_STATFS, (const char *path, struct statfs *s), (path, s), path)
ALIAS(statfs64, statfs);
ON_PATH(statvfs, OP_STATVFS, (const char *path, struct statvfs *s), (path, s), path)
ALIAS(statvfs64, statvfs);
ON_OPEN(fstatfs, OP_FSTATFS, (int fd, struct statfs *s), (fd, s))
ALIAS(fstatfs64, fstatfs);
ON_OPEN(fstatvfs, OP_FSTATVFS, (int fd, struct statvfs *s), (fd, s))
ALIAS(fstatvfs64, fstatvfs);

/* ---- rights, owners, times ---- */

ON_PATH_AT(chmod, OP_CHMOD, (const char *path, mode_t mode), (path, mode), AT_FDCWD,
           path, mode)
ON_PATH_AT(fchmodat, OP_FCHMODAT, (int dir, const char *path, mode_t mode, int flags),
           (dir, path, mode, flags), dir, path, mode)
ON_OPEN(fchmod, OP_FCHMOD, (int fd, mode_t mode), (fd, mode))
ON_PATH(chown, OP_CHOWN, (const char *path, uid_t user, gid_t group),
        (path, user, group), path)
ON_PATH(lchown, OP_LCHOWN, (const char *path, uid_t user, gid_t group),
        (path, user, group), path)
ON_PATH_AT(fchownat, OP_FCHOWNAT,
           (int dir, const char *path, uid_t user, gid_t group, int flags),
           (dir, path, user, group, flags), dir, path, flags)
ON_OPEN(fchown, OP_FCHOWN, (int fd, uid_t user, gid_t group), (fd, user, group))
ON_PATH(utime, OP_UTIME, (const char *path, const struct utimbuf *t), (path, t), path)
ON_PATH(utimes, OP_UTIMES, (const char *path, const struct timeval *t), (path, t), path)
ON_OPEN(futimes, OP_FUTIMES, (int fd, const struct timeval *t), (fd, t))
ON_OPEN(futimens, OP_FUTIMENS, (int fd, const struct timespec *t), (fd, t))

/* Path NULL: the call is about the descriptor itself. */
WRAP(int, utimensat, (int dir, const char *path, const struct timespec *t, int flags))
{
    struct event e = path ? event_now() : event_on(dir);
    return metadata_done(&e, OP_UTIMENSAT, dir, path, flags,
                         REAL(utimensat)(dir, path, t, flags));
}

/* ---- extended attributes ---- */

#define XATTRS(prefix, PREFIX, type, what)                                             \
    what(ssize_t, prefix##getxattr, OP_##PREFIX##GETXATTR,                             \
         (type, const char *name, void *value, size_t n), (file, name, value, n), n)   \
        what(int, prefix##setxattr, OP_##PREFIX##SETXATTR,                             \
             (type, const char *name, const void *value, size_t n, int flags),         \
             (file, name, value, n, flags), n)                                         \
            what(ssize_t, prefix##listxattr, OP_##PREFIX##LISTXATTR,                   \
                 (type, char *list, size_t n), (file, list, n), n)                     \
                what(int, prefix##removexattr, OP_##PREFIX##REMOVEXATTR,               \
                     (type, const char *name), (file, name), 0)

#define XATTR_OF_PATH(type, name, OP, params, args, request)                           \
    WRAP(type, name, params)                                                           \
    {                                                                                  \
        struct event e = event_now();                                                  \
        return (type)metadata_done(&e, OP, AT_FDCWD, file, (int64_t)(request),         \
                                   REAL(name) args);                                   \
    }
#define XATTR_OF_FD(type, name, OP, params, args, request)                             \
    WRAP(type, name, params)                                                           \
    {                                                                                  \
        struct event e = event_on(file);                                               \
        return (type)event_moved(&e, OP, -1, (size_t)(request), REAL(name) args);      \
    }
XATTRS(, , const char *file, XATTR_OF_PATH)
XATTRS(l, L, const char *file, XATTR_OF_PATH)
XATTRS(f, F, int file, XATTR_OF_FD)

/* ---- special files ---- */

ON_PATH_AT(mkfifo, OP_MKFIFO, (const char *path, mode_t mode), (path, mode), AT_FDCWD,
           path, mode)
ON_PATH_AT(mkfifoat, OP_MKFIFOAT, (int dir, const char *path, mode_t mode),
           (dir, path, mode), dir, path, mode)
ON_PATH_AT(mknod, OP_MKNOD, (const char *path, mode_t mode, dev_t device),
           (path, mode, device), AT_FDCWD, path, mode)
ON_PATH_AT(mknodat, OP_MKNODAT, (int dir, const char *path, mode_t mode, dev_t device),
           (dir, path, mode, device), dir, path, mode)

/* Reads entries of a directory into a buffer. */
WRAP(ssize_t, getdents64, (int fd, void *buf, size_t n))
{
    struct event e = event_on(fd);
    fd_shared(fd); /* it moves the offset */
    return event_moved(&e, OP_GETDENTS64, -1, n, REAL(getdents64)(fd, buf, n));
}
