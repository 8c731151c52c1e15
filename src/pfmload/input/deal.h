/* Deals pieces of work to ranks by size. */
#ifndef PFMLOAD_INPUT_DEAL_H
#define PFMLOAD_INPUT_DEAL_H

#include "pfmload/input/list.h"
#include <stdint.h>

enum { DEAL_NOBODY = -1 };

/* Local, and the same on every rank. Deals n pieces of `bytes` each to `ranks`: the
 * longest first, each to the rank with the least so far, the first of equals.
 * rank_of[i] becomes the rank of piece i; DEAL_NOBODY if bytes[i] is that. Returns 0,
 * or -ENOMEM with a sentence. */
int deal(const int64_t *bytes, int64_t n, int ranks, int *rank_of);

/* ---- copies ---------------------------------------------------------------------- */

/* Finds copies of an input file under another name: their soundings would
 * count twice. */

/* Local. Looks for files with the same content: heads and tails of files of equal size
 * are hashed, and equal ones are compared from end to end. Files that cannot be read
 * are skipped, as the load reports them. Returns 0, or -errno with a sentence: -EEXIST
 * if there are copies, no memory. */
int copies_check(const struct list *l);

#endif
