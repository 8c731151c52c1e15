/* A module's work on one document: its input, its data, and its output. */
#ifndef OUTCORE_TEXT_JOB_H
#define OUTCORE_TEXT_JOB_H

#include <stdint.h>
#include <string.h>

/* ---- a job ----------------------------------------------------------------------- */

enum text_module {
    TEXT_XML,
    TEXT_KEYWORDS,
    TEXT_CRF,
    TEXT_MAXENT,
    TEXT_UNIFY,
    TEXT_PROXIMITY,
    TEXT_TABLE,
    TEXT_DECIDE,
    TEXT_MODULES
};

/* "xml", "keywords" ... */
extern const char *const text_module_names[TEXT_MODULES];

/* AUTO: XML if the first byte that is not a blank is a "<", or if it is UTF-16. */
enum text_format { TEXT_FORMAT_XML, TEXT_FORMAT_PLAIN, TEXT_FORMAT_AUTO };

#define TEXT_VOTES 3 /* modules that find entities */

struct text_bytes {
    const char *name; /* file name, for error sentences */
    const char *at;
    int64_t bytes;
};

/* A growing buffer that is reused; all zeros: an empty one. free(at) ends it. */
struct text_out {
    char *at;
    int64_t bytes, room;
    int64_t most; /* most bytes that it may hold; 0: no limit */
    int failed;   /* 0, or -errno: then nothing more is put into it */
};

struct lexicon;
struct model;

struct text_tools {
    enum text_format format;
    struct lexicon *lexicon;    /* NULL: none */
    struct model *crf, *maxent; /* NULL: none */
    double weight[TEXT_VOTES];
    double table_share;
};

/* An array that grows; all zeros: an empty one. */
struct text_array {
    void *at;
    int64_t n, room; /* in elements */
};

struct xml_reader;

struct text_room {
    struct xml_reader *xml;
    struct text_array starts;       /* of words (keywords.c) */
    struct text_array spans;        /* see unify.c */
    struct text_array marks, order; /* see proximity.c */
    /* One sentence (model.h): */
    struct text_array tokens, labels, probabilities, scores, back;
    struct text_out lower, shape;
};

/* The sections of a .lex, in the order of the file (lex.h). */
enum lex_section {
    LEX_TITLE,
    LEX_AUTHOR,
    LEX_DATELINE,
    LEX_DATE,
    LEX_TOPICS,
    LEX_BODY,
    LEX_KEYWORDS,
    LEX_CRF,
    LEX_MAXENT,
    LEX_ENTITIES,
    LEX_PROXIMITY,
    LEX_TABLE,
    LEX_DECISION,
    LEX_SECTIONS
};

struct lex_part {
    const char *at;
    int64_t bytes;
};

/* A module's work on one document. */
struct text_job {
    const struct text_tools *tools;
    struct text_room *room;
    enum text_module module;
    const char *name;
    const char *in;
    int64_t in_bytes;
    struct lex_part part[LEX_SECTIONS]; /* sections of the modules before it */
    struct text_out *out;
};

/* Local. Sets the error sentence "module keywords: ..." with file and offset (-1:
 * none); returns `code`. */
int text_fail(const struct text_job *j, int code, int64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Local. As text_fail, as there is no memory for `what`. */
int text_none(const struct text_job *j, const char *what);

/* Local. Returns the offset of `at` in the job's input. */
static inline int64_t text_offset(const struct text_job *j, const char *at)
{
    return at - j->in;
}

/* Local. Makes room for n elements of `bytes` bytes each and keeps the present ones; at
 * least doubles the room. 0, or -ENOMEM without a sentence. */
int text_array_fit(struct text_array *a, int64_t n, int64_t bytes);

/* Local. Makes room for `more` more bytes; on failure sets o->failed (-ENOMEM or
 * -EFBIG, without a sentence) and returns it. */
int text_out_fit(struct text_out *o, int64_t more);

/* Local. Append bytes, a text, a decimal number. On failure they set o->failed. */
static inline void text_put(struct text_out *o, const void *bytes, int64_t n)
{
    if (n > o->room - o->bytes && text_out_fit(o, n))
        return;
    if (n)
        memcpy(o->at + o->bytes, bytes, (size_t)n);
    o->bytes += n;
}

void text_put_text(struct text_out *o, const char *text);
void text_put_number(struct text_out *o, int64_t n, char then); /* n >= 0 */
void text_printf(struct text_out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- the modules ----------------------------------------------------------------- */

/* The modules. Each takes a job (job.h) whose sections have been found. Local, all of
 * them: 0, or -errno with a sentence, which a failure of j->out may lack. */

int keywords_find(struct text_job *j);
int crf_find(struct text_job *j);
int maxent_find(struct text_job *j);
int unify(struct text_job *j);
int proximity(struct text_job *j);
int table_count(struct text_job *j);
int table_decide(struct text_job *j);

/* ---- XML ------------------------------------------------------------------------- */

struct xml_reader;

/* Local. Reads j->in, a story of Reuters-21578 or RCV1 in XML, in the encoding that it
 * declares, and writes the sections TITLE .. BODY. Makes the reader if there is none.
 * 0, or -errno with a sentence that has line and column: -EBADMSG (not well-formed; no
 * story, or two; too deep; entities that name others), -ENOMEM, -ENOTSUP (no expat). */
int xml_sections(struct text_job *j, struct xml_reader **reader);

void xml_free(struct xml_reader *x);

/* ---- the interface --------------------------------------------------------------- */

/* The eight modules of outcore text, which extract entities from news stories: each
 * adds a section to a document's .lex (modules/lex.h). From memory to memory: no MPI,
 * no files. */

/* Parameters of the modules; files are given as their bytes. */
struct text_given {
    struct text_bytes lexicon; /* one phrase per line */
    struct text_bytes crf, maxent;
    enum text_format format;
    double weight[TEXT_VOTES]; /* weights of KEYWORDS, CRF and MAXENT */
    double table_share;        /* a larger share makes a table, 0 .. 1 */
};

/* Local. Makes the read-only data that all lanes share from the given files, which may
 * be freed then. A module without its file (at NULL) finds nothing. 0, or -errno with a
 * sentence that has file and line: -EINVAL (usage), -ENOMEM. */
int text_tools_load(struct text_tools **tools, const struct text_given *given);
void text_tools_free(struct text_tools *tools);

/* Local. Makes a lane's work space, which grows with the largest document. */
int text_room_make(struct text_room **room);
void text_room_free(struct text_room *room);

/* Local, any thread with a room and an `out` of its own. Runs module m on the document
 * of that name, the same for all eight modules. For TEXT_XML `in` is the input, for the
 * others the .lex as the module before m left it; `out` then holds what is to be
 * appended to that .lex (for TEXT_XML with its head) and nothing else. 0, or -errno
 * with a sentence that has file, module and offset: -EBADMSG (malformed input), -EFBIG
 * (more than out->most), -ENOMEM, -ENOTSUP (built without expat). */
int text_module(const struct text_tools *tools, struct text_room *room,
                enum text_module m, const char *name, const char *in, int64_t in_bytes,
                struct text_out *out);

/* Local. Checks that `in` is a .lex that all modules before m have processed;
 * TEXT_MODULES: all eight. 0, or -EBADMSG with a sentence. */
int text_check(enum text_module m, const char *name, const char *in, int64_t in_bytes);

#endif
