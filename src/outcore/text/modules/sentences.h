/* Both taggers go through BODY sentence by sentence, so that memory does not grow with
 * it. A sentence ends behind a token ".", "!" or "?" that blanks follow, unless the
 * next token begins with a lower-case letter; and after SENTENCE_MOST tokens. */
#ifndef OUTCORE_TEXT_SENTENCES_H
#define OUTCORE_TEXT_SENTENCES_H

#include "outcore/text/modules/model.h"

#define SENTENCE_MOST 4096

struct token {
    int64_t start, end; /* in BODY */
    int64_t lower;      /* offset of its form in room->lower */
    uint64_t hash;      /* hash of the form */
};

/* A sentence of n tokens, to be labelled. */
struct tagging {
    struct text_job *j;
    const struct model *m;
    int64_t n;
    const struct token *token;
    int32_t *label;
    double *probability; /* of the label, by token */
};

/* Local. Finds the features of token i that the model has, in the order of enum
 * feature_kind; returns their number, or -ENOMEM if the room has no memory for the
 * token's shape. */
int tagging_features(const struct tagging *t, int64_t i, int32_t feature[FEATURES]);

/* Local. Writes the entities of all sentences, as `decode` labels them, as section s.
 * 0, or -errno with a sentence; decode returns 0 or -ENOMEM without one. */
int tagging_all(struct text_job *j, const struct model *m, enum lex_section s,
                int (*decode)(struct tagging *t));

#endif
