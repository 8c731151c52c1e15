/* System calls as the recorder itself makes them: past all wrappers, ours (also that of
 * syscall) and those of other libraries; even getpid may be a library's, which starts
 * with it. They return -1 and set errno. */
#ifndef IOTRACE_FORMAT_KERNEL_H
#define IOTRACE_FORMAT_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long sys_six(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long x8 __asm__("x8") = number, result __asm__("x0") = a;
    register long x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(result)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
#else
#error "how is the kernel called?"
#endif
    if ((unsigned long)result <= -4096ul)
        return result;
    errno = (int)-result;
    return -1;
}

/* Arguments that a call lacks are 0. */
#define sys_call(...) SYS_CALL(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define SYS_CALL(number, a, b, c, d, e, f, ...)                                        \
    sys_six(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int sys_open(const char *path, int flags, int mode)
{
    return (int)sys_call(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int sys_pid(void)
{
    return (int)sys_call(SYS_getpid);
}

/* Creates a file that only its owner can read and write, whatever the umask: programs'
 * arguments and files' names are in it. */
static inline int sys_create(const char *path)
{
    int fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0)
        sys_call(SYS_fchmod, fd, 0600);
    return fd;
}

static inline int sys_close(int fd)
{
    return (int)sys_call(SYS_close, fd);
}

extern int64_t sys_got; /* bytes that these two have read; in program.c */

static inline long sys_counted(long n)
{
    if (n > 0)
        __atomic_fetch_add(&sys_got, n, __ATOMIC_RELAXED);
    return n;
}

static inline long sys_read(int fd, void *buf, size_t n)
{
    return sys_counted(sys_call(SYS_read, fd, buf, n));
}

static inline long sys_pread(int fd, void *buf, size_t n, uint64_t at)
{
    return sys_counted(sys_call(SYS_pread64, fd, buf, n, at));
}

static inline void *sys_mmap(size_t n, int prot, int flags, int fd, uint64_t at)
{
    return (void *)sys_call(SYS_mmap, NULL, n, prot, flags, fd, at);
}

static inline int sys_munmap(void *p, size_t n)
{
    return (int)sys_call(SYS_munmap, p, n);
}

static inline int sys_unlink(const char *path)
{
    return (int)sys_call(SYS_unlinkat, AT_FDCWD, path, 0);
}

static inline long sys_readlink(const char *path, char *text, size_t n)
{
    return sys_call(SYS_readlinkat, AT_FDCWD, path, text, n);
}

#endif
