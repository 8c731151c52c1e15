/* System calls with which the recorder writes, and counts of its bytes. */
#ifndef IOTRACE_PRELOAD_SYS_H
#define IOTRACE_PRELOAD_SYS_H

#include "iotrace/format/kernel.h"

/* These never raise a signal. */
long sys_write(int fd, const void *buf, size_t n);
long sys_pwrite(int fd, const void *buf, size_t n, uint64_t at);
/* Gives the bytes that the recorder has read [0] and written [1] since the last
 * reset. */
void sys_moved(int64_t bytes[2]);
void sys_moved_reset(void);

/* ---- the real functions ---------------------------------------------------------- */

struct real {
    const char *name;
    void **at;
};

/* Looks all of them up: without an allocation or a lock, so that an allocator may call
 * a wrapper before the start. A function that the C library lacks is replaced by one
 * that fails with ENOSYS. */
void reals_find(void);
void *real_find(const struct real *r); /* never NULL */

#define EXPORT __attribute__((visibility("default"), used))

#define WRAP(type, name, params)                                                       \
    static type(*real_##name) params;                                                  \
    static const struct real entry_##name                                              \
        __attribute__((section("reals"), used)) = {#name, (void **)&real_##name};      \
    EXPORT type wrap_##name params __asm__(#name);                                     \
    type wrap_##name params

/* Defines another name of the same function, such as those with 64 in their name on
 * 64-bit systems. */
#define ALIAS(alias_name, name)                                                        \
    extern __typeof__(wrap_##name) alias_##alias_name __asm__(#alias_name)             \
        __attribute__((alias(#name), visibility("default"), used))

#define REAL(name)                                                                     \
    (__builtin_expect(real_##name != 0, 1)                                             \
         ? real_##name                                                                 \
         : (__typeof__(real_##name))real_find(&entry_##name))

#endif
