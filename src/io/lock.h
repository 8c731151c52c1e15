/* Locks on files, which end with the process that holds them. Where a file system has
 * none, nobody is kept out: who must be certain checks what is there as well. */
#ifndef IO_LOCK_H
#define IO_LOCK_H

#include <stdbool.h>

enum { LOCK_OWNER = 64 };

/* Local. What this process calls itself: "process 12 on n1". */
void lock_owner(char out[LOCK_OWNER]);

/* Local. Keeps a file that is there to this process until *fd is closed or the process
 * ends. *fd -1 and 0: the file system has no locks. -EBUSY without a sentence: another
 * process has it; or -errno with one. */
int lock_file(const char *path, int *fd);
bool lock_is_held(const char *path);

/* Local. Keeps what `path` stands for to this process until lock_end, which also
 * removes the file, or until the process ends. The file is made, or taken over from an
 * owner that has ended. -EBUSY without a sentence: `owner` has it ("": it is not known
 * who); or -errno with a sentence. */
int lock_name(const char *path, int *fd, char owner[LOCK_OWNER]);
void lock_end(const char *path, int *fd); /* *fd becomes -1; -1 is fine */

#endif
