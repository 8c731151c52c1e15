/* Module 6: counts the tokens between each two entities, as in the paper: O(n^2) lines
 * for n entities, besides O(n log n + bytes of BODY) to count. */
#include "base/units.h"
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"
#include <errno.h>
#include <stdlib.h>

enum { LINE_LEAST = 6 }; /* bytes: "0 1 0\n" */

/* Start or end of an entity, and the number of tokens that begin before it. */
struct mark {
    int64_t at, before;
};

static int by_at(const void *a, const void *b)
{
    const struct mark *const *x = a, *const *y = b;
    return (*x)->at < (*y)->at ? -1 : (*x)->at > (*y)->at;
}

/* Collects the start and the end of each entity, one after another. */
static int collect(struct text_job *j, struct text_array *marks)
{
    struct lex_lines l = lex_lines(j, LEX_ENTITIES);
    struct lex_span s;
    int rc;
    marks->n = 0;
    while ((rc = lex_next(&l, &s)) > 0) {
        if (text_array_fit(marks, marks->n + 2, sizeof(struct mark)))
            return text_none(j, "entities");
        struct mark *m = marks->at;
        m[marks->n++].at = s.start;
        m[marks->n++].at = s.end;
    }
    return rc;
}

/* Counts for all marks in one pass through the tokens. */
static int proximity_count(struct text_job *j, struct text_array *marks)
{
    const struct lex_part *body = &j->part[LEX_BODY];
    const char *at = body->at, *end = at + body->bytes, *to = at;
    struct mark *m = marks->at;
    int64_t tokens = 0, k = 0;
    if (text_array_fit(&j->room->order, marks->n, sizeof m))
        return text_none(j, "entities");
    struct mark **order = j->room->order.at;
    for (int64_t i = 0; i < marks->n; i++)
        order[i] = &m[i];
    qsort(order, (size_t)marks->n, sizeof m, by_at);
    for (bool more = true; more && k < marks->n; tokens++, at = to) {
        more = token_next(&at, &to, end);
        int64_t start = at - body->at;
        for (; k < marks->n && (!more || order[k]->at <= start); k++)
            order[k]->before = tokens;
    }
    return 0;
}

static void proximity_put_pairs(struct text_out *o, const struct mark *m, int64_t n)
{
    for (int64_t a = 0; a < n && !o->failed; a++)
        for (int64_t b = a + 1; b < n; b++) {
            int64_t between = m[2 * b].before - m[2 * a + 1].before;
            text_put_number(o, a, ' ');
            text_put_number(o, b, ' ');
            text_put_number(o, between > 0 ? between : 0, '\n');
        }
}

int proximity(struct text_job *j)
{
    struct text_array *marks = &j->room->marks;
    int64_t begun = lex_begin(j), n, least;
    int rc = collect(j, marks);
    n = marks->n / 2;
    if (!rc && n)
        rc = proximity_count(j, marks);
    if (rc)
        return rc;
    if (__builtin_mul_overflow(n * (n - 1) / 2, LINE_LEAST, &least) ||
        text_out_fit(j->out, least))
        return text_fail(
            j, j->out->failed ? j->out->failed : -EFBIG, -1,
            "%lld entities have %lld pair%s, a line each: there is no room for them",
            (long long)n, (long long)(n * (n - 1) / 2), units_s((n * (n - 1) / 2)));
    proximity_put_pairs(j->out, marks->at, n);
    lex_end(j, begun, LEX_PROXIMITY);
    return 0;
}
