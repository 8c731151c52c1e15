/* Calls that make, copy and end descriptors, or are about one. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/transfer.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- transfers that O_DIRECT refuses ---- */

void event_refused(struct event *e, int fd, int64_t result)
{
    int error = errno;
    if (result != -EINVAL || !is_logged(e))
        return;
    if (!e->end)
        event_over(e);
    long flags = sys_call(SYS_fcntl, fd, F_GETFL);
    if (flags > 0 && flags & O_DIRECT)
        e->flags |= TRACE_DIRECT;
    errno = error;
}

/* ---- open ---- */

static bool is_nameless(int flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

static bool needs_mode(int flags)
{
    return (flags & O_CREAT) || is_nameless(flags);
}

/* True if only we move its offset, which files and disks have; O_APPEND moves it at a
 * write. */
static bool has_offset(int fd, int flags)
{
    struct stat s;
#ifdef SYS_fstat
    return !(flags & O_APPEND) && !sys_call(SYS_fstat, fd, &s) &&
           (S_ISREG(s.st_mode) || S_ISBLK(s.st_mode));
#else
    return false;
#endif
}

int event_opened(struct event *e, enum trace_op op, int dir, const char *path,
                 int flags, int fd)
{
    event_over(e);
    int error = errno;
    int64_t result = outcome(fd);
    if (fd >= 0 && is_nameless(flags)) { /* the path is that of a directory */
        fd_forget(fd);
        e->file = fd_resolve(fd);
    } else if (path && error != EFAULT)
        e->file = name_of_path_at(dir, path, fd);
    if (fd >= 0)
        fd_opened(fd, e->file, has_offset(fd, flags));
    event_put(e, op, -1, flags, result);
    errno = error;
    return fd;
}

#define MODE_OF(flags, last)                                                           \
    int mode = 0;                                                                      \
    if (needs_mode(flags)) {                                                           \
        va_list rest;                                                                  \
        va_start(rest, last);                                                          \
        mode = va_arg(rest, int);                                                      \
        va_end(rest);                                                                  \
    }

WRAP(int, open, (const char *path, int flags, ...))
{
    MODE_OF(flags, flags)
    struct event e = event_now();
    int fd = REAL(open)(path, flags, mode);
    return event_opened(&e, OP_OPEN, AT_FDCWD, path, flags, fd);
}
ALIAS(open64, open);
ALIAS(__open, open);
ALIAS(__open64, open);

WRAP(int, openat, (int dir, const char *path, int flags, ...))
{
    MODE_OF(flags, flags)
    struct event e = event_now();
    int fd = REAL(openat)(dir, path, flags, mode);
    return event_opened(&e, OP_OPENAT, dir, path, flags, fd);
}
ALIAS(openat64, openat);

/* The fortified open ends the program if a mode is needed and missing, which the C
 * library's own does. */
WRAP(int, __open_2, (const char *path, int flags))
{
    struct event e = event_now();
    int fd = REAL(__open_2)(path, flags);
    return event_opened(&e, OP_OPEN, AT_FDCWD, path, flags, fd);
}
ALIAS(__open64_2, __open_2);

WRAP(int, __openat_2, (int dir, const char *path, int flags))
{
    struct event e = event_now();
    int fd = REAL(__openat_2)(dir, path, flags);
    return event_opened(&e, OP_OPENAT, dir, path, flags, fd);
}
ALIAS(__openat64_2, __openat_2);

WRAP(int, creat, (const char *path, mode_t mode))
{
    struct event e = event_now();
    int fd = REAL(creat)(path, mode);
    return event_opened(&e, OP_CREAT, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, fd);
}
ALIAS(creat64, creat);

/* ---- other calls that open; the kernel tells the name ---- */

static int made(struct event *e, enum trace_op op, int64_t request, int fd)
{
    event_over(e);
    int error = errno;
    int64_t result = outcome(fd);
    if (fd >= 0) {
        fd_forget(fd);
        e->file = fd_resolve(fd);
    }
    event_put(e, op, -1, request, result);
    errno = error;
    return fd;
}

struct file_handle;
WRAP(int, open_by_handle_at, (int mount, struct file_handle *handle, int flags))
{
    struct event e = event_now();
    int fd = REAL(open_by_handle_at)(mount, handle, flags);
    return made(&e, OP_OPEN_BY_HANDLE_AT, flags, fd);
}

WRAP(int, memfd_create, (const char *name, unsigned flags))
{
    struct event e = event_now();
    return made(&e, OP_MEMFD_CREATE, flags, REAL(memfd_create)(name, flags));
}

WRAP(int, shm_open, (const char *name, int flags, mode_t mode))
{
    struct event e = event_now();
    return made(&e, OP_SHM_OPEN, flags, REAL(shm_open)(name, flags, mode));
}

/* ---- temporary files: their name is in the template afterwards ---- */

WRAP(int, mkstemp, (char *path))
{
    struct event e = event_now();
    return event_opened(&e, OP_MKSTEMP, AT_FDCWD, path, O_RDWR, REAL(mkstemp)(path));
}
ALIAS(mkstemp64, mkstemp);

WRAP(int, mkostemp, (char *path, int flags))
{
    struct event e = event_now();
    int fd = REAL(mkostemp)(path, flags);
    return event_opened(&e, OP_MKOSTEMP, AT_FDCWD, path, flags | O_RDWR, fd);
}
ALIAS(mkostemp64, mkostemp);

WRAP(int, mkstemps, (char *path, int suffix))
{
    struct event e = event_now();
    int fd = REAL(mkstemps)(path, suffix);
    return event_opened(&e, OP_MKSTEMPS, AT_FDCWD, path, O_RDWR, fd);
}
ALIAS(mkstemps64, mkstemps);

WRAP(int, mkostemps, (char *path, int suffix, int flags))
{
    struct event e = event_now();
    int fd = REAL(mkostemps)(path, suffix, flags);
    return event_opened(&e, OP_MKOSTEMPS, AT_FDCWD, path, flags | O_RDWR, fd);
}
ALIAS(mkostemps64, mkostemps);

/* ---- copies ---- */

int event_copied(struct event *e, enum trace_op op, int from, int fd)
{
    event_over(e);
    int error = errno;
    int64_t result = outcome(fd);
    uint32_t source = e->file;
    if (fd >= 0) {
        fd_dupped(from, fd);
        if (source < FILE_EXCLUDED)
            e->file = fd_resolve(fd);
    }
    event_put(e, op, -1, from, result);
    errno = error;
    return fd;
}

WRAP(int, dup, (int from))
{
    struct event e = event_on(from);
    return event_copied(&e, OP_DUP, from, REAL(dup)(from));
}

WRAP(int, dup2, (int from, int to))
{
    struct event e = event_on(from);
    if (to != from)
        log_move(to);
    return event_copied(&e, OP_DUP2, from, REAL(dup2)(from, to));
}
ALIAS(__dup2, dup2);

WRAP(int, dup3, (int from, int to, int flags))
{
    struct event e = event_on(from);
    if (to != from)
        log_move(to);
    return event_copied(&e, OP_DUP3, from, REAL(dup3)(from, to, flags));
}

static int locks(int fd, int command, const struct flock *l);

static bool is_lock(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

WRAP(int, fcntl, (int fd, int command, ...))
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        struct event e = event_on(fd);
        return event_copied(&e, OP_FCNTL, fd, REAL(fcntl)(fd, command, argument));
    }
    if (is_lock(command))
        return locks(fd, command, argument);
    if (command == F_SETFL) /* perhaps O_APPEND */
        fd_shared(fd);
    return REAL(fcntl)(fd, command, argument);
}
ALIAS(fcntl64, fcntl);
ALIAS(__fcntl, fcntl);

/* ---- locks, which several processes that write to one file wait for ---- */

/* Records a lock. Its offset is known if it counts from the beginning of the file.
 * Unlocking is timed, too: file systems write back then. */
static int locks(int fd, int command, const struct flock *l)
{
    struct event e = event_on(fd);
    int rc = REAL(fcntl)(fd, command, (void *)(uintptr_t)l);
    bool good = rc != -1 || errno != EFAULT;
    return (int)event_moved(&e, OP_FCNTL_LOCK,
                            good && l->l_whence == SEEK_SET ? l->l_start : -1,
                            good ? (size_t)l->l_len : 0, rc);
}

WRAP(int, flock, (int fd, int how))
{
    struct event e = event_on(fd);
    return (int)event_moved(&e, OP_FLOCK, -1, (size_t)how, REAL(flock)(fd, how));
}

WRAP(int, lockf, (int fd, int how, off_t bytes))
{
    struct event e = event_on(fd);
    int64_t at = own_offset(&e, fd);
    int rc = REAL(lockf)(fd, how, bytes);
    return (int)event_moved(&e, OP_LOCKF, at, (size_t)bytes, rc);
}
ALIAS(lockf64, lockf);

static int piped(struct event *e, enum trace_op op, const int *ends, int flags, int rc)
{
    event_over(e);
    int error = errno;
    int64_t result = rc ? outcome(rc) : ends[0];
    if (!rc) {
        fd_forget(ends[1]);
        fd_forget(ends[0]);
        e->file = fd_resolve(ends[0]);
    }
    event_put(e, op, -1, flags, result);
    errno = error;
    return rc;
}

WRAP(int, pipe, (int *ends))
{
    struct event e = event_now();
    return piped(&e, OP_PIPE, ends, 0, REAL(pipe)(ends));
}

WRAP(int, pipe2, (int *ends, int flags))
{
    struct event e = event_now();
    return piped(&e, OP_PIPE2, ends, flags, REAL(pipe2)(ends, flags));
}

/* ---- close ---- */

bool is_the_log(int fd)
{
    return fd >= 0 && fd == recorder.fd && log_is_ours(fd);
}

/* Forgets the file before the call: afterwards another thread may have the number. */
WRAP(int, close, (int fd))
{
    struct event e = event_on(fd);
    int rc = -1;
    if (UNLIKELY(is_the_log(fd)))
        errno = EBADF;
    else {
        fd_forget(fd);
        rc = REAL(close)(fd);
    }
    return (int)event_moved(&e, OP_CLOSE, -1, 0, rc);
}
ALIAS(__close, close);

enum { CLOEXEC_ONLY = 4 }; /* CLOSE_RANGE_CLOEXEC: they stay open */

static int close_around_log(unsigned first, unsigned last, int flags)
{
    unsigned ours = (unsigned)recorder.fd;
    int rc = 0;
    if (!log_is_ours(recorder.fd) || ours < first || ours > last)
        return (int)sys_call(SYS_close_range, first, last, flags);
    if (first < ours)
        rc = (int)sys_call(SYS_close_range, first, ours - 1, flags);
    if (!rc && ours < last)
        rc = (int)sys_call(SYS_close_range, ours + 1, last, flags);
    return rc;
}

WRAP(int, close_range, (unsigned first, unsigned last, int flags))
{
    struct event e = event_now();
    if (!(flags & CLOEXEC_ONLY))
        fds_forget_range(first, last);
    int rc = close_around_log(first, last, flags);
    return (int)event_moved(&e, OP_CLOSE_RANGE, first, last, rc);
}

WRAP(void, closefrom, (int least))
{
    struct event e = event_now();
    unsigned first = least < 0 ? 0 : (unsigned)least;
    fds_forget_range(first, ~0u);
    if (close_around_log(first, ~0u, 0)) /* an old kernel: do as the C library does */
        for (int fd = (int)first; fd < FDS; fd++)
            if (!is_the_log(fd))
                sys_close(fd);
    event_moved(&e, OP_CLOSEFROM, least, 0, 0);
}

/* ---- sync, allocation, advice ---- */

#define ON_FD(name, OP, params, args, offset, request)                                 \
    WRAP(int, name, params)                                                            \
    {                                                                                  \
        struct event e = event_on(fd);                                                 \
        return (int)event_moved(&e, OP, offset, (size_t)(request), REAL(name) args);   \
    }

ON_FD(fsync, OP_FSYNC, (int fd), (fd), -1, 0)
ON_FD(fdatasync, OP_FDATASYNC, (int fd), (fd), -1, 0)
ON_FD(syncfs, OP_SYNCFS, (int fd), (fd), -1, 0)
ON_FD(sync_file_range, OP_SYNC_FILE_RANGE,
      (int fd, off_t offset, off_t bytes, unsigned flags), (fd, offset, bytes, flags),
      offset, bytes)
ON_FD(ftruncate, OP_FTRUNCATE, (int fd, off_t bytes), (fd, bytes), -1, bytes)
ALIAS(ftruncate64, ftruncate);
ON_FD(fallocate, OP_FALLOCATE, (int fd, int mode, off_t offset, off_t bytes),
      (fd, mode, offset, bytes), offset, bytes)
ALIAS(fallocate64, fallocate);

WRAP(void, sync, (void))
{
    struct event e = event_now();
    REAL(sync)();
    event_moved(&e, OP_SYNC, -1, 0, 0);
}

/* These return the error. */
WRAP(int, posix_fallocate, (int fd, off_t offset, off_t bytes))
{
    struct event e = event_on(fd);
    int error = REAL(posix_fallocate)(fd, offset, bytes);
    event_put(&e, OP_POSIX_FALLOCATE, offset, bytes, -error);
    return error;
}
ALIAS(posix_fallocate64, posix_fallocate);

WRAP(int, posix_fadvise, (int fd, off_t offset, off_t bytes, int advice))
{
    struct event e = event_on(fd);
    int error = REAL(posix_fadvise)(fd, offset, bytes, advice);
    bool drop = advice == POSIX_FADV_DONTNEED && !offset && !bytes;
    event_put(&e, drop ? OP_POSIX_FADVISE_DONTNEED : OP_POSIX_FADVISE, offset, bytes,
              -error);
    return error;
}
ALIAS(posix_fadvise64, posix_fadvise);

WRAP(ssize_t, readahead, (int fd, off_t offset, size_t bytes))
{
    struct event e = event_on(fd);
    return event_moved(&e, OP_READAHEAD, offset, bytes,
                       REAL(readahead)(fd, offset, bytes));
}

/* ---- copies from one descriptor to another ---- */

bool fd_is_pipe(int fd)
{
    struct statx s;
    return !sys_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &s) &&
           S_ISFIFO(s.stx_mode);
}

static void copy_end(struct copy *c, int end, int fd, const off_t *offset)
{
    c->e[end] = event_on(fd);
    c->e[end].flags = end ? 0 : TRACE_SOURCE;
    c->fd[end] = fd;
    c->told[end] = offset != NULL;
    c->at[end] = offset ? *offset : own_offset(&c->e[end], fd);
}

struct copy copy_begin(int in, const off_t *in_offset, int out, const off_t *out_offset,
                       int first)
{
    struct copy c = {.first = first};
    int error = errno;
    copy_end(&c, 0, in, in_offset);
    copy_end(&c, 1, out, out_offset);
    if (!is_logged(&c.e[first]))
        c.first = !first;
    errno = error;
    if (is_logged(&c.e[c.first]))
        c.e[c.first].start = clock_ticks();
    return c;
}

ssize_t copied(struct copy *c, enum trace_op op, size_t asked, ssize_t n)
{
    struct event *first = &c->e[c->first], *other = &c->e[!c->first];
    event_over(first);
    for (int end = 0; end < 2; end++)
        if (!c->told[end])
            c->at[end] = own_offset_moved(c->fd[end], c->at[end], n);
    int64_t result = outcome(n);
    event_put(first, op, c->at[c->first], (int64_t)asked, result);
    if (!is_logged(first) || !is_logged(other))
        return n;
    other->start = other->end = first->start;
    other->flags |= TRACE_OTHER_END;
    event_put(other, op, c->at[!c->first], (int64_t)asked, result);
    return n;
}

WRAP(ssize_t, sendfile, (int out, int in, off_t *offset, size_t n))
{
    struct copy c = copy_begin(in, offset, out, NULL, 0);
    return copied(&c, OP_SENDFILE, n, REAL(sendfile)(out, in, offset, n));
}
ALIAS(sendfile64, sendfile);

WRAP(ssize_t, copy_file_range,
     (int in, off_t *in_offset, int out, off_t *out_offset, size_t n, unsigned flags))
{
    struct copy c = copy_begin(in, in_offset, out, out_offset, 1);
    ssize_t moved = REAL(copy_file_range)(in, in_offset, out, out_offset, n, flags);
    return copied(&c, OP_COPY_FILE_RANGE, n, moved);
}

WRAP(ssize_t, splice,
     (int in, off_t *in_offset, int out, off_t *out_offset, size_t n, unsigned flags))
{
    int first = !fd_is_pipe(out);
    struct copy c = copy_begin(in, in_offset, out, out_offset, first);
    ssize_t moved = REAL(splice)(in, in_offset, out, out_offset, n, flags);
    return copied(&c, OP_SPLICE, n, moved);
}

WRAP(ssize_t, tee, (int in, int out, size_t n, unsigned flags))
{
    struct copy c = copy_begin(in, NULL, out, NULL, 1);
    return copied(&c, OP_TEE, n, REAL(tee)(in, out, n, flags));
}

/* Arguments of a clone: the file shares the other's blocks, and no bytes move. */
struct clone_range {
    int64_t from;
    uint64_t at, bytes, to;
};
#define CLONE 0x40049409ul
#define CLONE_RANGE 0x4020940dul

WRAP(int, ioctl, (int fd, unsigned long what, ...))
{
    va_list rest;
    va_start(rest, what);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (LIKELY(what != CLONE && what != CLONE_RANGE))
        return REAL(ioctl)(fd, what, argument);
    const struct clone_range *r = what == CLONE_RANGE ? argument : NULL;
    struct event e = event_on(fd);
    int rc = REAL(ioctl)(fd, what, argument);
    return (int)event_moved(&e, OP_REFLINK, r && !rc ? (int64_t)r->to : -1,
                            r && !rc ? r->bytes : 0, rc);
}

struct iovec;
WRAP(ssize_t, vmsplice, (int fd, const struct iovec *v, size_t n, unsigned flags))
{
    struct event e = event_on(fd);
    return event_moved(&e, OP_VMSPLICE, -1, 0, REAL(vmsplice)(fd, v, n, flags));
}
