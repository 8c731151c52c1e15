/* Memory for structures and arrays. If there is none, the sentence is recorded here:
 * "no memory for WHAT (N bytes)". A caller returns -ENOMEM, or its own verdict.
 *
 * Two kinds of memory are elsewhere: aligned buffers for transfers (base/buf.h), and
 * memory that one of several threads writes (base/thread.h). Memory that a run can do
 * without comes from malloc, which records nothing. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/mem.h"
#include <stddef.h>
#include <stdint.h>

/* Local. Allocates `n` elements of `size` bytes, all 0, for free(). n = 0 is room for
 * one. Returns NULL with a sentence if there is no memory, if n is negative, or if the
 * bytes are more than can be counted. `what` is a noun: "lanes". */
void *mem_new(int64_t n, size_t size, const char *what);

/* Local. As mem_new, for work on `file`, which the message names. */
void *mem_of(const char *file, int64_t n, size_t size, const char *what);

/* Local. Makes room for `n` elements in `old` (NULL: none so far), perhaps at another
 * place. Further elements are not set. NULL: `old` stays as it is, and there is a
 * sentence unless `what` is NULL. */
void *mem_grow(void *old, int64_t n, size_t size, const char *what);

/* Local. Makes room in the array *array for one more element than `n`: doubles it and
 * *room, its elements, if it is full. Further elements are not set. Returns 0, or
 * -ENOMEM with a sentence: both stay as they are. */
int mem_room(void *array, int64_t n, int64_t *room, size_t size, const char *what);

/* Local. Copies a text. NULL: there is no memory, with a sentence. */
char *mem_text(const char *text, const char *what);

/* Local. Records that there is no memory for `bytes` (0: their number is not known)
 * which another library or function did not get. `file` may be NULL. Returns
 * -ENOMEM. */
int mem_none(const char *file, int64_t bytes, const char *what);

/* Local. The bytes of n elements; -1: n is negative, or they are too many. */
int64_t mem_bytes(int64_t n, size_t size);

#endif
