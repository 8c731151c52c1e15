/* Makes text of others, such as a file's name, safe to print: a terminal does not act
 * on it. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>

/* Local. Copies `text` to `out`, with a question mark for each control character (C0,
 * DEL, C1, also line ends and tabs) and for each byte that is not UTF-8, truncated to
 * `room`. `out` may be the same memory as `text`. Returns `out`. */
const char *plain(char *out, size_t room, const char *text);

/* Room for any path in plain(). */
#define PLAIN_PATH 4096

/* Local. Length of the well-formed UTF-8 sequence at `text` (1 to 4), or 0. */
int plain_utf8(const char *text);

#endif
