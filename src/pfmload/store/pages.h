/* Small pieces of a file, read and written anywhere, through a window of large pages:
 * what is used again soon is in memory, and requests are for pages. With no pages each
 * piece is a request of its own, as in the loader of 1998. */
#ifndef PFMLOAD_STORE_PAGES_H
#define PFMLOAD_STORE_PAGES_H

#include "run/run.h"

enum { PAGES_PAGE = 256 << 10 };

struct pages;

/* Local. A window of `memory` bytes (0: none) on an open file which has `bytes`
 * bytes so far. The file is for requests of PAGES_PAGE, one at a time. Returns 0 or
 * -ENOMEM with a sentence. */
int pages_open(struct pages **p, struct run_file *file, int64_t bytes, int64_t memory);

/* Local. Copies `n` <= PAGES_PAGE bytes at `offset` out of and into the file. A failure
 * is kept in the run, as always. What is written past the end makes the file longer;
 * past the end are zeros. */
void pages_get(struct pages *p, int64_t offset, int64_t n, void *to);
void pages_put(struct pages *p, int64_t offset, int64_t n, const void *from);

void pages_flush(
    struct pages *p); /* Local. Writes what is not written; NULL is fine. */
void pages_close(struct pages **p); /* Local. Frees; writes nothing. NULL is fine. */

#endif
