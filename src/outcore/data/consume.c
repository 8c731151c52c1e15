#include "outcore/data/consume.h"
#include "base/err.h"
#include "base/format/crc.h"
#include "base/mem.h"
#include "base/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what was written ------------------------------------------------------------ */

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
    uint32_t *more = mem_grow(sum, blocks, sizeof *more, "the sums of the data");
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
        return -ENOMEM;
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

/* ---- what is read ---------------------------------------------------------------- */

static const int64_t sleep_most_us = INT64_C(3600) * 1000000;

int consume_parse(struct consume *c, const char *text)
{
    static const char *const names[] = {"none", "checksum", "copy"};
    *c = (struct consume){.how = CONSUME_NONE};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            c->how = (enum consume_how)i;
            return 0;
        }
    c->how = CONSUME_SLEEP;
    if (!strncmp(text, "sleep:", 6) && !units_parse_int(text + 6, &c->sleep_us) &&
        c->sleep_us >= 0 && c->sleep_us <= sleep_most_us)
        return 0;
    return err_usage("--consume=%s is not checksum, copy, none or sleep:US, with "
                     "microseconds up to an hour",
                     text);
}

uint64_t consume_sum(const void *buf, int64_t bytes)
{
    const char *at = buf;
    uint64_t sum = 0, word;
    int64_t whole = bytes / 8 * 8;
    for (int64_t i = 0; i < whole; i += 8) {
        memcpy(&word, at + i, 8);
        sum += word;
    }
    word = 0;
    memcpy(&word, at + whole, (size_t)(bytes - whole));
    return sum + word;
}

/* Sleeps; a part of a set takes its share. */
static void sleep_for(int64_t us, double share)
{
    int64_t ns = (int64_t)((double)us * 1e3 * share);
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    while (ns > 0 && nanosleep(&t, &t) && errno == EINTR)
        ;
}

uint64_t consume(const struct consume *c, const void *buf, int64_t bytes,
                 int64_t set_bytes, void *copy)
{
    if (c->how == CONSUME_CHECKSUM)
        return consume_sum(buf, bytes);
    if (c->how == CONSUME_COPY)
        memcpy(copy, buf, (size_t)bytes);
    if (c->how == CONSUME_SLEEP)
        sleep_for(c->sleep_us, (double)bytes / (double)set_bytes);
    return 0;
}
