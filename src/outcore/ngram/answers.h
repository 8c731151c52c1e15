/* Answers on documents: a line for each, in blocks, and sums that do not depend on who
 * has read what. A document's true language is the first directory of its path, if the
 * model has a language of that name: de/page.html. */
#ifndef OUTCORE_NGRAM_ANSWERS_H
#define OUTCORE_NGRAM_ANSWERS_H

#include "outcore/ngram/classifier.h"
#include "outcore/stream/sink.h"
#include "run/stream.h"

enum { ANSWERS_KINDS = LANGUAGES_MOST + 1, ANSWERS_BLOCK = 1 << 16 };

struct answers_sum {
    int64_t documents, undetermined, grams;
    int64_t sum;        /* sum of a hash of each answer, modulo 2^64 */
    int64_t line_bytes; /* bytes of the lines written */
    int64_t said[LANGUAGES_MOST][ANSWERS_KINDS]; /* answers by true language of the
                                                  * documents; the last: undetermined */
};

struct answers { /* answers of a lane */
    const struct languages *model;
    struct reading *reading;
    struct run_stream *lines; /* NULL: not written */
    struct answers_sum sum;
};

extern const struct sink_ops answers_ops; /* with a struct answers as context */

/* Local. Adds the counts of `s` to `to`. */
void answers_add(struct answers_sum *to, const struct answers_sum *s);

/* Local. Most bytes of a line, without the document's name. */
enum { ANSWERS_LINE = LANGUAGES_NAME + 48 };

#endif
