#include "outcore/text/modules/lex.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *const lex_names[LEX_SECTIONS] = {
    "TITLE", "AUTHOR", "DATELINE", "DATE",      "TOPICS", "BODY",    "KEYWORDS",
    "CRF",   "MAXENT", "ENTITIES", "PROXIMITY", "TABLE",  "DECISION"};

enum text_module lex_module(enum lex_section s)
{
    return s <= LEX_BODY ? TEXT_XML : (enum text_module)(s - LEX_BODY);
}

/* ---- reading --------------------------------------------------------------------- */

/* Writes a byte as it is in a head: escaped, if necessary. Returns its length. */
static int lex_escape(char to[8], char c)
{
    bool plain = (unsigned char)c >= ' ' && c != 127 && c != '\\';
    return plain ? (to[0] = c, 1) : snprintf(to, 8, "\\x%02x", (unsigned char)c);
}

static bool skip(const char **at, const char *end, const char *text, int64_t n)
{
    if (end - *at < n || memcmp(*at, text, (size_t)n) != 0)
        return false;
    *at += n;
    return true;
}

static bool skip_text(const char **at, const char *end, const char *text)
{
    return skip(at, end, text, (int64_t)strlen(text));
}

/* Parses a decimal number and the byte `then` behind it. */
static bool skip_number(const char **at, const char *end, int64_t *n, char then)
{
    const char *from = *at;
    *n = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(*n, 10, n) ||
            __builtin_add_overflow(*n, **at - '0', n))
            return false;
    return *at > from && *at < end && *(*at)++ == then;
}

static int skip_head(const struct text_job *j, const char **at)
{
    const char *end = j->in + j->in_bytes;
    char to[8];
    if (!skip_text(at, end, "LEX1 "))
        return text_fail(j, -EBADMSG, 0,
                         "this is no .lex: it does not begin with LEX1");
    for (const char *c = j->name; *c; c++)
        if (!skip(at, end, to, lex_escape(to, *c)))
            return text_fail(j, -EBADMSG, 5, "this is the .lex of another document");
    if (!skip_text(at, end, "\n"))
        return text_fail(j, -EBADMSG, 5, "this is the .lex of another document");
    return 0;
}

/* Fails because section s does not begin at `at`. */
static int not_there(const struct text_job *j, enum lex_section s, const char *at)
{
    const char *name = lex_names[s], *module = text_module_names[lex_module(s)];
    if (at == j->in + j->in_bytes)
        return text_fail(j, -EBADMSG, text_offset(j, at),
                         "the section %s of module %s is missing, the file ends before "
                         "it: make the file again",
                         name, module);
    if (s == LEX_TITLE)
        return text_fail(j, -EBADMSG, text_offset(j, at),
                         "the section %s of module %s should begin here", name, module);
    return text_fail(j, -EBADMSG, text_offset(j, at),
                     "the section %s of module %s should begin here, where the section "
                     "%s of module %s says that it ends: make the file again",
                     name, module, lex_names[s - 1],
                     text_module_names[lex_module(s - 1)]);
}

static int lex_take(struct text_job *j, enum lex_section s, const char **at)
{
    const char *end = j->in + j->in_bytes, *from = *at;
    int64_t bytes;
    if (!skip_text(at, end, "%%") || !skip_text(at, end, lex_names[s]) ||
        !skip_text(at, end, " ") || !skip_number(at, end, &bytes, '\n'))
        return not_there(j, s, from);
    if (bytes >= end - *at)
        return text_fail(j, -EBADMSG, text_offset(j, from),
                         "the section %s of module %s says that it has %lld bytes, but "
                         "%lld follow: make the file again",
                         lex_names[s], text_module_names[lex_module(s)],
                         (long long)bytes, (long long)(end - *at));
    if ((*at)[bytes] != '\n')
        return text_fail(j, -EBADMSG, text_offset(j, from),
                         "the section %s of module %s says that it has %lld bytes, but "
                         "does not end there: make the file again",
                         lex_names[s], text_module_names[lex_module(s)],
                         (long long)bytes);
    j->part[s] = (struct lex_part){*at, bytes};
    *at += bytes + 1;
    return 0;
}

int lex_parse(struct text_job *j)
{
    const char *at = j->in, *end = j->in + j->in_bytes;
    int rc = skip_head(j, &at);
    for (int s = 0; !rc && s < LEX_SECTIONS && lex_module(s) < j->module; s++)
        rc = lex_take(j, s, &at);
    if (!rc && at != end)
        return text_fail(j, -EBADMSG, text_offset(j, at),
                         "the file should end here: a module has been here twice, or a "
                         "section does not end where it says");
    return rc;
}

/* ---- writing --------------------------------------------------------------------- */

void lex_head(struct text_job *j)
{
    char to[8];
    text_put_text(j->out, "LEX1 ");
    for (const char *c = j->name; *c; c++)
        text_put(j->out, to, lex_escape(to, *c));
    text_put_text(j->out, "\n");
}

int64_t lex_begin(struct text_job *j)
{
    return j->out->bytes;
}

/* Writes the section's head, whose length depends on the size, before the contents: so
 * these are moved. */
void lex_end(struct text_job *j, int64_t begun, enum lex_section s)
{
    struct text_out *o = j->out;
    int64_t bytes = o->bytes - begun;
    char head[64];
    int n =
        snprintf(head, sizeof head, "%%%%%s %lld\n", lex_names[s], (long long)bytes);
    if (o->failed || text_out_fit(o, n + 1))
        return;
    memmove(o->at + begun + n, o->at + begun, (size_t)bytes);
    memcpy(o->at + begun, head, (size_t)n);
    o->bytes += n;
    o->at[o->bytes++] = '\n';
}

/* ---- lines ----------------------------------------------------------------------- */

struct lex_lines lex_lines(const struct text_job *j, enum lex_section s)
{
    const struct lex_part *p = &j->part[s];
    return (struct lex_lines){j, s, p->at, p->at + p->bytes};
}

static int no_line(const struct lex_lines *l, const char *from, const char *what)
{
    return text_fail(
        l->j, -EBADMSG, text_offset(l->j, from),
        "the section %s of module %s has a line that is not %s: make the file again",
        lex_names[l->section], text_module_names[lex_module(l->section)], what);
}

int lex_next(struct lex_lines *l, struct lex_span *span)
{
    const char *from = l->at, *end = from < l->end
                                         ? memchr(from, '\n', (size_t)(l->end - from))
                                         : NULL;
    if (from == l->end)
        return 0;
    bool good = end && end - from < INT32_MAX &&
                skip_number(&l->at, end, &span->start, ' ') &&
                skip_number(&l->at, end, &span->end, ' ') && span->start < span->end &&
                span->end <= l->j->part[LEX_BODY].bytes;
    if (!good)
        return no_line(l, from, "START END and more, within BODY");
    span->text = l->at;
    span->text_bytes = (int32_t)(end - l->at);
    l->at = end + 1;
    return 1;
}

int lex_value(const struct text_job *j, enum lex_section s, const char *name,
              double *value)
{
    struct lex_lines l = lex_lines(j, s);
    while (l.at < l.end) {
        const char *from = l.at, *end = memchr(from, '\n', (size_t)(l.end - from));
        char text[64], *rest;
        if (!end)
            break;
        l.at = end + 1;
        if (!skip_text(&from, end, name) || !skip_text(&from, end, " "))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(end - from < 63 ? end - from : 63),
                 from);
        *value = strtod(text, &rest);
        if (rest == text || *rest)
            return no_line(&l, from, "a number");
        return 0;
    }
    return text_fail(
        j, -EBADMSG, text_offset(j, j->part[s].at),
        "the section %s of module %s has no line \"%s\": make the file again",
        lex_names[s], text_module_names[lex_module(s)], name);
}
