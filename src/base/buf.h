/* Page-aligned buffers, allocated once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdint.h>

#define BUF_ALIGN 4096

/* Local. Allocates `bytes` (rounded up to BUF_ALIGN; at least one page) in *buf, freed
 * by buf_free. All pages are touched, so that running out of memory shows before
 * anything is measured. Returns 0, or -ENOMEM with a sentence. */
int buf_alloc(void **buf, int64_t bytes, const char *what);

/* Local. The same without touching pages, for buffers of which perhaps little is used:
 * the system allocates memory on first use. */
int buf_reserve(void **buf, int64_t bytes, const char *what);

/* Local. The same in huge pages, if the system has them and the buffer exceeds one: for
 * random access. */
int buf_reserve_huge(void **buf, int64_t bytes, const char *what);
void buf_free(void *buf);

/* Local. Fills `bytes` at `buf` with a pattern that no stamp produces, so that a read
 * that delivers nothing is detected. */
void buf_poison(void *buf, int64_t bytes);

#endif
