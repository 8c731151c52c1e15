/* Locks that keep a second process from writing what another one writes. */
#ifndef IO_LOCK_H
#define IO_LOCK_H

#include <stdbool.h>

enum { LOCK_OWNER = 64 };

/* Local. The name of this process: "process 12 on n1". */
void lock_owner(char out[LOCK_OWNER]);

/* Local. lock_file locks an existing file until lock_close or the process ends; *fd -1
 * and 0: the file system has no locks. -EBUSY without a sentence: another process has
 * had it for some seconds; or -errno with one. */
int lock_file(const char *path, int *fd);
void lock_close(int *fd); /* *fd becomes -1; it may be -1 before */
bool lock_is_held(const char *path);

/* Local. Locks `path` until lock_end, which also removes the file, or until the process
 * ends. Makes the file, or takes it over from an owner that has ended. -EBUSY without a
 * sentence: `owner` has it ("": unknown); or -errno with a sentence. */
int lock_name(const char *path, int *fd, char owner[LOCK_OWNER]);
void lock_end(const char *path, int *fd); /* *fd becomes -1; it may be -1 before */

#endif
