/* Makes text of others, such as a file's name, safe to print: a terminal does not act
 * on it. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>
#include <stdio.h>

/* Local. Copies `text` to `out`, with a question mark for each control character (C0,
 * DEL, C1, also line ends and tabs) and for each byte that is not UTF-8, truncated to
 * `room`. `out` may be the same memory as `text`. Returns `out`. */
const char *plain(char *out, size_t room, const char *text);

/* Room for any path in plain(). */
#define PLAIN_PATH 4096

/* Local. Length of the well-formed UTF-8 sequence at `text` (1 to 4), or 0. */
int plain_utf8(const char *text);

/* ---- comma-separated values ------------------------------------------------------ */

/* Text in tables of comma-separated values. */

/* Local. Writes one field (RFC 4180): quoted if necessary, with quotes doubled. NULL:
 * an empty field. */
void csv_text(FILE *out, const char *text);

#endif
