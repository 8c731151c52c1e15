/* syscall, with which programs call the kernel by number. Calls that open, copy and
 * close descriptors, move bytes and are about files have the events of the functions
 * that do the same.
 * All are made by the next `syscall`, never by such a function, which might be another
 * library's that itself comes back here. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/metadata.h"
#include "iotrace/preload/transfer.h"
#include "iotrace/preload/uring.h"

/* Headers may be older than the kernel; these numbers are the same everywhere. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef IORING_ENTER_REGISTERED_RING
#define IORING_ENTER_REGISTERED_RING (1U << 4)
#endif

#define SEVEN long number, long a, long b, long c, long d, long e, long f
#define GIVEN number, a, b, c, d, e, f

static long (*real_syscall)(SEVEN) __attribute__((used));
static const struct real entry_syscall
    __attribute__((section("reals"), used)) = {"syscall", (void **)&real_syscall};

/* Returns the bytes requested: for a vector only if the kernel has accepted it. */
static size_t calls_syscall_asked(bool vector, long b, long c, long result)
{
    if (!vector)
        return (size_t)c;
    return result < 0 ? 0 : total((const struct iovec *)b, (int)c);
}

static long at_own(enum trace_op op, bool vector, SEVEN)
{
    struct event v = event_on((int)a);
    int64_t before = own_offset(&v, (int)a);
    long n = real_syscall(GIVEN);
    event_over(&v);
    return transfer_moved(&v, op, (int)a, before, calls_syscall_asked(vector, b, c, n),
                          n);
}

static long at_given(enum trace_op op, bool vector, SEVEN)
{
    struct event v = event_on((int)a);
    long n = real_syscall(GIVEN);
    event_over(&v);
    return moved_at(&v, op, (int)a, d, calls_syscall_asked(vector, b, c, n), n);
}

/* Records a call with flags; offset -1: the descriptor's own. */
static long at_either(enum trace_op op, SEVEN)
{
    return d == -1 ? at_own(op, true, GIVEN) : at_given(op, true, GIVEN);
}

static long seeks(SEVEN)
{
    struct event v = event_on((int)a);
    int64_t before = own_offset(&v, (int)a);
    long at = real_syscall(GIVEN);
    return seeked(&v, (int)a, before, b, (int)c, at);
}

static long opens(enum trace_op op, int dir, long path, long flags, SEVEN)
{
    struct event v = event_now();
    int fd = (int)real_syscall(GIVEN);
    return event_opened(&v, op, dir, (const char *)path, (int)flags, fd);
}

static long closes(SEVEN)
{
    struct event v = event_on((int)a);
    long rc = -1;
    if (is_the_log((int)a))
        errno = EBADF;
    else {
        fd_forget((int)a);
        rc = real_syscall(GIVEN);
    }
    return event_moved(&v, OP_CLOSE, -1, 0, rc);
}

static long copies(enum trace_op op, bool onto, SEVEN)
{
    struct event v = event_on((int)a);
    if (onto && a != b)
        log_move((int)b);
    return event_copied(&v, op, (int)a, (int)real_syscall(GIVEN));
}

static long locks(SEVEN)
{
    struct event v = event_on((int)a);
    const struct flock *l = (const struct flock *)c;
    long rc = real_syscall(GIVEN);
    bool good = rc != -1 || errno != EFAULT;
    return event_moved(&v, OP_FCNTL_LOCK,
                       good && l->l_whence == SEEK_SET ? l->l_start : -1,
                       good ? (size_t)l->l_len : 0, rc);
}

static long fcntls(SEVEN)
{
    if (b == F_DUPFD || b == F_DUPFD_CLOEXEC)
        return copies(OP_FCNTL, false, GIVEN);
    if (b == F_SETLK || b == F_SETLKW || b == F_OFD_SETLK || b == F_OFD_SETLKW)
        return locks(GIVEN);
    if (b == F_SETFL) /* perhaps O_APPEND */
        fd_shared((int)a);
    return real_syscall(GIVEN);
}

static long on_fd(enum trace_op op, long request, SEVEN)
{
    struct event v = event_on((int)a);
    return event_moved(&v, op, -1, (size_t)request, real_syscall(GIVEN));
}

/* Records (in, offset, out, offset, how many, flags). */
static long copies_range(enum trace_op op, int first, SEVEN)
{
    struct copy v = copy_begin((int)a, (off_t *)b, (int)c, (off_t *)d, first);
    return copied(&v, op, (size_t)e, real_syscall(GIVEN));
}

static long sends(SEVEN)
{
    struct copy v = copy_begin((int)b, (off_t *)c, (int)a, NULL, 0);
    return copied(&v, OP_SENDFILE, (size_t)d, real_syscall(GIVEN));
}

/* Records a call about a path. Those that fail for their address have none. */
static long on_path(enum trace_op op, long dir, long path, long request, SEVEN)
{
    struct event v = event_now();
    return metadata_done(&v, op, (int)dir, (const char *)path, request,
                         real_syscall(GIVEN));
}

/* ---- asynchronous I/O ---- */

#define BY_NUMBER(name)                                                                \
    static intptr_t raw_##name(intptr_t a, intptr_t b, intptr_t c, intptr_t d,         \
                               intptr_t e, intptr_t f)                                 \
    {                                                                                  \
        long rc = real_syscall(SYS_##name, a, b, c, d, e, f);                          \
        return rc < 0 ? -errno : rc;                                                   \
    }
BY_NUMBER(io_submit)
BY_NUMBER(io_getevents)
BY_NUMBER(io_pgetevents)

static long by_libaio(intptr_t (*record)(late_function *, const intptr_t *),
                      late_function *raw, SEVEN)
{
    const intptr_t words[] = {a, b, c, d, e, f};
    (void)number;
    long rc = record(raw, words);
    if (rc < 0)
        errno = (int)-rc;
    return rc < 0 ? -1 : rc;
}

/* Records (ring, how many to take, how many to wait for, flags). */
static long enters(SEVEN)
{
    bool place = d & IORING_ENTER_REGISTERED_RING; /* it is no descriptor */
    struct uring_entry u;
    uring_enters(&u, place ? -1 : (int)a, (unsigned)b);
    struct event v = event_now();
    long rc = real_syscall(GIVEN);
    event_over(&v);
    int error = errno;
    struct event its = v;
    if (c) /* then the wait has the time */
        its.end = its.start;
    uring_entered(&u, &its, rc);
    if (c)
        event_put(&v, OP_URING_WAIT, -1, c, rc < 0 ? -error : rc);
    errno = error;
    return rc;
}

static long sets_up(SEVEN)
{
    long fd = real_syscall(GIVEN);
    if (fd >= 0)
        uring_set_up((int)fd, (const struct io_uring_params *)b);
    return fd;
}

static long registers(SEVEN)
{
    long rc = real_syscall(GIVEN);
    struct uring *r = rc < 0 ? NULL : uring_find(uring_key((int)a));
    if (r && b == IORING_REGISTER_FILES)
        uring_files(r, (const int *)c, (unsigned)d);
    if (r && b == IORING_UNREGISTER_FILES)
        uring_files(r, NULL, 0);
    return rc;
}

/* Calls about a path: the directory, the path and what is kept as the request. */
#ifdef SYS_open
#define ON_OLD_PATHS(X)                                                                \
    X(stat, STAT, AT_FDCWD, a, 0)                                                      \
    X(lstat, LSTAT, AT_FDCWD, a, 0)                                                    \
    X(access, ACCESS, AT_FDCWD, a, b)                                                  \
    X(rename, RENAME, AT_FDCWD, b, 0)                                                  \
    X(unlink, UNLINK, AT_FDCWD, a, 0)                                                  \
    X(mkdir, MKDIR, AT_FDCWD, a, b)                                                    \
    X(rmdir, RMDIR, AT_FDCWD, a, 0)
#else
#define ON_OLD_PATHS(X)
#endif
#define ON_PATHS(X)                                                                    \
    ON_OLD_PATHS(X)                                                                    \
    X(statx, STATX, a, b, c)                                                           \
    X(newfstatat, FSTATAT, a, b, d)                                                    \
    X(faccessat, FACCESSAT, a, b, c)                                                   \
    X(renameat, RENAMEAT, c, d, 0)                                                     \
    X(renameat2, RENAMEAT2, c, d, e)                                                   \
    X(unlinkat, UNLINKAT, a, b, c)                                                     \
    X(mkdirat, MKDIRAT, a, b, c)                                                       \
    X(truncate, TRUNCATE, AT_FDCWD, a, b)

__attribute__((used, noinline)) static long syscall_recorded(SEVEN)
{
    switch (number) {
    case SYS_read:
        return at_own(OP_READ, false, GIVEN);
    case SYS_write:
        return at_own(OP_WRITE, false, GIVEN);
    case SYS_readv:
        return at_own(OP_READV, true, GIVEN);
    case SYS_writev:
        return at_own(OP_WRITEV, true, GIVEN);
    case SYS_pread64:
        return at_given(OP_PREAD, false, GIVEN);
    case SYS_pwrite64:
        return at_given(OP_PWRITE, false, GIVEN);
    case SYS_preadv:
        return at_given(OP_PREADV, true, GIVEN);
    case SYS_pwritev:
        return at_given(OP_PWRITEV, true, GIVEN);
    case SYS_preadv2:
        return at_either(OP_PREADV2, GIVEN);
    case SYS_pwritev2:
        return at_either(OP_PWRITEV2, GIVEN);
    case SYS_lseek:
        return seeks(GIVEN);
#ifdef SYS_open
    case SYS_open:
        return opens(OP_OPEN, AT_FDCWD, a, b, GIVEN);
    case SYS_creat:
        return opens(OP_CREAT, AT_FDCWD, a, O_CREAT | O_WRONLY | O_TRUNC, GIVEN);
    case SYS_dup2:
        return copies(OP_DUP2, true, GIVEN);
#endif
    case SYS_openat:
        return opens(OP_OPENAT, (int)a, b, c, GIVEN);
    case SYS_openat2: /* flags come first in the struct that c points to */
        return opens(OP_OPENAT2, (int)a, b, c ? *(const long *)c : 0, GIVEN);
    case SYS_close:
        return closes(GIVEN);
    case SYS_dup:
        return copies(OP_DUP, false, GIVEN);
    case SYS_dup3:
        return copies(OP_DUP3, true, GIVEN);
    case SYS_fcntl:
        return fcntls(GIVEN);
    case SYS_fsync:
        return on_fd(OP_FSYNC, 0, GIVEN);
    case SYS_fdatasync:
        return on_fd(OP_FDATASYNC, 0, GIVEN);
    case SYS_ftruncate:
        return on_fd(OP_FTRUNCATE, b, GIVEN);
    case SYS_flock:
        return on_fd(OP_FLOCK, b, GIVEN);
    case SYS_getdents64:
        fd_shared((int)a); /* it moves the offset */
        return on_fd(OP_GETDENTS64, c, GIVEN);
    case SYS_sync:
    case SYS_syncfs:
        return number == SYS_sync ? on_path(OP_SYNC, 0, 0, 0, GIVEN)
                                  : on_fd(OP_SYNCFS, 0, GIVEN);
    case SYS_fallocate:
        return on_fd(OP_FALLOCATE, d, GIVEN);
    case SYS_fstat:
        return on_fd(OP_FSTAT, 0, GIVEN);
    case SYS_copy_file_range:
        return copies_range(OP_COPY_FILE_RANGE, 1, GIVEN);
    case SYS_splice:
        return copies_range(OP_SPLICE, !fd_is_pipe((int)c), GIVEN);
    case SYS_sendfile:
        return sends(GIVEN);
    case SYS_io_submit:
        return by_libaio(libaio_submits, raw_io_submit, GIVEN);
    case SYS_io_getevents:
        return by_libaio(libaio_fetches, raw_io_getevents, GIVEN);
    case SYS_io_pgetevents:
        return by_libaio(libaio_fetches, raw_io_pgetevents, GIVEN);
#define CASE(name, op, dir, path, request)                                             \
    case SYS_##name:                                                                   \
        return on_path(OP_##op, dir, path, request, GIVEN);
        ON_PATHS(CASE)
#undef CASE
    case SYS_seccomp: /* it may forbid to make the log */
        if (idle_is())
            recorder_start();
        return real_syscall(GIVEN);
    case SYS_io_uring_setup:
        return sets_up(GIVEN);
    case SYS_io_uring_enter:
        return enters(GIVEN);
    case SYS_io_uring_register:
        return registers(GIVEN);
    default:
        return real_syscall(GIVEN);
    }
}

/* The calls that are recorded. Others are passed on by a jump, with nothing touched.
 * The last of the seven words is on the stack; if a call has fewer, it is some variable
 * of the caller's, perhaps one that another thread is about to change, and a function
 * in C may write to its arguments. Before the recorder's start all calls are made right
 * here: the caller may be a malloc at its own begin, in which nothing can be looked
 * up. */
__attribute__((used)) static const bool is_recorded[] = {
    [SYS_read] = true,
    [SYS_write] = true,
    [SYS_readv] = true,
    [SYS_writev] = true,
    [SYS_pread64] = true,
    [SYS_pwrite64] = true,
    [SYS_preadv] = true,
    [SYS_pwritev] = true,
    [SYS_preadv2] = true,
    [SYS_pwritev2] = true,
    [SYS_lseek] = true,
    [SYS_openat] = true,
    [SYS_close] = true,
    [SYS_dup] = true,
    [SYS_dup3] = true,
    [SYS_fcntl] = true,
    [SYS_fsync] = true,
    [SYS_fdatasync] = true,
    [SYS_ftruncate] = true,
    [SYS_flock] = true,
    [SYS_getdents64] = true,
    [SYS_openat2] = true,
    [SYS_sync] = true,
    [SYS_syncfs] = true,
    [SYS_fallocate] = true,
    [SYS_fstat] = true,
    [SYS_copy_file_range] = true,
    [SYS_splice] = true,
    [SYS_sendfile] = true,
    [SYS_io_submit] = true,
    [SYS_io_getevents] = true,
    [SYS_io_pgetevents] = true,
#define TRUE(name, op, dir, path, request) [SYS_##name] = true,
    ON_PATHS(TRUE)
#undef TRUE
        [SYS_seccomp] = true,
    [SYS_io_uring_setup] = true,
    [SYS_io_uring_enter] = true,
    [SYS_io_uring_register] = true,
#ifdef SYS_open
    [SYS_open] = true,
    [SYS_creat] = true,
    [SYS_dup2] = true,
#endif
};
__attribute__((used)) static const unsigned long end_recorded = sizeof is_recorded;

#ifdef __x86_64__
EXPORT long wrap_syscall(SEVEN) __asm__("syscall");
static long (*const syscall_early)(SEVEN) __attribute__((used)) = sys_six;
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    movq real_syscall(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    cmoveq syscall_early(%rip), %rax\n"
        "    je 1f\n"
        "    cmpq end_recorded(%rip), %rdi\n"
        "    jae 1f\n"
        "    leaq is_recorded(%rip), %r11\n"
        "    cmpb $0, (%r11,%rdi)\n"
        "    je 1f\n"
        "    pushq 8(%rsp)\n" /* copy of the last word */
        "    .cfi_adjust_cfa_offset 8\n"
        "    call syscall_recorded\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "1:  jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");
#else
EXPORT long wrap_syscall(SEVEN) __asm__("syscall");
long wrap_syscall(SEVEN) /* all words are in registers here */
{
    if (!real_syscall)
        return sys_six(GIVEN);
    if ((unsigned long)number >= end_recorded || !is_recorded[number])
        return real_syscall(GIVEN);
    return syscall_recorded(GIVEN);
}
#endif
