/* Finishes the log of a process that was killed. */
#ifndef IOTRACE_RECOVER_H
#define IOTRACE_RECOVER_H

#include <stdbool.h>

/* Local. Finishes the log `path`: makes the table NAME of NAME.part, which it removes,
 * and adds PATH.summary to a log in binary form. It overwrites nothing. *made is the
 * new file's name, to be freed; NULL: there was nothing to do. Returns 0, or -errno
 * with a sentence. */
int recover_log(const char *path, char **made);

#endif
