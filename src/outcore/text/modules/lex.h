/* A document's .lex: "LEX1 NAME\n", then sections, each "%%SECTION BYTES\n", so many
 * bytes, "\n". All sections of a module are there once it has gone through the
 * document, in the order of enum lex_section, also those without a byte. In NAME a
 * control character and a backslash are \xHH. Offsets in sections are bytes in BODY:
 *
 *   KEYWORDS   START END TERM        by END, then the longer first
 *   CRF        START END TYPE        by START
 *   MAXENT     START END TYPE PROBABILITY
 *   ENTITIES   START END TYPE VOTES CONFIDENCE   by START, then END
 *   PROXIMITY  I J WORDS             for all I < J, numbers of lines of ENTITIES from 0
 *   TABLE      NAME VALUE
 *   DECISION   prose SCORE, or table SCORE
 */
#ifndef OUTCORE_TEXT_LEX_H
#define OUTCORE_TEXT_LEX_H

#include "outcore/text/modules/job.h"
#include <stdbool.h>

extern const char *const lex_names[LEX_SECTIONS];

/* Local. Returns the module that writes a section. */
enum text_module lex_module(enum lex_section s);

/* Local. Finds the sections of all modules before j->module in j->in. These sections,
 * and no others, must be there. 0, or -EBADMSG with a sentence. */
int lex_parse(struct text_job *j);

/* Local. Writes the head of the job's document. */
void lex_head(struct text_job *j);

/* Local. Begin and end a section, whose contents are put between the two calls;
 * lex_end() needs what lex_begin() returned. */
int64_t lex_begin(struct text_job *j);
void lex_end(struct text_job *j, int64_t begun, enum lex_section s);

/* A span of BODY, [start, end), and the rest of its line. */
struct lex_span {
    int64_t start, end;
    const char *text;
    int32_t text_bytes;
    int32_t from; /* which of several sections it is from */
};

/* Iterates over the lines of a section. */
struct lex_lines {
    const struct text_job *j;
    enum lex_section section;
    const char *at, *end;
};

struct lex_lines lex_lines(const struct text_job *j, enum lex_section s);

/* Local. Reads the next span: 1; 0: there are no more; -EBADMSG with a sentence:
 * malformed line, or span outside BODY. */
int lex_next(struct lex_lines *l, struct lex_span *span);

/* Local. Finds the value of the line "NAME VALUE" of a section. 0, or -EBADMSG. */
int lex_value(const struct text_job *j, enum lex_section s, const char *name,
              double *value);

#endif
