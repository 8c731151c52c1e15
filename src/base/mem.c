#include "base/mem.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int64_t mem_bytes(int64_t n, size_t size)
{
    int64_t bytes;
    return n < 0 || __builtin_mul_overflow(n, size, &bytes) ? -1 : bytes;
}

/* Records that n elements have no memory. */
static void *none_of(const char *file, int64_t n, size_t size, const char *what)
{
    if (!what)
        return NULL;
    if (mem_bytes(n, size) < 0)
        err_set(-ENOMEM, file, -1, "no memory for %s (%lld times %zu bytes)", what,
                (long long)n, size);
    else
        mem_none(file, mem_bytes(n, size), what);
    return NULL;
}

int mem_none(const char *file, int64_t bytes, const char *what)
{
    if (!bytes)
        return err_set(-ENOMEM, file, -1, "no memory for %s", what);
    return err_set(-ENOMEM, file, -1, "no memory for %s (%lld byte%s)", what,
                   (long long)bytes, units_s(bytes));
}

void *mem_of(const char *file, int64_t n, size_t size, const char *what)
{
    void *p = mem_bytes(n, size) < 0 ? NULL : calloc(n ? (size_t)n : 1, size);
    return p ? p : none_of(file, n, size, what);
}

void *mem_new(int64_t n, size_t size, const char *what)
{
    return mem_of(NULL, n, size, what);
}

void *mem_grow(void *old, int64_t n, size_t size, const char *what)
{
    int64_t bytes = mem_bytes(n, size);
    void *p = bytes < 0 ? NULL : realloc(old, bytes ? (size_t)bytes : 1);
    return p ? p : none_of(NULL, n, size, what);
}

/* The array's pointer may be of any type: it is copied. */
int mem_room(void *array, int64_t n, int64_t *room, size_t size, const char *what)
{
    void *old, *more;
    int64_t most = *room ? 2 * *room : 16;
    if (n < *room)
        return 0;
    memcpy(&old, array, sizeof old);
    if (!(more = mem_grow(old, most, size, what)))
        return -ENOMEM;
    memcpy(array, &more, sizeof more);
    *room = most;
    return 0;
}

char *mem_text(const char *text, const char *what)
{
    size_t bytes = strlen(text) + 1;
    char *copy = mem_grow(NULL, (int64_t)bytes, 1, what);
    return copy ? memcpy(copy, text, bytes) : NULL;
}
