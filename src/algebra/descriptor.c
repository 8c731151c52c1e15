/* Arithmetic of one descriptor. */
#include "algebra/descriptor.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

static int overflow(void)
{
    err_usage("an access pattern reaches beyond 2^63 - 1 bytes: take fewer or smaller "
              "chunks");
    return -EOVERFLOW;
}

static bool good_level(const struct ldad_level *l)
{
    return l->stride && l->stride != INT64_MIN && l->span != INT64_MIN &&
           l->span % l->stride == 0 && l->span / l->stride >= 1;
}

int ldad_check(const struct ldad *d)
{
    if (d->size < 1 || d->levels < 0 || d->levels > LDAD_LEVELS)
        return err_usage("an access pattern needs chunks of at least one byte, and no "
                         "more than %d levels",
                         LDAD_LEVELS);
    int64_t low = d->start, high, bytes = d->size;
    if (__builtin_add_overflow(d->start, d->size, &high))
        return overflow();
    for (int i = 0; i < d->levels; i++) {
        const struct ldad_level *l = &d->level[i];
        if (!good_level(l))
            return err_usage("a span of %lld is not one or more strides of %lld",
                             (long long)l->span, (long long)l->stride);
        int64_t reach = l->span - l->stride, *end = reach < 0 ? &low : &high;
        if (__builtin_add_overflow(*end, reach, end) ||
            __builtin_mul_overflow(bytes, ldad_count(l), &bytes))
            return overflow();
    }
    if (low < 0)
        return err_usage("an access pattern begins at %lld, before the file",
                         (long long)low);
    return 0;
}

int ldad_repeat(struct ldad *d, int64_t count, int64_t stride)
{
    struct ldad out = *d;
    int64_t span;
    if (d->levels == LDAD_LEVELS)
        return err_usage("an access pattern of more than %d levels", LDAD_LEVELS);
    if (__builtin_mul_overflow(count, stride, &span))
        return overflow();
    memmove(&out.level[1], &out.level[0], (size_t)d->levels * sizeof out.level[0]);
    out.level[0] = (struct ldad_level){span, stride};
    out.levels++;
    int rc = ldad_check(&out);
    if (!rc)
        *d = out;
    return rc;
}

int64_t ldad_low(const struct ldad *d)
{
    int64_t low = d->start;
    for (int i = 0; i < d->levels; i++)
        if (d->level[i].stride < 0)
            low += d->level[i].span - d->level[i].stride;
    return low;
}

int64_t ldad_high(const struct ldad *d)
{
    int64_t high = d->start + d->size;
    for (int i = 0; i < d->levels; i++)
        if (d->level[i].stride > 0)
            high += d->level[i].span - d->level[i].stride;
    return high;
}

int64_t ldad_chunks(const struct ldad *d)
{
    int64_t chunks = 1;
    for (int i = 0; i < d->levels; i++)
        chunks *= ldad_count(&d->level[i]);
    return chunks;
}

int64_t ldad_bytes(const struct ldad *d)
{
    return ldad_chunks(d) * d->size;
}

int64_t ldad_chunk(const struct ldad *d, int64_t i)
{
    int64_t at = d->start;
    for (int k = d->levels - 1; k >= 0; k--) {
        int64_t count = ldad_count(&d->level[k]);
        at += i % count * d->level[k].stride;
        i /= count;
    }
    return at;
}

bool ldad_same(const struct ldad *a, const struct ldad *b)
{
    if (a->start != b->start || a->size != b->size || a->levels != b->levels)
        return false;
    for (int i = 0; i < a->levels; i++)
        if (a->level[i].span != b->level[i].span ||
            a->level[i].stride != b->level[i].stride)
            return false;
    return true;
}

/* ---- the normal form ------------------------------------------------------- */

/* Keeps the levels that repeat, makes their strides positive, and sorts them by falling
 * stride. */
static void sort_levels(struct ldad *d)
{
    int n = 0;
    d->start = ldad_low(d);
    for (int i = 0; i < d->levels; i++) {
        struct ldad_level l = d->level[i];
        if (l.stride < 0)
            l = (struct ldad_level){-l.span, -l.stride};
        if (l.span == l.stride)
            continue;
        int k = n++;
        for (; k > 0 && d->level[k - 1].stride < l.stride; k--)
            d->level[k] = d->level[k - 1];
        d->level[k] = l;
    }
    d->levels = n;
}

/* Joins a level with the next inner one if it goes on where that one ends, and
 * innermost chunks that touch. */
static void join_levels(struct ldad *d)
{
    struct ldad_level in[LDAD_LEVELS];
    int n = d->levels;
    memcpy(in, d->level, sizeof in);
    while (n && in[n - 1].stride == d->size)
        d->size = in[--n].span;
    d->levels = 0;
    for (int i = 0; i < n; i++) {
        struct ldad_level *outer = d->levels ? &d->level[d->levels - 1] : NULL;
        if (outer && outer->stride == in[i].span)
            outer->stride = in[i].stride;
        else
            d->level[d->levels++] = in[i];
    }
}

bool ldad_normal(const struct ldad *d, struct ldad *out)
{
    if (out != d)
        *out = *d;
    sort_levels(out);
    join_levels(out);
    int64_t extent = out->size;
    for (int i = out->levels - 1; i >= 0; i--) {
        const struct ldad_level *l = &out->level[i];
        if (l->stride < extent)
            return false;
        extent += l->span - l->stride;
    }
    return true;
}

/* A digit that the offset makes too large is taken as the last one: all bytes within it
 * are before the offset, too. */
int64_t ldad_before(const struct ldad *d, int64_t offset)
{
    int64_t rest = offset - d->start, each = ldad_bytes(d), before = 0;
    if (offset <= d->start)
        return 0;
    for (int i = 0; i < d->levels; i++) {
        int64_t stride = d->level[i].stride, count = ldad_count(&d->level[i]);
        int64_t digit = rest / stride < count ? rest / stride : count - 1;
        each /= count;
        before += digit * each;
        rest -= digit * stride;
    }
    return before + (rest < d->size ? rest : d->size);
}

int64_t ldad_at(const struct ldad *d, int64_t at)
{
    return ldad_chunk(d, at / d->size) + at % d->size;
}
