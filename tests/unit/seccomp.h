/* Makes system calls fail until the process ends, as containers forbid them, or as
 * signals interrupt them. */
#ifndef TESTS_SECCOMP_H
#define TESTS_SECCOMP_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Installs a filter; false: the kernel does not permit it. */
static inline bool seccomp_filter(struct sock_filter *code, size_t n)
{
    struct sock_fprog filter = {.len = (unsigned short)n, .filter = code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Makes a call fail with that error, whatever its arguments are. */
static inline bool seccomp_forbid(unsigned call, unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    return seccomp_filter(code, sizeof code / sizeof *code);
}

#endif
