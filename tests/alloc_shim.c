/* LD_PRELOAD: counts a program's allocations. At its end it writes the number of calls,
 * as eight bytes, to ALLOC_FILE.<process id> in its working directory.
 *
 *   ALLOC_FAIL=K   the K-th allocation (1..) that the program itself makes fails, and
 *                  none of those that libraries make
 *   ALLOC_RANK=N   on that rank of the launcher's only
 *
 * If ALLOC_FAIL is set, the number in ALLOC_FILE counts the program's own calls; the
 * exit status is the program's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic int64_t calls, own;
static int64_t fails; /* number of the program's own call that fails; 0: none */
static bool counts_own;
static uintptr_t first, last; /* address range of the program */

/* The program comes first in the list. */
static int look(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        first = at;
        last = at + p->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void set_up(void)
{
    const char *k = getenv("ALLOC_FAIL"), *wanted = getenv("ALLOC_RANK"), *rank;
    rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    counts_own = k != NULL;
    if (!k || (wanted && (!rank || strcmp(rank, wanted))))
        return;
    dl_iterate_phdr(look, NULL);
    fails = atoll(k);
}

/* True if a call that returns to `to` is the one that fails. */
static bool is_due(const void *to)
{
    uintptr_t at = (uintptr_t)to;
    calls++;
    if (at < first || at >= last || ++own != fails)
        return false;
    errno = ENOMEM;
    return true;
}

#define FROM __builtin_return_address(0)

/* Memory for dlsym's own requests, before the real functions are known. */
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
    if (is_due(FROM))
        return NULL;
    return real ? real(bytes) : early_alloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    static int looking;
    if (is_due(FROM))
        return NULL;
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
    if (is_due(FROM))
        return NULL;
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
    if (is_due(FROM))
        return ENOMEM;
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
    int64_t n = counts_own ? own : calls;
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
