/* System calls as the recorder itself makes them: past all wrappers, ours and those of
 * other libraries. They return -1 and set errno. */
#ifndef IOTRACE_PRELOAD_SYS_H
#define IOTRACE_PRELOAD_SYS_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int sys_open(const char *path, int flags, int mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int sys_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

static inline long sys_read(int fd, void *buf, size_t n)
{
    return syscall(SYS_read, fd, buf, n);
}

static inline long sys_write(int fd, const void *buf, size_t n)
{
    return syscall(SYS_write, fd, buf, n);
}

static inline long sys_pread(int fd, void *buf, size_t n, uint64_t at)
{
    return syscall(SYS_pread64, fd, buf, n, at);
}

static inline long sys_pwrite(int fd, const void *buf, size_t n, uint64_t at)
{
    return syscall(SYS_pwrite64, fd, buf, n, at);
}

static inline void *sys_mmap(size_t n, int prot, int flags, int fd, uint64_t at)
{
    return (void *)syscall(SYS_mmap, NULL, n, prot, flags, fd, at);
}

static inline int sys_munmap(void *p, size_t n)
{
    return (int)syscall(SYS_munmap, p, n);
}

static inline int sys_unlink(const char *path)
{
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static inline long sys_readlink(const char *path, char *text, size_t n)
{
    return syscall(SYS_readlinkat, AT_FDCWD, path, text, n);
}

#endif
