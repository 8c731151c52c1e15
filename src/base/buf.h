/* Page-aligned buffers, allocated once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdint.h>

#define BUF_ALIGN 4096

/* Local. `bytes` (rounded up to BUF_ALIGN; at least one page) of touched memory in
 * *buf, freed by buf_free, so that running out of memory shows before anything is
 * measured. Returns 0 or -ENOMEM with a sentence. */
int buf_alloc(void **buf, int64_t bytes, const char *what);

/* Local. The same, untouched: for what may need much less. The system gives the memory
 * as it is used. */
int buf_reserve(void **buf, int64_t bytes, const char *what);

/* Local. The same, in huge pages where the system has them and it is more than one: for
 * what is gone through in any order. */
int buf_reserve_huge(void **buf, int64_t bytes, const char *what);
void buf_free(void *buf);

/* Local. Fills `bytes` at `buf` with a pattern no stamp produces, so that a read
 * that delivers nothing cannot pass for one that did. */
void buf_poison(void *buf, int64_t bytes);

#endif
