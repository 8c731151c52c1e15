/* Preloaded by tests: makes storage lie or fail at a chosen place, underneath the
 * program and the MPI library alike.
 *
 *   FAULT=CALL:ACTION:K[+]   the K-th CALL on a file (1..), or with + also all after it
 *   FAULT_RANK=N             on that rank of the launcher's only
 *   FAULT_FILE=TEXT          of files with TEXT in their path only ("madbench-...")
 *
 * CALL is read, write (in all their forms), fsync, close, open (with O_CREAT),
 * again (without; it can only fail), reopen (the same of a name in an open folder), or
 * final
 * (MPI_Finalize; it can only hang).
 * ACTION is an errno's name (EIO, ENOSPC, EDQUOT, EACCES, EROFS, EMFILE, EINVAL), or
 *   zero, half     moves nothing, or half of it, and says so
 *   flip           one bit is wrong: in memory after a read, in the file after a write
 *   lost           reports success and does nothing
 *   shift          of the bytes 4096 further on
 *   slow           first waits for $FAULT_SECONDS
 *   hang           never comes back
 *   kill           SIGKILL
 *   stop           raises SIGSTOP, then goes on
 *   plant          open: the file is there already, and is somebody else's
 *   fill           first takes all space of the file system, in the file $FAULT_FILL
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum action {
    NONE,
    FAIL,
    ZERO,
    HALF,
    FLIP,
    LOST,
    SHIFT,
    SLOW,
    HANG,
    KILL,
    STOP,
    PLANT,
    FILL
};

static struct {
    int ready;
    char call[8];
    enum action action;
    int error;
    long k, seen;
    int on; /* it also strikes after the k-th */
    const char *file;
} fault;

static const struct {
    const char *name;
    enum action action;
    int error;
} actions[] = {
    {"EIO", FAIL, EIO},       {"ENOSPC", FAIL, ENOSPC}, {"EDQUOT", FAIL, EDQUOT},
    {"EACCES", FAIL, EACCES}, {"EROFS", FAIL, EROFS},   {"zero", ZERO, 0},
    {"half", HALF, 0},        {"flip", FLIP, 0},        {"lost", LOST, 0},
    {"EMFILE", FAIL, EMFILE}, {"ENOENT", FAIL, ENOENT}, {"slow", SLOW, 0},
    {"EINVAL", FAIL, EINVAL}, {"ESTALE", FAIL, ESTALE}, {"shift", SHIFT, 0},
    {"hang", HANG, 0},        {"kill", KILL, 0},        {"stop", STOP, 0},
    {"plant", PLANT, 0},      {"fill", FILL, 0},
};

static int is_our_rank(void)
{
    const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank)
        rank = getenv("PMI_RANK");
    if (!rank)
        rank = getenv("PMIX_RANK");
    return !wanted || (rank && !strcmp(rank, wanted));
}

/* Ends the program: a test that asks for an unknown fault must not pass for lack of
 * one. */
static void refuse(const char *text)
{
    fprintf(stderr, "fault_shim: FAULT=%s is not CALL:ACTION:K\n", text);
    _exit(99);
}

__attribute__((constructor)) static void set_up(void)
{
    const char *text = getenv("FAULT");
    char name[16], plus = 0;
    fault.ready = 1;
    fault.file = getenv("FAULT_FILE");
    if (!text || !is_our_rank())
        return;
    if (sscanf(text, "%7[a-z]:%15[a-zA-Z]:%ld%c", fault.call, name, &fault.k, &plus) <
        3)
        refuse(text);
    fault.on = plus == '+';
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (!strcmp(name, actions[i].name)) {
            fault.action = actions[i].action;
            fault.error = actions[i].error;
        }
    if (!fault.action)
        refuse(text);
}

static enum action due(const char *call, const char *path)
{
    if (!fault.ready)
        set_up();
    if (!fault.action || strcmp(call, fault.call) ||
        !strstr(path, fault.file ? fault.file : ""))
        return NONE;
    /* helpers count, too */
    long n = __atomic_add_fetch(&fault.seen, 1, __ATOMIC_RELAXED);
    return n == fault.k || (fault.on && n > fault.k) ? fault.action : NONE;
}

static enum action due_fd(const char *call, int fd)
{
    char link[64], path[4096];
    int saved = errno;
    if (!fault.ready)
        set_up();
    if (!fault.action)
        return NONE;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (n < 0 || path[0] != '/')
        return NONE;
    path[n] = 0;
    return due(call, path);
}

static void fill(void)
{
    static char zeros[1 << 16];
    size_t n = sizeof zeros;
    int fd = open(getenv("FAULT_FILL"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    while (fd >= 0 && n > 0)
        if (write(fd, zeros, n) <= 0)
            n /= 2;
    if (fd >= 0)
        close(fd);
}

static void dawdle(void)
{
    const char *text = getenv("FAULT_SECONDS");
    double s = text ? strtod(text, NULL) : 0;
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
}

/* Does what happens before the call, however much it moves. */
static void strike(enum action a)
{
    if (a == SLOW)
        dawdle();
    if (a == KILL || a == STOP)
        raise(a == KILL ? SIGKILL : SIGSTOP);
    while (a == HANG)
        pause();
    if (a == FILL)
        fill();
}

/* ---- transfers -------------------------------------------------------------- */

struct transfer {
    int fd, writing, positioned;
    off_t at;
};

typedef ssize_t plain_fn(int, void *, size_t);
typedef ssize_t at_fn(int, void *, size_t, off_t);
typedef ssize_t vector_fn(int, const struct iovec *, int, off_t);

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static ssize_t move(const struct transfer *t, void *buf, size_t n, off_t further)
{
    static plain_fn *read_plain, *write_plain;
    static at_fn *read_at, *write_at;
    if (!write_at) {
        *(void **)&read_plain = next("read");
        *(void **)&write_plain = next("write");
        *(void **)&read_at = next("pread");
        *(void **)&write_at = next("pwrite");
    }
    if (t->positioned)
        return (t->writing ? write_at : read_at)(t->fd, buf, n, t->at + further);
    return (t->writing ? write_plain : read_plain)(t->fd, buf, n);
}

static ssize_t flip(const struct transfer *t, void *buf, size_t n)
{
    char *copy = t->writing ? malloc(n) : buf;
    if (t->writing)
        memcpy(copy, buf, n);
    if (t->writing)
        copy[n / 2] ^= 4;
    ssize_t moved = move(t, copy, n, 0);
    if (t->writing)
        free(copy);
    else if (moved > 0)
        copy[moved / 2] ^= 4;
    return moved;
}

static ssize_t act(enum action a, const struct transfer *t, void *buf, size_t n)
{
    strike(a);
    switch (a) {
    case FAIL:
        errno = fault.error;
        return -1;
    case ZERO:
        return 0;
    case LOST:
        return (ssize_t)n;
    case HALF:
        return move(t, buf, n / 2, 0);
    case SHIFT:
        return move(t, buf, n, 4096);
    case FLIP:
        return flip(t, buf, n);
    default:
        return move(t, buf, n, 0);
    }
}

static ssize_t transfer(const struct transfer *t, void *buf, size_t n)
{
    return act(due_fd(t->writing ? "write" : "read", t->fd), t, buf, n);
}

ssize_t read(int fd, void *buf, size_t n)
{
    return transfer(&(struct transfer){fd, 0, 0, 0}, buf, n);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    return transfer(&(struct transfer){fd, 1, 0, 0}, (void *)buf, n);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    return transfer(&(struct transfer){fd, 0, 1, at}, buf, n);
}

ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
    return pread(fd, buf, n, at);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    return transfer(&(struct transfer){fd, 1, 1, at}, (void *)buf, n);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    return pwrite(fd, buf, n, at);
}

/* Applies the fault of a vector's first piece to all of it. */
static ssize_t vector(const struct transfer *t, const struct iovec *v, int count)
{
    static vector_fn *readv_at, *writev_at;
    if (!writev_at) {
        *(void **)&readv_at = next("preadv");
        *(void **)&writev_at = next("pwritev");
    }
    enum action a = due_fd(t->writing ? "write" : "read", t->fd);
    if (a && count > 0)
        return act(a, t, v[0].iov_base, v[0].iov_len);
    return (t->writing ? writev_at : readv_at)(t->fd, v, count, t->at);
}

ssize_t preadv(int fd, const struct iovec *v, int count, off_t at)
{
    return vector(&(struct transfer){fd, 0, 1, at}, v, count);
}

ssize_t pwritev(int fd, const struct iovec *v, int count, off_t at)
{
    return vector(&(struct transfer){fd, 1, 1, at}, v, count);
}

/* ---- the rest ----------------------------------------------------------------- */

int fsync(int fd)
{
    static int (*real)(int);
    if (!real)
        *(void **)&real = next("fsync");
    enum action a = due_fd("fsync", fd);
    strike(a);
    if (a == FAIL) {
        errno = fault.error;
        return -1;
    }
    return a == LOST ? 0 : real(fd);
}

int MPI_Finalize(void)
{
    int (*real)(void);
    *(void **)&real = next("MPI_Finalize");
    strike(due("final", fault.file ? fault.file : ""));
    return real();
}

/* Closes the file even if it fails, as with NFS, which reports delayed errors then. */
int close(int fd)
{
    static int (*real)(int);
    if (!real)
        *(void **)&real = next("close");
    enum action a = due_fd("close", fd);
    strike(a);
    int rc = real(fd);
    if (a == FAIL)
        errno = fault.error;
    return a == FAIL ? -1 : rc;
}

static int open_with(const char *path, int flags, mode_t mode)
{
    static int (*real)(const char *, int, ...);
    if (!real)
        *(void **)&real = next("open");
    enum action a = flags & O_CREAT ? due("open", path) : NONE;
    if (!(flags & O_CREAT) && due("again", path) == FAIL)
        a = FAIL;
    strike(a);
    if (a == FAIL) {
        errno = fault.error;
        return -1;
    }
    if (a == PLANT) {
        int fd = real(path, O_WRONLY | O_CREAT, 0644);
        if (fd >= 0 && (write(fd, "foreign", 7) != 7 || close(fd)))
            abort();
    }
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return open_with(path, flags, mode);
}

/* Opens a file in a folder. It has a name only, which FAULT_FILE may match; it can only
 * fail. */
static int openat_with(int folder, const char *path, int flags, mode_t mode)
{
    static int (*real)(int, const char *, int, ...);
    if (!real)
        *(void **)&real = next("openat");
    bool named = folder != AT_FDCWD && fault.file;
    if (named && due(flags & O_CREAT ? "open" : "reopen", path) == FAIL) {
        errno = fault.error;
        return -1;
    }
    return folder == AT_FDCWD ? open_with(path, flags, mode)
                              : real(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return openat_with(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return openat_with(folder, path, flags, mode);
}

/* Functions that a hardened build calls. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return open_with(path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_with(path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags)
{
    return openat_with(folder, path, flags, 0);
}

int __openat64_2(int folder, const char *path, int flags)
{
    return openat_with(folder, path, flags, 0);
}

int open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return open_with(path, flags, mode);
}
