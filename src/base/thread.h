/* Internal threads, which the program does not know of; and memory that one of them
 * writes while others run. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Local. Starts a thread with all signals blocked, for they are meant for the program's
 * first thread; except those that its own instructions raise (SIGBUS ...). stack_bytes
 * 0: the default. Returns 0, or -errno without a sentence. */
int thread_start(pthread_t *thread, size_t stack_bytes, void *(*body)(void *),
                 void *context);

/* Local. Allocates zeroed bytes that share no cache line with others; for free(). If
 * threads write next to each other, each write takes the line from the other's core.
 * NULL: there is no memory, with a sentence as in base/mem.h. */
void *thread_alloc(size_t bytes, const char *what);

#endif
