#include "outcore/text/modules/job.h"
#include "base/err.h"
#include "base/mem.h"
#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"
#include "outcore/text/modules/model.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a job ----------------------------------------------------------------------- */

const char *const text_module_names[TEXT_MODULES] = {
    "xml", "keywords", "crf", "maxent", "unify", "proximity", "table", "decide"};

int text_fail(const struct text_job *j, int code, int64_t offset, const char *fmt, ...)
{
    char text[768];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(code, j->name, offset, "module %s: %s",
                   j->module < TEXT_MODULES ? text_module_names[j->module] : "check",
                   text);
}

int text_none(const struct text_job *j, const char *what)
{
    return text_fail(j, -ENOMEM, -1, "no memory for %s", what);
}

int text_array_fit(struct text_array *a, int64_t n, int64_t bytes)
{
    int64_t all, room = a->room > n / 2 ? 2 * a->room : n;
    room = room < 64 ? 64 : room;
    if (n <= a->room)
        return 0;
    void *at =
        __builtin_mul_overflow(room, bytes, &all) ? NULL : realloc(a->at, (size_t)all);
    if (!at)
        return -ENOMEM;
    a->at = at;
    a->room = room;
    return 0;
}

int text_out_fit(struct text_out *o, int64_t more)
{
    int64_t need;
    if (o->failed)
        return o->failed;
    if (__builtin_add_overflow(o->bytes, more, &need) || (o->most && need > o->most))
        return o->failed = -EFBIG;
    if (o->at && need <= o->room)
        return 0;
    int64_t room = o->room > need / 2 ? 2 * o->room : need + 4096;
    char *at = realloc(o->at, (size_t)room);
    if (!at)
        return o->failed = -ENOMEM;
    o->room = room;
    o->at = at;
    return 0;
}

void text_put_text(struct text_out *o, const char *text)
{
    text_put(o, text, (int64_t)strlen(text));
}

void text_put_number(struct text_out *o, int64_t n, char then)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = then;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    text_put(o, at, digits + sizeof digits - at);
}

void text_printf(struct text_out *o, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    text_put_text(o, text);
}

/* ---- the interface --------------------------------------------------------------- */

/* ---- shared by all lanes --------------------------------------------------------- */

int text_tools_load(struct text_tools **tools, const struct text_given *given)
{
    struct text_tools *t = *tools = mem_new(1, sizeof *t, "the modules");
    int rc = t ? 0 : -ENOMEM;
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
    *room = mem_new(1, sizeof **room, "the modules");
    return *room ? 0 : -ENOMEM;
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
    return text_none(j, "what it makes");
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
