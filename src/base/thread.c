#include "base/thread.h"
#include <signal.h>

/* What a thread's own instructions raise is handled where it is raised: blocked there,
 * it ends the process. */
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
