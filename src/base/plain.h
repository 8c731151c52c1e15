/* Text of others, such as the name of a file, that is printed for people to read: no
 * terminal obeys what is in it. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>

/* Local. `text` with a question mark for each control character (C0, DEL, C1, also line
 * ends and tabs) and for each byte that is not UTF-8, in `out`, cut where it does not
 * fit; may be the same memory as `text`. Returns `out`. */
const char *plain(char *out, size_t room, const char *text);

/* Room for any path, for plain(). */
#define PLAIN_PATH 4096

/* Local. Length of the well-formed UTF-8 sequence at `text` (1 to 4), or 0. */
int plain_utf8(const char *text);

#endif
