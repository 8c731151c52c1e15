/* What a process that was killed could not do for its log. */
#ifndef IOTRACE_RECOVER_H
#define IOTRACE_RECOVER_H

#include <stdbool.h>

/* Local. Finishes the log `path`: of NAME.part makes the table NAME, and removes it; to
 * a log in binary form adds PATH.summary. Overwrites nothing. *made is what was made,
 * to be freed; NULL: there was nothing to do. 0, or -errno with a sentence. */
int recover_log(const char *path, char **made);

#endif
