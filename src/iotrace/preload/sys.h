/* System calls with which the recorder writes. */
#ifndef IOTRACE_PRELOAD_SYS_H
#define IOTRACE_PRELOAD_SYS_H

#include "iotrace/format/kernel.h"

/* These never raise a signal. */
long sys_write(int fd, const void *buf, size_t n);
long sys_pwrite(int fd, const void *buf, size_t n, uint64_t at);
int64_t sys_written(void); /* bytes of both since the last reset */
void sys_written_reset(void);

#endif
