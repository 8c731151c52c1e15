/* Preloaded by bench/text.py: each opening of a file with $SLOW_NAMES in its name (not
 * its folder) first sleeps for $SLOW_US, as one over a network waits for its answer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

typedef int open_call(int folder, const char *name, int flags, ...);

static int slowly(const char *call, int folder, const char *name, int flags,
                  mode_t mode)
{
    const char *us = getenv("SLOW_US"), *names = getenv("SLOW_NAMES");
    long ns = us ? atol(us) * 1000 : 0;
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    open_call *real = (open_call *)dlsym(RTLD_NEXT, call);
    prctl(PR_SET_TIMERSLACK, 1); /* else it sleeps 50 us longer */
    if (ns && names && strstr(name, names))
        nanosleep(&t, NULL);
    return real(folder, name, flags, mode);
}

#define SLOW(call)                                                                     \
    int call(int folder, const char *name, int flags, ...)                             \
    {                                                                                  \
        va_list ap;                                                                    \
        va_start(ap, flags);                                                           \
        mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;                        \
        va_end(ap);                                                                    \
        return slowly(#call, folder, name, flags, mode);                               \
    }

SLOW(openat)
SLOW(openat64)

/* What the others are where the compiler knows that no mode is needed. */
#define SLOW_CHECKED(call, plain)                                                      \
    int call(int folder, const char *name, int flags);                                 \
    int call(int folder, const char *name, int flags)                                  \
    {                                                                                  \
        return slowly(#plain, folder, name, flags, 0);                                 \
    }

SLOW_CHECKED(__openat_2, openat)
SLOW_CHECKED(__openat64_2, openat64)
