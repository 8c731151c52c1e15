/* Finds descriptors in a stream of offsets.
 *
 * A series is a row of equal patterns at a constant distance. A complete series is a
 * pattern for the series one level up; patterns that leave the topmost level are
 * reported. */
#include "algebra/descriptor.h"
#include "base/err.h"
#include <errno.h>
#include <string.h>

/* True if they differ by their starts at most. */
static bool same_shape(const struct ldad *a, const struct ldad *b)
{
    return a->size == b->size && a->levels == b->levels &&
           !memcmp(a->level, b->level, (size_t)a->levels * sizeof a->level[0]);
}

static bool can_grow(const struct ldad_series *s, int64_t jump)
{
    int64_t number;
    return !__builtin_mul_overflow(s->count + 1, jump, &number) &&
           !__builtin_mul_overflow(s->count + 1, ldad_bytes(&s->one), &number);
}

static int find_add(struct ldad_finder *f, int k, const struct ldad *d,
                    int64_t repeats);

/* Hands the first `count` of a series to the level above. */
static int hand_up(struct ldad_finder *f, int k, int64_t count)
{
    struct ldad_series *s = &f->series[k];
    struct ldad d = s->one;
    int rc = count > 1 ? ldad_repeat(&d, count, s->stride) : 0;
    rc = rc ? rc : find_add(f, k + 1, &d, s->repeats);
    s->one.start += count * s->stride;
    s->count -= count;
    return rc;
}

static bool continue_series(struct ldad_series *s, int k, const struct ldad *d,
                            int64_t repeats)
{
    int64_t jump = d->start - (s->one.start + (s->count - 1) * s->stride);
    if (!same_shape(&s->one, d))
        return false;
    if (jump == 0 && k > 0 && s->count == 1) {
        s->repeats += repeats;
        return true;
    }
    if (jump == 0 || repeats > 1 || s->repeats > 1 ||
        (s->count > 1 && jump != s->stride) || !can_grow(s, jump))
        return false;
    s->stride = jump;
    s->count++;
    return true;
}

/* Adds a pattern to a series. Two chunks may not be a series yet: the first may be the
 * rest of something, and the second the beginning of something else. */
static int find_add(struct ldad_finder *f, int k, const struct ldad *d, int64_t repeats)
{
    if (k == LDAD_FIND_LEVELS)
        return f->found(f->arg, d, repeats);
    struct ldad_series *s = &f->series[k];
    int rc = 0;
    while (s->count && !rc) {
        if (continue_series(s, k, d, repeats))
            return 0;
        bool split = k == 0 && s->count == 2 && same_shape(&s->one, d);
        rc = hand_up(f, k, split ? 1 : s->count);
    }
    *s = (struct ldad_series){*d, 0, 1, repeats};
    return rc;
}

static int end_chunk(struct ldad_finder *f)
{
    struct ldad d = {.start = f->at, .size = f->end - f->at};
    f->at = f->end;
    return d.size ? find_add(f, 0, &d, 1) : 0;
}

static int transfer_end(int64_t offset, int64_t bytes, int64_t *end)
{
    if (__builtin_add_overflow(offset, bytes, end))
        return err_set(-EOVERFLOW, NULL, offset,
                       "a transfer of %lld bytes ends beyond 2^63", (long long)bytes);
    return 0;
}

int ldad_finder_call(struct ldad_finder *f, int64_t offset, int64_t bytes)
{
    int64_t end;
    int rc = transfer_end(offset, bytes, &end);
    struct ldad d = {.start = offset, .size = bytes};
    return rc ? rc : find_add(f, 0, &d, 1);
}

int ldad_finder_add(struct ldad_finder *f, int64_t offset, int64_t bytes)
{
    int64_t end;
    if (transfer_end(offset, bytes, &end))
        return -EOVERFLOW;
    if (offset == f->end && f->end > f->at) {
        f->end = end;
        return 0;
    }
    int rc = end_chunk(f);
    f->at = offset;
    f->end = end;
    return rc;
}

int ldad_finder_end(struct ldad_finder *f)
{
    int rc = end_chunk(f);
    for (int k = 0; k < LDAD_FIND_LEVELS && !rc; k++)
        if (f->series[k].count)
            rc = hand_up(f, k, f->series[k].count);
    return rc;
}
