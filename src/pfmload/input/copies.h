/* Finds copies of an input file under another name: their soundings would
 * count twice. */
#ifndef PFMLOAD_INPUT_COPIES_H
#define PFMLOAD_INPUT_COPIES_H

#include "pfmload/input/list.h"

/* Local. Looks for files with the same content: heads and tails of files of equal size
 * are hashed, and equal ones are compared from end to end. Files that cannot be read
 * are skipped, as the load reports them. Returns 0, or -errno with a sentence: -EEXIST
 * if there are copies, no memory. */
int copies_check(const struct list *l);

#endif
