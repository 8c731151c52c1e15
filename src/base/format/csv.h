/* Text in tables of comma-separated values. */
#ifndef BASE_FORMAT_CSV_H
#define BASE_FORMAT_CSV_H

#include <stdio.h>

/* Local. Writes one field (RFC 4180): quoted if necessary, with quotes doubled. NULL:
 * an empty field. */
void csv_text(FILE *out, const char *text);

#endif
