/* Runs another program and reads its output. */
#ifndef BASE_TOOL_H
#define BASE_TOOL_H

#include <stddef.h>

/* Local. Runs argv[0], found on PATH, without a shell, with empty input and its error
 * messages discarded, and copies its output to `out` (anything beyond `size` is
 * discarded). Kills it after `limit_s` seconds. Returns its exit status, or -errno:
 * -ENOENT there is no such program, -ETIMEDOUT, -EINTR a signal ended it. */
int tool_ask(char *const argv[], double limit_s, char *out, size_t size);

#endif
