#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"
#include "outcore/text/modules/model.h"
#include <errno.h>

/* ---- features -------------------------------------------------------------------- */

static char shape_of(char c)
{
    int is = token_class[(unsigned char)c];
    return is & TOKEN_UPPER                  ? 'A'
           : is & (TOKEN_LOWER | TOKEN_HIGH) ? 'a'
           : is & TOKEN_DIGIT                ? '0'
                                             : c;
}

static int32_t shape(const struct tagging *t, const struct token *k)
{
    struct text_out *o = &t->j->room->shape;
    const char *at = t->j->part[LEX_BODY].at;
    o->bytes = 0;
    for (int64_t i = k->start; i < k->end; i++) {
        char c = shape_of(at[i]);
        if (!o->bytes || o->at[o->bytes - 1] != c)
            text_put(o, &c, 1);
    }
    return text_model_find(t->m, FEATURE_SHAPE, o->at, o->bytes,
                           text_model_hash(o->at, o->bytes));
}

static int32_t form(const struct tagging *t, enum feature_kind kind,
                    const struct token *k)
{
    return text_model_find(t->m, kind, t->j->room->lower.at + k->lower,
                           k->end - k->start, k->hash);
}

static int32_t sentences_piece(const struct tagging *t, enum feature_kind kind,
                               const struct token *k)
{
    int64_t n = k->end - k->start, m = n < 3 ? n : 3;
    const char *at =
        t->j->room->lower.at + k->lower + (kind == FEATURE_SUFFIX ? n - m : 0);
    return text_model_find(t->m, kind, at, m, text_model_hash(at, m));
}

int tagging_features(const struct tagging *t, int64_t i, int32_t feature[FEATURES])
{
    const struct token *k = &t->token[i];
    int n = 0;
    feature[n++] = form(t, FEATURE_FORM, k);
    feature[n++] = shape(t, k);
    feature[n++] = sentences_piece(t, FEATURE_PREFIX, k);
    feature[n++] = sentences_piece(t, FEATURE_SUFFIX, k);
    if (i > 0)
        feature[n++] = form(t, FEATURE_BEFORE, k - 1);
    if (i + 1 < t->n)
        feature[n++] = form(t, FEATURE_BEHIND, k + 1);
    if (!i)
        feature[n++] =
            text_model_find(t->m, FEATURE_FIRST, "", 0, text_model_hash("", 0));
    return t->j->room->shape.failed ? t->j->room->shape.failed : n;
}

/* ---- sentences ------------------------------------------------------------------- */

static bool is_end(const char *at, const char *to, const char *end)
{
    const char *next = to;
    if (to - at != 1 || (*at != '.' && *at != '!' && *at != '?'))
        return false;
    while (next < end && token_is(next, TOKEN_BLANK))
        next++;
    return next == end || (next > to && !token_is(next, TOKEN_LOWER));
}

static void token_take(struct text_job *j, const char *at, const char *to,
                       struct token *k)
{
    struct text_out *lower = &j->room->lower;
    k->start = at - j->part[LEX_BODY].at;
    k->end = to - j->part[LEX_BODY].at;
    k->lower = lower->bytes;
    if (text_out_fit(lower, to - at))
        return;
    for (; at < to; at++)
        lower->at[lower->bytes++] = token_lower(*at);
    k->hash = text_model_hash(lower->at + k->lower, k->end - k->start);
}

/* Reads the next sentence from *at on; returns its number of tokens. */
static int64_t next_sentence(struct text_job *j, const char **at, struct token *token)
{
    const char *end = j->part[LEX_BODY].at + j->part[LEX_BODY].bytes, *to;
    int64_t n = 0;
    bool over = false;
    j->room->lower.bytes = 0;
    for (; !over && n < SENTENCE_MOST && token_next(at, &to, end); *at = to) {
        token_take(j, *at, to, &token[n++]);
        over = is_end(*at, to, end);
    }
    return n;
}

/* ---- entities -------------------------------------------------------------------- */

static bool sentences_goes_on(const struct model_label *a, const struct model_label *b)
{
    return a->type && b->type && !b->begins && !strcmp(a->type, b->type);
}

/* Writes the entities. An entity's probability is the mean of its tokens', as in
 * OpenNLP's name finder. */
static void put_entities(const struct tagging *t, bool probabilities)
{
    struct text_out *o = t->j->out;
    for (int64_t i = 0, next; i < t->n; i = next) {
        const struct model_label *l = &t->m->label[t->label[i]];
        double sum = t->probability[i];
        for (next = i + 1;
             next < t->n && sentences_goes_on(&t->m->label[t->label[next - 1]],
                                              &t->m->label[t->label[next]]);
             next++)
            sum += t->probability[next];
        if (!l->type)
            continue;
        text_put_number(o, t->token[i].start, ' ');
        text_put_number(o, t->token[next - 1].end, ' ');
        text_put_text(o, l->type);
        if (probabilities)
            text_printf(o, " %.4f", sum / (double)(next - i));
        text_put(o, "\n", 1);
    }
}

static int sentences_make_room(struct text_room *r, const struct model *m)
{
    int64_t n = SENTENCE_MOST;
    int rc = text_array_fit(&r->tokens, n, sizeof(struct token));
    if (!rc)
        rc = text_array_fit(&r->labels, n, sizeof(int32_t));
    if (!rc)
        rc = text_array_fit(&r->probabilities, n, sizeof(double));
    if (!rc)
        rc = text_array_fit(&r->scores, n * m->labels, sizeof(double));
    if (!rc)
        rc = text_array_fit(&r->back, n * m->labels, sizeof(uint8_t));
    r->lower.failed = r->shape.failed = 0;
    return rc;
}

int tagging_all(struct text_job *j, const struct model *m, enum lex_section s,
                int (*decode)(struct tagging *t))
{
    struct text_room *r = j->room;
    int64_t begun = lex_begin(j);
    const char *at = j->part[LEX_BODY].at;
    int rc = m ? sentences_make_room(r, m) : 0;
    struct tagging t = {.j = j, .m = m};
    t.token = r->tokens.at;
    t.label = r->labels.at;
    t.probability = r->probabilities.at;
    while (!rc && m && (t.n = next_sentence(j, &at, r->tokens.at)) > 0) {
        rc = r->lower.failed ? r->lower.failed : decode(&t);
        if (!rc)
            put_entities(&t, s == LEX_MAXENT);
    }
    if (rc)
        return text_none(j, "a sentence");
    lex_end(j, begun, s);
    return 0;
}
