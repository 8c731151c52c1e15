/* Module 5: merges equal spans of modules 2, 3 and 4 into one with its votes. O(n log
 * n) for n spans. */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/lex.h"
#include <errno.h>
#include <stdlib.h>

static const enum lex_section voters[TEXT_VOTES] = {LEX_KEYWORDS, LEX_CRF, LEX_MAXENT};

/* The order in which voters give a span its type: the CRF, then the maximum entropy
 * model. A phrase has no type. */
static const int rank[TEXT_VOTES] = {2, 0, 1};

static int unify_by_place(const void *a, const void *b)
{
    const struct lex_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return rank[x->from] - rank[y->from];
}

static int collect(struct text_job *j, struct text_array *spans)
{
    spans->n = 0;
    for (int v = 0; v < TEXT_VOTES; v++) {
        struct lex_lines l = lex_lines(j, voters[v]);
        struct lex_span s;
        int rc;
        while ((rc = lex_next(&l, &s)) > 0) {
            s.from = v;
            if (text_array_fit(spans, spans->n + 1, sizeof s))
                return text_none(j, "spans");
            ((struct lex_span *)spans->at)[spans->n++] = s;
        }
        if (rc)
            return rc;
    }
    return 0;
}

/* Writes one line for the first n spans, which are equal. */
static void put_entity(struct text_job *j, const struct lex_span *s, int64_t n)
{
    bool voted[TEXT_VOTES] = {false};
    const char *blank = memchr(s->text, ' ', (size_t)s->text_bytes);
    double confidence = 0;
    int votes = 0;
    for (int64_t i = 0; i < n; i++)
        voted[s[i].from] = true;
    for (int v = 0; v < TEXT_VOTES; v++) {
        votes += voted[v];
        confidence += voted[v] ? j->tools->weight[v] : 0;
    }
    text_put_number(j->out, s->start, ' ');
    text_put_number(j->out, s->end, ' ');
    if (voters[s->from] == LEX_KEYWORDS)
        text_put_text(j->out, "TERM");
    else
        text_put(j->out, s->text, blank ? blank - s->text : s->text_bytes);
    text_printf(j->out, " %d %.6g\n", votes, confidence);
}

int unify(struct text_job *j)
{
    struct text_array *spans = &j->room->spans;
    int rc = collect(j, spans);
    if (rc)
        return rc;
    const struct lex_span *s = spans->at;
    if (spans->n)
        qsort(spans->at, (size_t)spans->n, sizeof *s, unify_by_place);
    int64_t begun = lex_begin(j);
    for (int64_t i = 0, n; i < spans->n; i += n) {
        for (n = 1; i + n < spans->n && s[i + n].start == s[i].start &&
                    s[i + n].end == s[i].end;)
            n++;
        put_entity(j, &s[i], n);
    }
    lex_end(j, begun, LEX_ENTITIES);
    return 0;
}
