/* Copies of an input file under another name: their soundings would count twice. */
#ifndef PFMLOAD_INPUT_COPIES_H
#define PFMLOAD_INPUT_COPIES_H

#include "pfmload/input/list.h"

/* Local. Looks for files with the same content: heads and tails of those of one size
 * are hashed, and what is alike there is compared from end to end. Files that cannot be
 * read are passed over, as whoever loads them says so. Returns 0, or -errno with a
 * sentence: -EEXIST where there are two, no memory. */
int copies_check(const struct list *l);

#endif
