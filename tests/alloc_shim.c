/* LD_PRELOAD: counts what a program allocates. At its end the number of calls is
 * written, as eight bytes, to ALLOC_FILE.<process id> in its working directory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic int64_t calls;

/* What dlsym itself asks for, before the real functions are known. */
static char early[4096];
static size_t early_used;

static void *early_alloc(size_t bytes)
{
    size_t at = early_used;
    early_used += (bytes + 15) & ~(size_t)15;
    return early_used <= sizeof early ? early + at : NULL;
}

static int is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

#define REAL(name)                                                                     \
    if (!real)                                                                         \
    *(void **)&real = dlsym(RTLD_NEXT, name)

void *malloc(size_t bytes)
{
    static void *(*real)(size_t);
    REAL("malloc");
    calls++;
    return real ? real(bytes) : early_alloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    static int looking;
    calls++;
    if (!real && !looking) {
        looking = 1;
        REAL("calloc");
        looking = 0;
    }
    return real ? real(n, bytes) : early_alloc(n * bytes);
}

void *realloc(void *p, size_t bytes)
{
    static void *(*real)(void *, size_t);
    REAL("realloc");
    calls++;
    if (!is_early(p))
        return real(p, bytes);
    void *to = malloc(bytes);
    if (to)
        memcpy(to, p, bytes);
    return to;
}

int posix_memalign(void **p, size_t align, size_t bytes)
{
    static int (*real)(void **, size_t, size_t);
    REAL("posix_memalign");
    calls++;
    return real(p, align, bytes);
}

void free(void *p)
{
    static void (*real)(void *);
    REAL("free");
    if (!is_early(p))
        real(p);
}

__attribute__((destructor)) static void tell(void)
{
    char path[256];
    const char *name = getenv("ALLOC_FILE");
    int64_t n = calls;
    if (!name)
        return;
    snprintf(path, sizeof path, "%s.%ld", name, (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return;
    if (write(fd, &n, sizeof n) < 0)
        unlink(path);
    close(fd);
}
