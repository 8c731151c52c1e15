/* Decides whether descriptors share bytes.
 *
 * Two chunks share a byte if the difference of their offsets lies in a window about 0.
 * All differences are a sum of strides, each taken a bounded number of times: so the
 * question is always whether such a sum can lie in a window. */
#include "algebra/set.h"
#include "algebra/descriptor.h"
#include "base/err.h"
#include "base/units.h"
#include <stdlib.h>

enum { TERMS = 2 * LDAD_LEVELS + 1, TRIES = 4096 };

struct sum {
    int terms;
    /* each stride is taken 0 to `most` times; strides fall */
    int64_t stride[TERMS], most[TERMS];
    int64_t reach[TERMS + 1]; /* largest sum of this term and those after it */
    /* greatest common divisor of these terms; 0: there are none */
    int64_t divisor[TERMS + 1];
    int tries; /* tries that are left */
};

static void add_term(struct sum *s, int64_t stride, int64_t most)
{
    int k = s->terms;
    if (most == 0)
        return;
    for (; k > 0 && s->stride[k - 1] < stride; k--) {
        s->stride[k] = s->stride[k - 1];
        s->most[k] = s->most[k - 1];
    }
    s->stride[k] = stride;
    s->most[k] = most;
    s->terms++;
}

/* Computes reaches and divisors. A window ends at 2^63 - 1 at the latest, so a larger
 * reach is cut there. */
static void set_prepare(struct sum *s)
{
    s->reach[s->terms] = s->divisor[s->terms] = 0;
    for (int i = s->terms - 1; i >= 0; i--) {
        int64_t reach;
        bool far = __builtin_mul_overflow(s->stride[i], s->most[i], &reach) ||
                   __builtin_add_overflow(reach, s->reach[i + 1], &reach);
        s->reach[i] = far ? INT64_MAX : reach;
        s->divisor[i] = units_gcd(s->divisor[i + 1], s->stride[i]);
    }
    s->tries = TRIES;
}

/* Finds the smallest x >= 0 for which a x mod m is in [low, high], 0 <= low <= high <
 * m, 0 <= a < m; -1: there is none, or a x exceeds 2^63 - 1. If no multiple of a is in
 * [low, high], x goes round m some y times, and the same question is asked of y. */
static int64_t first_within(int64_t a, int64_t m, int64_t low, int64_t high)
{
    if (low == 0)
        return 0;
    if (a == 0)
        return -1;
    int64_t x = units_div_up(low, a);
    if (x <= high / a)
        return x;
    int64_t y = first_within(m % a, a, (a - high % a) % a, (a - low % a) % a), turns;
    if (y < 0 || __builtin_mul_overflow(m, y, &turns) ||
        __builtin_add_overflow(turns, low, &turns))
        return -1;
    return units_div_up(turns, a);
}

/* True if the sum of the last two terms, i and i + 1, can be in [low, high], with term
 * i taken `from` to `to` times. An x that is too large for first_within is also larger
 * than `to`. */
static bool two_reach(const struct sum *s, int i, int64_t low, int64_t high,
                      int64_t from, int64_t to)
{
    int64_t stride = s->stride[i], m = s->stride[i + 1];
    if (high - low >= m - 1) /* some multiple of m is always in the window */
        return true;
    int64_t rest = (low - from * stride) % m;
    rest = rest < 0 ? rest + m : rest;
    if (rest + (high - low) >= m)
        return true;
    int64_t x = first_within(stride % m, m, rest, rest + (high - low));
    return x >= 0 && x <= to - from;
}

/* Tells whether a sum of terms i and later can be in [low, high]. If the later terms
 * fit within one stride of term i, at most two of its multiples are possible. */
static enum ldad_answer sum_reaches(struct sum *s, int i, int64_t low, int64_t high)
{
    low = low < 0 ? 0 : low;
    if (high < low || s->reach[i] < low)
        return LDAD_NO;
    if (low == 0)
        return LDAD_YES;
    if (high - high % s->divisor[i] < low)
        return LDAD_NO;
    if (s->tries-- == 0)
        return LDAD_CANNOT_TELL;
    int64_t stride = s->stride[i], inner = s->reach[i + 1];
    int64_t from = low > inner ? units_div_up(low - inner, stride) : 0;
    int64_t to = high / stride < s->most[i] ? high / stride : s->most[i];
    if (from > to || i == s->terms - 1)
        return from > to ? LDAD_NO : LDAD_YES;
    if (i == s->terms - 2)
        return two_reach(s, i, low, high, from, to) ? LDAD_YES : LDAD_NO;
    enum ldad_answer answer = LDAD_NO;
    for (int64_t k = from; k <= to && answer == LDAD_NO; k++)
        answer = sum_reaches(s, i + 1, low - k * stride, high - k * stride);
    return answer;
}

static enum ldad_answer opposite(enum ldad_answer a)
{
    return a == LDAD_CANNOT_TELL ? a : a == LDAD_YES ? LDAD_NO : LDAD_YES;
}

/* The rank that comes first is taken forward by one or more, so the difference of two
 * chunks is written once; all later levels may differ either way. */
enum ldad_answer ldad_set_apart(const struct ldad_level *level, int levels, int first,
                                int64_t size)
{
    enum ldad_answer answer = LDAD_YES;
    for (int i = 0; i < first && answer != LDAD_NO; i++) {
        struct sum s = {0};
        int64_t centre = -level[i].stride, high;
        if (level[i].span == level[i].stride)
            continue;
        add_term(&s, level[i].stride, ldad_count(&level[i]) - 2);
        for (int k = i + 1; k < levels; k++) {
            int64_t most = ldad_count(&level[k]) - 1;
            add_term(&s, level[k].stride, most > INT64_MAX / 2 ? INT64_MAX : 2 * most);
            if (__builtin_add_overflow(centre, level[k].span - level[k].stride,
                                       &centre))
                return LDAD_CANNOT_TELL;
        }
        if (__builtin_add_overflow(centre, size - 1, &high))
            return LDAD_CANNOT_TELL;
        set_prepare(&s);
        enum ldad_answer one = opposite(sum_reaches(&s, 0, centre - (size - 1), high));
        answer = one == LDAD_YES ? answer : one;
    }
    return answer;
}

enum ldad_answer ldad_single(const struct ldad *d)
{
    struct ldad n;
    if (ldad_normal(d, &n))
        return LDAD_YES;
    return ldad_set_apart(n.level, n.levels, n.levels, n.size);
}

/* Counts b's chunks backwards from its last one, so that all terms are sums. */
enum ldad_answer ldad_disjoint(const struct ldad *a, const struct ldad *b)
{
    struct ldad x, y;
    struct sum s = {0};
    ldad_normal(a, &x);
    ldad_normal(b, &y);
    int64_t high = ldad_high(&y) - x.start - 1;
    int64_t low = ldad_high(&y) - y.size - x.start - (x.size - 1);
    for (int i = 0; i < x.levels; i++)
        add_term(&s, x.level[i].stride, ldad_count(&x.level[i]) - 1);
    for (int i = 0; i < y.levels; i++)
        add_term(&s, y.level[i].stride, ldad_count(&y.level[i]) - 1);
    set_prepare(&s);
    return opposite(sum_reaches(&s, 0, low, high));
}

/* ---- lists ----------------------------------------------------------------- */

enum {
    NEIGHBOURS = 32, /* that each descriptor of a list is compared with */
    UNSURE = 16      /* pairs that may remain undecided */
};

static int by_low(const void *a, const void *b)
{
    int64_t x = ldad_low(a), y = ldad_low(b);
    return x < y ? -1 : x > y;
}

/* True if all descriptors of a sorted list are parts of one shape and their starts have
 * one distance. Then that distance is a level, and the shape has the most repeats of
 * each. */
static bool common_shape(const struct ldad *list, int64_t n, struct ldad *shape,
                         struct ldad_level *ranks)
{
    int64_t step = list[1].start - list[0].start;
    *shape = list[0];
    for (int64_t i = 1; i < n; i++) {
        if (list[i].levels != shape->levels ||
            list[i].start - list[i - 1].start != step)
            return false;
        for (int k = 0; k < shape->levels; k++) {
            const struct ldad_level *l = &list[i].level[k];
            if (l->stride != shape->level[k].stride)
                return false;
            if (l->span > shape->level[k].span)
                shape->level[k].span = l->span;
        }
        shape->size = list[i].size > shape->size ? list[i].size : shape->size;
    }
    *ranks = (struct ldad_level){n * step, step};
    return step > 0 && !__builtin_mul_overflow(n, step, &ranks->span);
}

static enum ldad_answer shape_apart(const struct ldad *list, int64_t n)
{
    struct ldad shape;
    struct ldad_level level[LDAD_LEVELS + 1];
    if (!common_shape(list, n, &shape, &level[0]))
        return LDAD_CANNOT_TELL;
    for (int i = 0; i < shape.levels; i++)
        level[i + 1] = shape.level[i];
    return ldad_set_apart(level, shape.levels + 1, 1, shape.size);
}

/* Compares each descriptor with those that begin within it, further on in the file. */
static enum ldad_answer neighbours_apart(const struct ldad *list, int64_t n)
{
    int unsure = 0;
    for (int64_t i = 0; i < n && unsure < UNSURE; i++)
        for (int64_t k = i + 1; k < n && list[k].start < ldad_high(&list[i]); k++) {
            enum ldad_answer one = k - i > NEIGHBOURS
                                       ? LDAD_CANNOT_TELL
                                       : ldad_disjoint(&list[i], &list[k]);
            if (one == LDAD_NO)
                return LDAD_NO;
            if (one == LDAD_CANNOT_TELL) {
                unsure++;
                break;
            }
        }
    return unsure ? LDAD_CANNOT_TELL : LDAD_YES;
}

/* True if regions without gaps overlap the next one, and no other. */
static bool is_halo(const struct ldad *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (list[i].levels || (i > 0 && list[i].start == list[i - 1].start) ||
            (i > 0 && ldad_high(&list[i]) <= ldad_high(&list[i - 1])) ||
            (i > 1 && list[i].start < ldad_high(&list[i - 2])))
            return false;
    return true;
}

static enum ldad_relation list_apart(const struct ldad *list, int64_t n)
{
    int64_t high = ldad_high(&list[0]);
    bool segmented = true;
    for (int64_t i = 1; i < n; i++) {
        segmented = segmented && list[i].start >= high;
        high = ldad_high(&list[i]) > high ? ldad_high(&list[i]) : high;
    }
    if (segmented)
        return LDAD_SEGMENTED;
    enum ldad_answer answer = shape_apart(list, n);
    if (answer != LDAD_YES) /* shorter descriptors than the shape may still fit */
        answer = neighbours_apart(list, n);
    return answer == LDAD_YES           ? LDAD_INTERLEAVED
           : answer == LDAD_CANNOT_TELL ? LDAD_UNRESOLVED
           : is_halo(list, n)           ? LDAD_HALO
                                        : LDAD_OVERLAPPED;
}

enum ldad_relation ldad_list_relation(struct ldad *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ldad_normal(&list[i], &list[i]);
    qsort(list, (size_t)n, sizeof *list, by_low);
    return n < 2 ? LDAD_ALONE : list_apart(list, n);
}

enum ldad_answer ldad_list_tiles(struct ldad *list, int64_t n, int64_t begin,
                                 int64_t end)
{
    enum ldad_relation r = ldad_list_relation(list, n);
    enum ldad_answer answer = r == LDAD_UNRESOLVED ? LDAD_CANNOT_TELL : LDAD_YES;
    int64_t left = end - begin;
    bool outside = r == LDAD_HALO || r == LDAD_OVERLAPPED || end <= begin;
    for (int64_t i = 0; i < n && !outside; i++) {
        enum ldad_answer one = ldad_single(&list[i]);
        outside = one == LDAD_NO || list[i].start < begin ||
                  ldad_high(&list[i]) > end || ldad_bytes(&list[i]) > left;
        left -= ldad_bytes(&list[i]);
        answer = one == LDAD_YES ? answer : one;
    }
    return outside || left ? LDAD_NO : answer;
}

const char *ldad_relation_text(enum ldad_relation r)
{
    static const char *const text[] = {"one rank", "segmented",  "interleaved",
                                       "halo",     "overlapped", "unresolved"};
    return text[r];
}
