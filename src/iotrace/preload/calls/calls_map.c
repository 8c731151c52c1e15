/* Mapped files: the mapping is an event; reads and writes through memory are not
 * seen. */
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include "iotrace/preload/uring.h"
#include <stdarg.h>

enum { MAPS = 1024 };

/* Mappings of files. Others belong to malloc and are not recorded. */
static struct map {
    uintptr_t at; /* 0: free */
    size_t bytes;
    uint32_t file;
} maps[MAPS];

static unsigned top; /* places ever taken */
/* some are not in the table: any other mapping may be one of a file */
static bool overflowed;

/* Forgets numbers of names, which differ in a child. */
static void map_forget_names(void)
{
    for (unsigned i = 0; i < top; i++)
        maps[i].file = 0;
}

static void remember(void *at, size_t bytes, uint32_t file)
{
    names_kept(map_forget_names);
    for (unsigned i = 0; i < MAPS; i++) {
        uintptr_t none = 0;
        if (!__atomic_compare_exchange_n(&maps[i].at, &none, (uintptr_t)at, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        maps[i].bytes = bytes;
        maps[i].file = file;
        unsigned was = __atomic_load_n(&top, __ATOMIC_RELAXED);
        while (i >= was &&
               !__atomic_compare_exchange_n(&top, &was, i + 1, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
            ;
        return;
    }
    overflowed = true;
}

static struct map *calls_map_find(const void *at)
{
    uintptr_t p = (uintptr_t)at;
    for (unsigned i = 0; i < __atomic_load_n(&top, __ATOMIC_ACQUIRE); i++)
        if (maps[i].at && p >= maps[i].at && p - maps[i].at < maps[i].bytes)
            return &maps[i];
    return NULL;
}

static struct event event_at(const void *at)
{
    const struct map *m = calls_map_find(at);
    struct event e = event_now();
    e.file = m ? m->file : overflowed ? 0 : FILE_HIDDEN;
    return e;
}

static void *map_ring(void *at, size_t n, int prot, int flags, int fd, off_t offset);

WRAP(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t offset))
{
    if (flags & MAP_ANONYMOUS || fd < 0)
        return REAL(mmap)(at, n, prot, flags, fd, offset);
    if (uring_any_by_calls() && uring_find(uring_key(fd)))
        return map_ring(at, n, prot, flags, fd, offset);
    struct event e = event_on(fd);
    void *p = REAL(mmap)(at, n, prot, flags, fd, offset);
    if (p != MAP_FAILED && is_logged(&e)) {
        event_over(&e);
        remember(p, n, e.file);
    }
    event_put(&e, OP_MMAP, offset, (int64_t)n,
              p == MAP_FAILED ? -errno : (int64_t)(intptr_t)p);
    return p;
}
ALIAS(mmap64, mmap);
ALIAS(__mmap, mmap);

/* Maps memory that belongs to no file, but perhaps to a ring. */
static void *map_ring(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    void *p = REAL(mmap)(at, n, prot, flags, fd, offset);
    if (p != MAP_FAILED)
        uring_mapped(fd, (uint64_t)offset, p);
    return p;
}

WRAP(int, munmap, (void *at, size_t n))
{
    if (uring_any_by_calls())
        uring_unmapped(at);
    struct event e = event_at(at);
    struct map *m = calls_map_find(at);
    if (m && (uintptr_t)at == m->at && n >= m->bytes)
        __atomic_store_n(&m->at, 0, __ATOMIC_RELEASE);
    return (int)event_moved(&e, OP_MUNMAP, -1, n, REAL(munmap)(at, n));
}
ALIAS(__munmap, munmap);

WRAP(void *, mremap, (void *old, size_t old_n, size_t n, int flags, ...))
{
    va_list rest;
    va_start(rest, flags);
    void *want = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    struct event e = event_at(old);
    struct map *m = calls_map_find(old);
    void *p = REAL(mremap)(old, old_n, n, flags, want);
    if (p != MAP_FAILED && m && (uintptr_t)old == m->at) {
        m->bytes = n;
        __atomic_store_n(&m->at, (uintptr_t)p, __ATOMIC_RELEASE);
    }
    event_put(&e, OP_MREMAP, -1, (int64_t)n,
              p == MAP_FAILED ? -errno : (int64_t)(intptr_t)p);
    return p;
}

WRAP(int, msync, (void *at, size_t n, int flags))
{
    struct event e = event_at(at);
    return (int)event_moved(&e, OP_MSYNC, -1, n, REAL(msync)(at, n, flags));
}

WRAP(int, madvise, (void *at, size_t n, int advice))
{
    struct event e = event_at(at);
    return (int)event_moved(&e, OP_MADVISE, -1, n, REAL(madvise)(at, n, advice));
}
