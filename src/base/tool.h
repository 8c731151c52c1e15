/* Asking another program. */
#ifndef BASE_TOOL_H
#define BASE_TOOL_H

#include <stddef.h>

/* Local. Runs argv[0], found on PATH, without a shell, with nothing to read and its
 * messages thrown away, and puts what it prints into `out` (what is more than `size`
 * is read and lost). After `limit_s` seconds it is killed. Returns its exit status, or
 * -errno: -ENOENT there is no such program, -ETIMEDOUT, -EINTR a signal ended it. */
int tool_ask(char *const argv[], double limit_s, char *out, size_t size);

#endif
