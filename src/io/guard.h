/* Copies from and to mapped files. Where the kernel cannot bring in a page, for the
 * file was cut, the device failed, or there is no space, it sends SIGBUS: here that is
 * a failed copy. Other SIGBUS go to whoever handled them before. */
#ifndef IO_GUARD_H
#define IO_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Local, from any thread. The handler is there from the first guard_open to the last
 * guard_close. 0, or -errno with a sentence. */
int guard_open(void);
void guard_close(void);

/* Local, between the two. Copies `bytes`; `mapped` is the side, `to` or `from`, that
 * is in a mapped file. False: SIGBUS came, and it is not known what of `to` was copied.
 * The thread must not block SIGBUS. */
bool guard_copy(void *to, const void *from, size_t bytes, const void *mapped);

#endif
