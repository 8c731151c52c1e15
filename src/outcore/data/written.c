#include "outcore/data/written.h"
#include "base/err.h"
#include "base/format/crc.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void written_add(uint32_t *which, int64_t at, const void *data, int64_t n)
{
    const char *from = data;
    for (int64_t some; n; at += some, from += some, n -= some) {
        some = WRITTEN_BLOCK - at % WRITTEN_BLOCK;
        some = some < n ? some : n;
        uint32_t sum = crc32c_more(0, from, some);
        sum = crc32c_zeros(sum, WRITTEN_BLOCK - at % WRITTEN_BLOCK - some);
        __atomic_fetch_xor(&which[at / WRITTEN_BLOCK], sum, __ATOMIC_RELAXED);
    }
}

static uint32_t *more_sums(uint32_t *sum, int64_t had, int64_t blocks)
{
    uint32_t *more = realloc(sum, (size_t)blocks * sizeof *more);
    if (more)
        memset(more + had, 0, (size_t)(blocks - had) * sizeof *more);
    return more;
}

int written_room(struct written *s, int64_t bytes)
{
    int64_t blocks = units_div_up(bytes, WRITTEN_BLOCK);
    if (blocks <= s->blocks)
        return 0;
    blocks = blocks < 2 * s->blocks ? 2 * s->blocks : blocks;
    uint32_t *written = more_sums(s->written, s->blocks, blocks);
    s->written = written ? written : s->written;
    uint32_t *read = more_sums(s->read, s->blocks, blocks);
    s->read = read ? read : s->read;
    uint32_t *all = more_sums(s->all, s->blocks, blocks);
    s->all = all ? all : s->all;
    if (!written || !read || !all)
        return err_set(-ENOMEM, NULL, -1, "no memory for the sums of %lld bytes",
                       (long long)bytes);
    s->blocks = blocks;
    return 0;
}

void written_free(struct written *s)
{
    free(s->written);
    free(s->read);
    free(s->all);
    *s = (struct written){.blocks = 0};
}

void written_clear(const struct written *s, uint32_t *which)
{
    if (s->blocks)
        memset(which, 0, (size_t)s->blocks * sizeof *which);
}

int64_t written_differ(const struct written *s, const uint32_t *read)
{
    for (int64_t b = 0; b < s->blocks; b++)
        if (s->written[b] != read[b])
            return b * WRITTEN_BLOCK;
    return -1;
}
