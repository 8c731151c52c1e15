/* Threads of the suite's own, beside those that a program knows of; and memory that
 * one of them writes while others go on. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Local. Starts a thread with all signals blocked, for they are for the thread that the
 * program began with; but not those that its own instructions raise (SIGBUS ...).
 * stack_bytes 0: as much as usual. 0, or -errno without a sentence. */
int thread_start(pthread_t *thread, size_t stack_bytes, void *(*body)(void *),
                 void *context);

/* Local. Zeroed bytes that share no cache line with others; for free(). Where threads
 * write next to each other, each write takes the line from the other's core. NULL: no
 * memory. */
void *thread_alloc(size_t bytes);

#endif
