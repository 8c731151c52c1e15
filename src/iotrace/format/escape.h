/* Names in tables: what would break a line, or what a terminal would obey, is written
 * behind a backslash. The recorder and iotrace write them alike. */
#ifndef IOTRACE_FORMAT_ESCAPE_H
#define IOTRACE_FORMAT_ESCAPE_H

#include <stddef.h>

#define ESCAPE_MOST 4 /* a byte can become so many */

/* Local. How many bytes at the beginning of `text` stand for themselves. */
size_t escape_none(const char *text);

/* Local. `from` as it stands in a table: \t \n \r \\, and \xHH for each byte of another
 * control character (C0, DEL, C1) or of what is not UTF-8. `to` has ESCAPE_MOST times
 * as much room, and 1. Returns the length. */
size_t escape(char *to, const char *from);

/* Local. Turns it back, in place. Behind other backslashes nothing is meant. */
void escape_undo(char *text);

#endif
