#include "outcore/text/module.h"
#include "base/err.h"
#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"
#include "outcore/text/modules/model.h"
#include "outcore/text/modules/modules.h"
#include <errno.h>
#include <stdlib.h>

/* ---- shared by all lanes --------------------------------------------------------- */

int text_tools_load(struct text_tools **tools, const struct text_given *given)
{
    struct text_tools *t = *tools = calloc(1, sizeof *t);
    int rc = t ? 0 : err_set(-ENOMEM, NULL, -1, "no memory for the modules");
    if (rc)
        return rc;
    t->format = given->format;
    t->table_share = given->table_share;
    memcpy(t->weight, given->weight, sizeof t->weight);
    if (given->lexicon.at)
        rc = lexicon_load(&t->lexicon, &given->lexicon);
    if (!rc && given->crf.at)
        rc = text_model_load(&t->crf, &given->crf, true);
    if (!rc && given->maxent.at)
        rc = text_model_load(&t->maxent, &given->maxent, false);
    if (rc) {
        text_tools_free(t);
        *tools = NULL;
    }
    return rc;
}

void text_tools_free(struct text_tools *tools)
{
    if (!tools)
        return;
    lexicon_free(tools->lexicon);
    text_model_free(tools->crf);
    text_model_free(tools->maxent);
    free(tools);
}

/* ---- per lane -------------------------------------------------------------------- */

int text_room_make(struct text_room **room)
{
    *room = calloc(1, sizeof **room);
    return *room ? 0 : err_set(-ENOMEM, NULL, -1, "no memory for the modules");
}

void text_room_free(struct text_room *room)
{
    if (!room)
        return;
    void *const held[] = {room->starts.at,        room->spans.at,  room->marks.at,
                          room->order.at,         room->tokens.at, room->labels.at,
                          room->scores.at,        room->back.at,   room->lower.at,
                          room->probabilities.at, room->shape.at};
    xml_free(room->xml);
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        free(held[i]);
    free(room);
}

/* ---- the modules ----------------------------------------------------------------- */

static bool is_xml(const struct text_job *j)
{
    const char *at = j->in, *end = at + j->in_bytes;
    if (j->tools->format != TEXT_FORMAT_AUTO)
        return j->tools->format == TEXT_FORMAT_XML;
    if (end - at >= 2 && (!memcmp(at, "\xfe\xff", 2) || !memcmp(at, "\xff\xfe", 2)))
        return true;
    at += end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < end && token_is(at, TOKEN_BLANK))
        at++;
    return at < end && *at == '<';
}

/* Puts all of the input into BODY; the other sections are empty. */
static int plain_sections(struct text_job *j)
{
    for (int s = LEX_TITLE; s <= LEX_BODY; s++) {
        int64_t begun = lex_begin(j);
        if (s == LEX_BODY)
            text_put(j->out, j->in, j->in_bytes);
        lex_end(j, begun, s);
    }
    return 0;
}

static int take_apart(struct text_job *j)
{
    lex_head(j);
    return is_xml(j) ? xml_sections(j, &j->room->xml) : plain_sections(j);
}

static int (*const body[TEXT_MODULES])(struct text_job *j) = {
    take_apart, keywords_find, crf_find,    maxent_find,
    unify,      proximity,     table_count, table_decide};

static int too_large(const struct text_job *j)
{
    if (j->out->failed == -EFBIG)
        return text_fail(j, -EFBIG, -1, "it makes more than the %lld bytes it may",
                         (long long)j->out->most);
    return text_fail(j, j->out->failed, -1, "no memory for more than %lld bytes",
                     (long long)j->out->bytes);
}

int text_module(const struct text_tools *tools, struct text_room *room,
                enum text_module m, const char *name, const char *in, int64_t in_bytes,
                struct text_out *out)
{
    struct text_job j = {.tools = tools,
                         .room = room,
                         .module = m,
                         .name = name,
                         .in = in,
                         .in_bytes = in_bytes,
                         .out = out};
    out->bytes = out->failed = 0;
    int rc = m == TEXT_XML ? 0 : lex_parse(&j);
    if (!rc)
        rc = body[m](&j);
    return rc || !out->failed ? rc : too_large(&j);
}

int text_check(enum text_module m, const char *name, const char *in, int64_t in_bytes)
{
    struct text_job j = {.module = m, .name = name, .in = in, .in_bytes = in_bytes};
    return lex_parse(&j);
}
