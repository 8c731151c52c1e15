/* A module's work on one document: its input, its data, and its output. */
#ifndef OUTCORE_TEXT_JOB_H
#define OUTCORE_TEXT_JOB_H

#include <stdint.h>
#include <string.h>

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
    /* One sentence (sentences.h): */
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

#endif
