/* Module 1: takes a document apart, with expat; without it (no HAVE_EXPAT) it
 * refuses. */
#include "outcore/text/modules/job.h"
#include <errno.h>

#ifdef HAVE_EXPAT
#include "outcore/text/modules/lex.h"
#include <expat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PARTS = LEX_BODY + 1,
    DEPTH_MOST = 64,
    PATH_MOST = 128,    /* longer than any path in `places` */
    ENTITY_MOST = 1024, /* bytes, for a reference of at least 3 */
    FEED_MOST = 1 << 30
};

/* The path of a section in a story. Several matches are joined, a line each. */
struct place {
    const char *path;
    const char *attribute; /* NULL: the element's text */
    enum lex_section section;
};

static const struct place places[] = {
    {"REUTERS/TEXT/TITLE", NULL, LEX_TITLE},
    {"REUTERS/TEXT/AUTHOR", NULL, LEX_AUTHOR},
    {"REUTERS/TEXT/DATELINE", NULL, LEX_DATELINE},
    {"REUTERS/DATE", NULL, LEX_DATE},
    {"REUTERS/TOPICS/D", NULL, LEX_TOPICS},
    {"REUTERS/TEXT/BODY", NULL, LEX_BODY},
    {"newsitem/headline", NULL, LEX_TITLE},
    {"newsitem/byline", NULL, LEX_AUTHOR},
    {"newsitem/dateline", NULL, LEX_DATELINE},
    {"newsitem", "date", LEX_DATE},
    {"newsitem/metadata/codes/code", "code", LEX_TOPICS},
    {"newsitem/text/p", NULL, LEX_BODY},
};

struct xml_reader {
    XML_Parser parser;
    struct text_job *j;
    int rc;
    char path[PATH_MOST];       /* from the story's element on */
    int path_bytes[DEPTH_MOST]; /* by depth: length of the path before that element */
    int depth, story;           /* story: its element's depth; 0: none yet */
    int taken;                  /* depth of the element whose text is collected;
                                 * 0: none */
    bool topics;                /* the current codes are topics */
    enum lex_section section;   /* valid while `taken` */
    int pieces[PARTS];
    struct text_out part[PARTS];
};

static void xml_refuse(struct xml_reader *x, const char *what)
{
    if (!x->rc)
        x->rc = text_fail(x->j, -EBADMSG, XML_GetCurrentByteIndex(x->parser),
                          "%s (line %lld, column %lld)", what,
                          (long long)XML_GetCurrentLineNumber(x->parser),
                          (long long)XML_GetCurrentColumnNumber(x->parser) + 1);
    XML_StopParser(x->parser, XML_FALSE);
}

static void xml_piece(struct xml_reader *x, enum lex_section s)
{
    if (x->pieces[s]++)
        text_put(&x->part[s], "\n", 1);
    x->section = s;
}

/* True if these are the attributes of the class of codes that are topics. */
static bool are_topics(const char **attributes)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], "class"))
            return !strncmp(attributes[1], "bip:topics:", 11);
    return false;
}

static void take_attribute(struct xml_reader *x, const struct place *p,
                           const char **attributes)
{
    if (p->section == LEX_TOPICS && !x->topics)
        return;
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], p->attribute)) {
            xml_piece(x, p->section);
            text_put_text(&x->part[p->section], attributes[1]);
        }
}

static void xml_look(struct xml_reader *x, const char **attributes)
{
    if (!strcmp(x->path, "newsitem/metadata/codes"))
        x->topics = are_topics(attributes);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct place *p = &places[i];
        if (strcmp(p->path, x->path) != 0)
            continue;
        if (p->attribute) {
            take_attribute(x, p, attributes);
        } else {
            x->taken = x->depth;
            xml_piece(x, p->section);
        }
    }
}

static void XMLCALL element(void *reader, const char *name, const char **attributes)
{
    struct xml_reader *x = reader;
    bool story = !strcmp(name, "REUTERS") || !strcmp(name, "newsitem");
    if (x->rc)
        return;
    if (++x->depth == DEPTH_MOST) {
        xml_refuse(x, "elements are nested more than 63 deep");
        return;
    }
    if (story && x->story) {
        xml_refuse(x, "a second story begins: a file is one story");
        return;
    }
    if (story)
        x->story = x->depth;
    int used = x->path_bytes[x->depth] = (int)strlen(x->path);
    if (x->story)
        snprintf(x->path + used, sizeof x->path - (size_t)used, "%s%s", used ? "/" : "",
                 name);
    if (x->story && x->depth >= x->story && !x->taken)
        xml_look(x, attributes);
}

static void XMLCALL element_end(void *reader, const char *name)
{
    struct xml_reader *x = reader;
    (void)name;
    if (x->rc)
        return;
    if (x->taken == x->depth)
        x->taken = 0;
    x->path[x->path_bytes[x->depth--]] = 0;
}

static void XMLCALL xml_text(void *reader, const char *at, int bytes)
{
    struct xml_reader *x = reader;
    if (x->taken && !x->rc)
        text_put(&x->part[x->section], at, bytes);
}

/* True if an entity's value names an entity other than those of characters. */
static bool names_another(const char *at, int bytes)
{
    static const char *const plain[] = {"&#",   "&amp;",  "&lt;",
                                        "&gt;", "&quot;", "&apos;"};
    for (const char *end = at + bytes; at < end; at++) {
        bool known = *at != '&';
        for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
            known |= (size_t)(end - at) >= strlen(plain[i]) &&
                     !memcmp(at, plain[i], strlen(plain[i]));
        if (!known)
            return true;
    }
    return false;
}

/* Refuses entities that name others, as they grow with each level (a "billion laughs"),
 * and long ones, as they grow with each reference. */
static void XMLCALL entity(void *reader, const char *name, int of_dtd,
                           const char *value, int bytes, const char *base,
                           const char *system_id, const char *public_id,
                           const char *notation)
{
    struct xml_reader *x = reader;
    (void)name, (void)of_dtd, (void)base, (void)system_id, (void)public_id,
        (void)notation;
    if (value && names_another(value, bytes))
        xml_refuse(x, "it declares an entity that names another one, which may grow "
                      "beyond measure");
    else if (value && bytes > ENTITY_MOST)
        xml_refuse(x, "it declares an entity of more than 1024 bytes");
}

static int xml_reader_make(struct text_job *j, struct xml_reader **reader)
{
    struct xml_reader *x = *reader ? *reader : calloc(1, sizeof *x);
    *reader = x;
    bool made = x && (x->parser ? XML_ParserReset(x->parser, NULL) == XML_TRUE
                                : !!(x->parser = XML_ParserCreate(NULL)));
    if (!made)
        return text_none(j, "expat");
    x->j = j;
    x->rc = x->depth = x->story = x->taken = 0;
    x->path[0] = 0;
    x->topics = false;
    for (int s = 0; s < PARTS; s++) {
        x->part[s].bytes = x->part[s].failed = x->pieces[s] = 0;
        x->part[s].most = j->out->most;
    }
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, element, element_end);
    XML_SetCharacterDataHandler(x->parser, xml_text);
    XML_SetEntityDeclHandler(x->parser, entity);
    return 0;
}

/* Feeds expat as much as it takes at once: it would rescan an incomplete token from
 * its start. */
static void feed(struct xml_reader *x)
{
    const char *at = x->j->in, *end = at + x->j->in_bytes;
    enum XML_Status status = XML_STATUS_OK;
    do {
        int64_t n = end - at < FEED_MOST ? end - at : FEED_MOST;
        status = XML_Parse(x->parser, at, (int)n, at + n == end);
        at += n;
    } while (at < end && status == XML_STATUS_OK);
    if (status == XML_STATUS_OK || x->rc)
        return;
    enum XML_Error why = XML_GetErrorCode(x->parser);
    if (why == XML_ERROR_NO_MEMORY) {
        x->rc = text_none(x->j, "expat");
        return;
    }
    char what[160];
    snprintf(what, sizeof what, "it is no well-formed XML: %s", XML_ErrorString(why));
    xml_refuse(x, what);
}

int xml_sections(struct text_job *j, struct xml_reader **reader)
{
    int rc = xml_reader_make(j, reader);
    if (rc)
        return rc;
    struct xml_reader *x = *reader;
    feed(x);
    if (!x->rc && !x->story)
        return text_fail(j, -EBADMSG, -1,
                         "it is XML, but no story: there is neither an element REUTERS "
                         "(Reuters-21578) nor newsitem (RCV1)");
    for (int s = 0; s < PARTS && !x->rc; s++) {
        int64_t begun = lex_begin(j);
        j->out->failed = j->out->failed ? j->out->failed : x->part[s].failed;
        text_put(j->out, x->part[s].at, x->part[s].bytes);
        lex_end(j, begun, s);
    }
    return x->rc;
}

void xml_free(struct xml_reader *x)
{
    if (!x)
        return;
    if (x->parser)
        XML_ParserFree(x->parser);
    for (int s = 0; s < PARTS; s++)
        free(x->part[s].at);
    free(x);
}

#else /* no expat */

int xml_sections(struct text_job *j, struct xml_reader **reader)
{
    (void)reader;
    return text_fail(j, -ENOTSUP, -1,
                     "this is XML, and this program was built without expat: give it "
                     "plain text");
}

void xml_free(struct xml_reader *x)
{
    (void)x;
}

#endif
