/* Copies from and to mapped files. If the kernel cannot provide a page, because the
 * file was cut, the device failed, or there is no space, it sends SIGBUS: here that is
 * a failed copy. Other SIGBUS go to the previous handler. */
#ifndef IO_GUARD_H
#define IO_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Local, from any thread. Install the handler from the first guard_open to the last
 * guard_close. Returns 0, or -errno with a sentence. */
int guard_open(void);
void guard_close(void);

/* Local, between the two. Copies `bytes`; `mapped` is the side, `to` or `from`, that is
 * in a mapped file. Returns false if SIGBUS came; then the content of `to` is
 * undefined. The thread must not block SIGBUS. */
bool guard_copy(void *to, const void *from, size_t bytes, const void *mapped);

#endif
