/* The walk down from a file system, in a form for tests. Included only
 * inside src/io. */
#ifndef IO_FS_STACK_H
#define IO_FS_STACK_H

#include "io/io.h"

/* Local. As io_stack_of, but reads ROOT/proc/self/mountinfo and ROOT/sys. `path` is
 * absolute and without symbolic links. */
void stack_of(const char *path, const char *root, struct io_stack *s);

#endif
