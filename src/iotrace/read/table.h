/* Tables of Table 2.1: their columns and lines. */
#ifndef IOTRACE_READ_TABLE_H
#define IOTRACE_READ_TABLE_H

#include "iotrace/read/reader.h"
#include <stdio.h>

/* The columns, in the order of the paper. */
enum column {
    COLUMN_APPLICATION,
    COLUMN_EXECUTION,
    COLUMN_TOOL,
    COLUMN_FILENAME,
    COLUMN_FD,
    COLUMN_SEQUENCE,
    COLUMN_OPERATION,
    COLUMN_BYTES,
    COLUMN_START,
    COLUMN_END,
    COLUMN_TIME,
    COLUMN_PID,
    COLUMNS
};
extern const char *const table_column[COLUMNS];

/* Local. Write the line of names, and the line of an event. In names, a tab, an end of
 * line or a backslash is written as \t, \n, \r or \\. */
void table_head(FILE *out);
void table_row(FILE *out, const struct log *l, const struct event *e,
               uint64_t sequence);

/* Local. Write `text` as one field of a line, and "seconds.nanoseconds". */
void table_text(FILE *out, const char *text);
void table_seconds(FILE *out, int64_t ns);

#endif
