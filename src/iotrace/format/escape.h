/* Names in tables: characters that would break a line, or that a terminal would obey,
 * are escaped with a backslash. The recorder and iotrace write them alike. */
#ifndef IOTRACE_FORMAT_ESCAPE_H
#define IOTRACE_FORMAT_ESCAPE_H

#include <stddef.h>

#define ESCAPE_MOST 4 /* most characters of an escaped byte */

/* Local. Returns how many bytes at the begin of `text` need no escape. */
size_t escape_none(const char *text);

/* Local. Escapes `from` for a table: \t \n \r \\, and \xHH for each byte of other
 * control characters (C0, DEL, C1) and of invalid UTF-8. `to` has ESCAPE_MOST times as
 * much room, and 1. Returns the length. */
size_t escape_text(char *to, const char *from);

/* Local. Undoes escapes in place. Other backslashes have no meaning. */
void escape_undo(char *text);

#endif
