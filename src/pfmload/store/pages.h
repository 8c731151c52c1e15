/* Reads and writes small pieces of a file anywhere, through a cache of large pages,
 * which are the units of requests. Without pages each piece is a request of its own, as
 * in the loader of 1998. */
#ifndef PFMLOAD_STORE_PAGES_H
#define PFMLOAD_STORE_PAGES_H

#include "run/run.h"

enum { PAGES_PAGE = 256 << 10 };

struct pages;

/* Local. Opens a cache of `memory` bytes (0: none) on an open file of `bytes` bytes.
 * The file must allow requests of PAGES_PAGE, one at a time. Returns 0, or -ENOMEM with
 * a sentence. */
int pages_open(struct pages **p, struct run_file *file, int64_t bytes, int64_t memory);

/* Local. Copy `n` <= PAGES_PAGE bytes at `offset` from and to the file. A failure is
 * kept in the run. Writing past the end extends the file; reading there gives zeros. */
void pages_get(struct pages *p, int64_t offset, int64_t n, void *to);
void pages_put(struct pages *p, int64_t offset, int64_t n, const void *from);

void pages_flush(struct pages *p);  /* Local. Writes changed pages; may be NULL. */
void pages_close(struct pages **p); /* Local. Frees; writes nothing. May be NULL. */

#endif
