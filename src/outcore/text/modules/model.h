/* Models that label tokens: weights of features, and for a CRF weights of pairs of
 * labels. As text, a line each, with a blank between words:
 *
 *   crf1, or maxent1               the first line
 *   labels O B-ORG I-ORG ...       the second one
 *   t FROM TO WEIGHT               label FROM followed by label TO; CRF only
 *   s FEATURE LABEL WEIGHT
 *
 * A missing weight is 0. Features of a token; forms are in lower case:
 *
 *   w=FORM  p3=, s3=   the form, its first and last 3 bytes
 *   w-1=, w+1=         the form before and behind it in the sentence
 *   shape=             A, a and 0 for upper case, lower case (and bytes from 0x80 on)
 *                      and digits, each run as one; other bytes as they are
 *   first              it is the first of the sentence
 *   label-1=LABEL      of the token before it in the sentence; maxent only
 *
 * Labels are as in IOB2: B-TYPE begins an entity, I-TYPE continues it or begins one, O
 * is outside of entities; any other is a type, whose neighbours are one entity. */
#ifndef OUTCORE_TEXT_MODEL_H
#define OUTCORE_TEXT_MODEL_H

#include "outcore/text/modules/job.h"
#include <stdbool.h>

#define MODEL_LABELS 127

enum feature_kind {
    FEATURE_FORM,
    FEATURE_SHAPE,
    FEATURE_PREFIX,
    FEATURE_SUFFIX,
    FEATURE_BEFORE,
    FEATURE_BEHIND,
    FEATURE_FIRST,
    FEATURE_LABEL,
    FEATURES
};

struct model_label {
    char name[64];
    const char *type; /* entity type, in `name`; NULL: outside of entities */
    bool begins;
};

struct model_weight {
    double weight;
    int32_t label;
    int32_t next; /* next weight of the same feature; -1: none */
};

struct model_feature {
    uint64_t hash;
    int64_t at; /* offset of its value in `text` */
    int32_t bytes, kind;
    int32_t first; /* its first weight; -1: free place */
};

struct model {
    bool crf;
    int labels;
    struct model_label label[MODEL_LABELS];
    double *pair;                  /* weights, labels x labels: [from x labels + to] */
    int32_t before[MODEL_LABELS];  /* the feature label-1= of each label; -1: none */
    struct model_feature *feature; /* hash table, 1 << bits places */
    int bits;
    int64_t features, weights;
    struct model_weight *weight;
    struct text_out text;
};

/* Local. Reads a model of that kind. 0, or -errno with a sentence that has file and
 * line: -EINVAL (usage), -ENOMEM. */
int text_model_load(struct model **m, const struct text_bytes *from, bool crf);
void text_model_free(struct model *m);

/* Local. Returns the hash of a feature's value. */
uint64_t text_model_hash(const char *value, int64_t bytes);

/* Local. Returns the number of the feature of that kind and value, with the value's
 * hash; -1: the model has none. */
int32_t text_model_find(const struct model *m, enum feature_kind kind,
                        const char *value, int64_t bytes, uint64_t hash);

/* Local. Adds a feature's weights (-1: none) to the scores of the labels. */
static inline void text_model_add(const struct model *m, int32_t feature, double *score)
{
    if (feature < 0)
        return;
    for (int32_t w = m->feature[feature].first; w >= 0; w = m->weight[w].next)
        score[m->weight[w].label] += m->weight[w].weight;
}

/* ---- sentences ------------------------------------------------------------------- */

/* Both taggers go through BODY sentence by sentence, so that memory does not grow with
 * it. A sentence ends behind a token ".", "!" or "?" that blanks follow, unless the
 * next token begins with a lower-case letter; and after SENTENCE_MOST tokens. */

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
