#include "base/thread.h"
#include "base/mem.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 128
}; /* bytes: a cache line of any processor, and lines that are fetched in pairs */

/* Signals that a thread's own instructions raise: if blocked, they end the process. */
static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};

int thread_start(pthread_t *thread, size_t stack_bytes, void *(*body)(void *),
                 void *context)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (stack_bytes)
        pthread_attr_setstacksize(&attr, stack_bytes);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(thread, &attr, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return -rc;
}

void *thread_alloc(size_t bytes, const char *what)
{
    size_t whole = (bytes + LINES - 1) / LINES * LINES;
    void *p = NULL;
    if (whole >= bytes && !posix_memalign(&p, LINES, whole))
        return memset(p, 0, whole);
    mem_none(NULL, (int64_t)bytes, what);
    return NULL;
}
