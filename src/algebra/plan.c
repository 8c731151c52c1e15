/* Plans: the accesses of all ranks together. */
#include "algebra/descriptor.h"
#include "algebra/set.h"
#include "base/err.h"
#include "base/units.h"
#include <errno.h>

static int overflow(void)
{
    err_usage("what the ranks access reaches beyond 2^63 - 1 bytes: take fewer or "
              "smaller chunks");
    return -EOVERFLOW;
}

/* ---- checking -------------------------------------------------------------- */

static bool moves(const struct ldad_digit *d)
{
    return d->count > 1 && d->step;
}

/* Makes one descriptor of all ranks' chunks, if ranks have digits. Chunks of ranks at
 * the same place count once. Fails only if the plan is not sound. */
static int all_of(const struct ldad_plan *p, struct ldad *all)
{
    int rc = 0;
    *all = p->each;
    for (int i = p->digits - 1; i >= 0 && !rc; i--)
        if (moves(&p->digit[i]))
            rc = ldad_repeat(all, p->digit[i].count, p->digit[i].step);
    return rc;
}

static int check_digits(const struct ldad_plan *p)
{
    struct ldad all;
    int64_t ranks = 1;
    for (int i = 0; i < p->digits; i++)
        if (p->digit[i].count < 1 ||
            __builtin_mul_overflow(ranks, p->digit[i].count, &ranks))
            ranks = 0;
    if (ranks != p->ranks)
        return err_usage("the digits of a plan's ranks do not make %lld rank%s",
                         (long long)p->ranks, units_s(p->ranks));
    return all_of(p, &all);
}

static int check_starts(const struct ldad_plan *p)
{
    struct ldad n;
    int64_t high;
    ldad_normal(&p->each, &n);
    if (p->digits || !ldad_same(&n, &p->each))
        return err_usage("with a table of starts there are no steps, strides are "
                         "positive and fall, and chunks do not touch");
    for (int64_t r = 0; r < p->ranks; r++)
        if (r ? p->starts[r] <= p->starts[r - 1] : p->starts[r] != 0)
            return err_usage("rank %lld starts at %lld of a table in which the first "
                             "must be 0 and each larger than the one before it",
                             (long long)r, (long long)p->starts[r]);
    if (__builtin_add_overflow(ldad_high(&p->each), p->starts[p->ranks - 1], &high))
        return overflow();
    return 0;
}

int ldad_plan_check(const struct ldad_plan *p)
{
    if (p->ranks < 1 || p->digits < 0 || p->digits > LDAD_DIGITS)
        return err_usage("a plan needs at least one rank, and at most %d digits for it",
                         LDAD_DIGITS);
    int rc = ldad_check(&p->each);
    rc = rc ? rc : p->starts ? check_starts(p) : check_digits(p);
    if (!rc && p->end < 1)
        return err_usage("a plan that ends at %lld has no bytes", (long long)p->end);
    return rc;
}

/* ---- making ---------------------------------------------------------------- */

static int make_one_digit(struct ldad_plan *p, int64_t ranks, int64_t step,
                          int64_t start, int64_t bytes, int64_t size)
{
    int64_t end;
    if (__builtin_add_overflow(start, bytes, &end))
        return overflow();
    *p = (struct ldad_plan){.ranks = ranks,
                            .each = {.start = start, .size = size},
                            .digits = 1,
                            .digit = {{ranks, step}},
                            .end = end};
    return 0;
}

int ldad_plan_cyclic(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t chunk)
{
    int64_t stride;
    if (ranks < 1 || bytes < 1 || chunk < 1)
        return err_usage("chunks in turn need at least one rank and one byte");
    if (__builtin_mul_overflow(ranks, chunk, &stride))
        return overflow();
    int rc = make_one_digit(p, ranks, chunk, start, bytes, chunk);
    rc = rc ? rc : ldad_repeat(&p->each, units_div_up(bytes, stride), stride);
    return rc ? rc : ldad_plan_check(p);
}

int ldad_plan_blocks(struct ldad_plan *p, int64_t ranks, int64_t start, int64_t bytes,
                     int64_t unit)
{
    int64_t size;
    if (ranks < 1 || bytes < 1 || unit < 1)
        return err_usage("regions need at least one rank, one unit and one byte");
    int64_t units = units_div_up(units_div_up(bytes, unit), ranks);
    if (__builtin_mul_overflow(units, unit, &size))
        return overflow();
    int rc = make_one_digit(p, ranks, size, start, bytes, size);
    return rc ? rc : ldad_plan_check(p);
}

struct ldad ldad_plan_rank(const struct ldad_plan *p, int64_t r)
{
    struct ldad d = p->each;
    if (p->starts) {
        int64_t gap = r + 1 < p->ranks ? p->starts[r + 1] - p->starts[r] : d.size;
        d.start += p->starts[r];
        d.size = gap < d.size ? gap : d.size;
    }
    for (int i = p->digits - 1; i >= 0; i--) {
        d.start += r % p->digit[i].count * p->digit[i].step;
        r /= p->digit[i].count;
    }
    return d;
}

/* ---- judging --------------------------------------------------------------- */

static int64_t low_of(const struct ldad_plan *p)
{
    struct ldad all;
    all_of(p, &all);
    return ldad_low(&all);
}

static int64_t high_of(const struct ldad_plan *p)
{
    struct ldad all, last = ldad_plan_rank(p, p->ranks - 1);
    all_of(p, &all);
    return ldad_high(p->starts ? &last : &all);
}

/* Reduces repeats, the longest strides first, so that no chunk reaches beyond `end`.
 * Returns the length that chunks have then. */
static int64_t shrink(struct ldad_level *level, int levels, int64_t low, int64_t size,
                      int64_t end)
{
    int64_t over = low + size - end;
    for (int i = 0; i < levels; i++)
        over += level[i].span - level[i].stride;
    while (over > 0) {
        struct ldad_level *most = NULL;
        for (int i = 0; i < levels; i++)
            if (level[i].span > level[i].stride &&
                (!most || level[i].stride > most->stride))
                most = &level[i];
        if (!most)
            return size - over;
        int64_t need = units_div_up(over, most->stride), last = ldad_count(most) - 1;
        int64_t less = (need < last ? need : last) * most->stride;
        most->span -= less;
        over -= less;
    }
    return size;
}

/* Lists the ranks' digits, made forward, then the levels of each rank. Returns the
 * number of the digits, or -1 if several ranks are at one place. */
static int levels_of(const struct ldad_plan *p, const struct ldad *normal,
                     struct ldad_level level[LDAD_LEVELS + LDAD_DIGITS])
{
    int n = 0;
    for (int i = 0; i < p->digits; i++) {
        const struct ldad_digit *d = &p->digit[i];
        int64_t step = d->step < 0 ? -d->step : d->step;
        if (d->count > 1 && !step)
            return -1;
        if (d->count > 1)
            level[n++] = (struct ldad_level){d->count * step, step};
    }
    for (int i = 0; i < normal->levels; i++)
        level[n + i] = normal->level[i];
    return n;
}

/* Tells whether ranks with digits share no byte. Two ranks may share bytes only from
 * the end on, which belong to nobody; so they must also share one if all chunks are cut
 * to lie before the end. */
static enum ldad_answer digits_apart(const struct ldad_plan *p, int64_t end)
{
    struct ldad n;
    struct ldad_level level[LDAD_LEVELS + LDAD_DIGITS];
    ldad_normal(&p->each, &n);
    int ranks = levels_of(p, &n, level), levels = ranks + n.levels;
    if (end <= low_of(p))
        return LDAD_YES;
    if (ranks < 0)
        return ldad_low(&p->each) < end ? LDAD_NO : LDAD_CANNOT_TELL;
    enum ldad_answer answer = ldad_set_apart(level, levels, ranks, n.size);
    if (answer != LDAD_NO || high_of(p) <= end)
        return answer;
    int64_t size = shrink(level, levels, low_of(p), n.size, end);
    return ldad_set_apart(level, levels, ranks, size) == LDAD_NO ? LDAD_NO
                                                                 : LDAD_CANNOT_TELL;
}

/* Tells whether ranks with a table of starts share no byte: it is known if the table
 * fits between two levels, or if two neighbours share a byte. */
static enum ldad_answer starts_apart(const struct ldad_plan *p, int64_t end)
{
    struct ldad_map m;
    if (p->ranks == 1 || ldad_map_fits(&m, p))
        return LDAD_YES;
    for (int64_t r = 0; r < p->ranks; r++) {
        struct ldad a = ldad_plan_rank(p, r), b = ldad_plan_rank(p, (r + 1) % p->ranks);
        if (a.start < end && b.start < end && ldad_disjoint(&a, &b) == LDAD_NO &&
            ldad_high(&a) <= end && ldad_high(&b) <= end)
            return LDAD_NO;
    }
    return LDAD_CANNOT_TELL;
}

static enum ldad_answer plan_apart(const struct ldad_plan *p, int64_t end)
{
    return p->starts ? starts_apart(p, end) : digits_apart(p, end);
}

enum ldad_answer ldad_plan_disjoint(const struct ldad_plan *p)
{
    return plan_apart(p, p->end);
}

/* Returns how many bytes of all ranks are before `offset`, if the plan is a map. */
static int64_t all_before(const struct ldad_map *m, int64_t offset)
{
    struct ldad all;
    int64_t bytes = 0;
    offset = offset < m->plan.end ? offset : m->plan.end;
    if (!m->plan.starts) {
        all_of(&m->plan, &all);
        ldad_normal(&all, &all);
        return ldad_before(&all, offset);
    }
    for (int64_t r = 0; r < m->plan.ranks; r++) {
        struct ldad d = ldad_plan_rank(&m->plan, r);
        bytes += ldad_before(&d, offset);
    }
    return bytes;
}

/* Tells whether a plan that is no map, and is not cut off, tiles a range. It does not
 * if two ranks share bytes, or one has some twice: these are missing elsewhere. */
static enum ldad_answer tiles_anyhow(const struct ldad_plan *p, int64_t bytes)
{
    struct ldad all;
    all_of(p, &all);
    if (p->starts)
        return LDAD_CANNOT_TELL;
    if (ldad_chunks(&all) / p->ranks != ldad_chunks(&p->each) ||
        ldad_bytes(&all) != bytes)
        return LDAD_NO;
    return ldad_single(&all);
}

enum ldad_answer ldad_plan_tiles(const struct ldad_plan *p, int64_t begin, int64_t end)
{
    struct ldad_map m;
    int64_t high = high_of(p);
    if (low_of(p) != begin || end <= begin || p->end <= begin || high < end ||
        p->end < end)
        return LDAD_NO;
    if (ldad_map_fits(&m, p))
        return all_before(&m, INT64_MAX) == end - begin &&
                       all_before(&m, end) == end - begin
                   ? LDAD_YES
                   : LDAD_NO;
    if (ldad_plan_disjoint(p) == LDAD_NO)
        return LDAD_NO;
    if (p->end < high)
        return LDAD_CANNOT_TELL;
    return high > end ? LDAD_NO : tiles_anyhow(p, end - begin);
}

/* Tells whether no other rank has bytes between a rank's first and last byte. */
static enum ldad_answer segmented(const struct ldad_plan *p)
{
    struct ldad_plan regions = *p;
    int64_t extent = ldad_high(&p->each) - ldad_low(&p->each);
    regions.each = (struct ldad){.start = ldad_low(&p->each), .size = extent};
    if (!p->starts)
        return digits_apart(&regions, INT64_MAX);
    for (int64_t r = 1; r < p->ranks && p->each.levels; r++)
        if (p->starts[r] - p->starts[r - 1] < extent)
            return LDAD_NO;
    return LDAD_YES;
}

/* True if regions have no gaps and reach into the next one, but not into the one after
 * it. */
static bool is_halo(const struct ldad_plan *p)
{
    struct ldad n;
    int64_t step = 0;
    for (int i = 0; i < p->digits; i++) {
        const struct ldad_digit *d = &p->digit[i];
        if (d->count == 1)
            continue;
        if (step || !d->step)
            return false;
        step = d->step < 0 ? -d->step : d->step;
    }
    ldad_normal(&p->each, &n);
    return n.levels == 0 && step > 0 && (p->ranks == 2 || n.size - step <= step);
}

enum ldad_relation ldad_plan_relation(const struct ldad_plan *p)
{
    if (p->ranks == 1)
        return LDAD_ALONE;
    enum ldad_answer bytes = plan_apart(p, INT64_MAX), regions = segmented(p);
    if (bytes == LDAD_NO)
        return is_halo(p) ? LDAD_HALO : LDAD_OVERLAPPED;
    if (bytes == LDAD_CANNOT_TELL || regions == LDAD_CANNOT_TELL)
        return LDAD_UNRESOLVED;
    return regions == LDAD_YES ? LDAD_SEGMENTED : LDAD_INTERLEAVED;
}
