#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 }; /* on most systems; another size does no harm */

static int64_t rounded_up(int64_t bytes)
{
    return units_round_up(bytes > 0 ? bytes : 1, BUF_ALIGN);
}

static int buf_aligned(void **buf, int64_t bytes, int64_t align, const char *what)
{
    int64_t rounded = rounded_up(bytes);
    *buf = NULL;
    if (!posix_memalign(buf, (size_t)align, (size_t)rounded))
        return 0;
    *buf = NULL;
    return mem_none(NULL, rounded, what);
}

int buf_reserve(void **buf, int64_t bytes, const char *what)
{
    return buf_aligned(buf, bytes, BUF_ALIGN, what);
}

int buf_reserve_huge(void **buf, int64_t bytes, const char *what)
{
    int64_t huge = bytes / HUGE_PAGE * HUGE_PAGE;
    int rc = buf_aligned(buf, bytes, huge ? HUGE_PAGE : BUF_ALIGN, what);
    if (!rc && huge)
        madvise(*buf, (size_t)huge, MADV_HUGEPAGE); /* only advice */
    return rc;
}

int buf_alloc(void **buf, int64_t bytes, const char *what)
{
    int rc = buf_reserve(buf, bytes, what);
    if (!rc)
        memset(*buf, 0, (size_t)rounded_up(bytes));
    return rc;
}

void buf_free(void *buf)
{
    free(buf);
}

void buf_poison(void *buf, int64_t bytes)
{
    memset(buf, 0xa5, (size_t)bytes);
}
