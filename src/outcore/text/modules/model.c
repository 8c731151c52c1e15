#include "outcore/text/modules/model.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const prefix[FEATURES] = {
    "w=", "shape=", "p3=", "s3=", "w-1=", "w+1=", "first", "label-1="};

#define WEIGHT_MOST 1e100 /* sums of all stay finite */

struct reading {
    struct model *m;
    const struct text_bytes *from;
    const char *at, *end; /* of the line */
    int64_t line;
};

struct word {
    const char *at;
    int64_t bytes;
};

static int model_bad(const struct reading *r, const char *what)
{
    return err_usage_of(r->from->name, "line %lld of the model %s", (long long)r->line,
                        what);
}

/* ---- features -------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t eight)
{
    hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 31;
}

uint64_t text_model_hash(const char *value, int64_t bytes)
{
    uint64_t hash = (uint64_t)bytes, eight;
    for (; bytes >= 8; value += 8, bytes -= 8) {
        memcpy(&eight, value, 8);
        hash = mix(hash, eight);
    }
    eight = 0;
    for (int64_t i = 0; i < bytes; i++)
        eight = eight << 8 | (unsigned char)value[i];
    return mix(hash, eight);
}

/* Returns the feature's place, or a free one. */
static int64_t model_place(const struct model *m, enum feature_kind kind,
                           const char *value, int64_t bytes, uint64_t hash)
{
    uint64_t mask = (UINT64_C(1) << m->bits) - 1;
    hash = mix(hash, (uint64_t)kind + 1);
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        const struct model_feature *f = &m->feature[i];
        if (f->first < 0 ||
            (f->hash == hash && f->kind == (int32_t)kind && f->bytes == bytes &&
             !memcmp(m->text.at + f->at, value, (size_t)bytes)))
            return (int64_t)i;
    }
}

int32_t text_model_find(const struct model *m, enum feature_kind kind,
                        const char *value, int64_t bytes, uint64_t hash)
{
    int64_t i = model_place(m, kind, value, bytes, hash);
    return m->feature[i].first < 0 ? -1 : (int32_t)i;
}

/* ---- lines ----------------------------------------------------------------------- */

static bool model_next_line(struct reading *r)
{
    const char *all = r->from->at + r->from->bytes;
    r->at = r->line++ ? r->end + 1 : r->from->at;
    if (r->at >= all)
        return false;
    r->end = memchr(r->at, '\n', (size_t)(all - r->at));
    r->end = r->end ? r->end : all;
    return true;
}

/* Returns the next word of the line; an empty word: there is none. */
static struct word next_word(struct reading *r)
{
    const char *at = r->at, *blank = memchr(at, ' ', (size_t)(r->end - at));
    blank = blank ? blank : r->end;
    r->at = blank < r->end ? blank + 1 : blank;
    return (struct word){at, blank - at};
}

static bool is(struct word w, const char *text)
{
    return w.bytes == (int64_t)strlen(text) && !memcmp(w.at, text, (size_t)w.bytes);
}

static int model_number(struct reading *r, double *value)
{
    struct word w = next_word(r);
    char text[64], *rest;
    snprintf(text, sizeof text, "%.*s", (int)(w.bytes < 63 ? w.bytes : 63), w.at);
    *value = strtod(text, &rest);
    if (!w.bytes || rest - text != w.bytes || !(fabs(*value) <= WEIGHT_MOST))
        return model_bad(r, "has no weight from -1e100 to 1e100 at its end");
    return r->at == r->end ? 0 : model_bad(r, "goes on behind its weight");
}

static int label(struct reading *r, int *number)
{
    struct word w = next_word(r);
    for (*number = 0; *number < r->m->labels; ++*number)
        if (is(w, r->m->label[*number].name))
            return 0;
    return model_bad(r, "names a label that is not in the line of labels");
}

/* ---- the parts of a model -------------------------------------------------------- */

static int add_label(struct reading *r, struct word w)
{
    struct model *m = r->m;
    struct model_label *l = &m->label[m->labels];
    if (m->labels == MODEL_LABELS)
        return model_bad(r, "has more than 127 labels");
    if (!w.bytes || w.bytes >= (int64_t)sizeof l->name ||
        memchr(w.at, 0, (size_t)w.bytes))
        return model_bad(r, "has a label without a character, or with more than 63");
    for (int i = 0; i < m->labels; i++)
        if (is(w, m->label[i].name))
            return model_bad(r, "has a label twice");
    memcpy(l->name, w.at, (size_t)w.bytes);
    l->begins = !strncmp(l->name, "B-", 2);
    l->type = l->begins || !strncmp(l->name, "I-", 2) ? l->name + 2 : l->name;
    if (!*l->type)
        return model_bad(r, "has a label without a type");
    if (!strcmp(l->name, "O"))
        l->type = NULL;
    m->labels++;
    return 0;
}

static int model_read_head(struct reading *r)
{
    const char *kind = r->m->crf ? "crf1" : "maxent1";
    int rc = 0;
    if (!model_next_line(r) || !is((struct word){r->at, r->end - r->at}, kind))
        return err_usage_of(r->from->name,
                            "the model does not begin with a line \"%s\"", kind);
    if (!model_next_line(r) || !is(next_word(r), "labels") || r->at == r->end)
        return err_usage_of(r->from->name, "the second line of the model is not "
                                           "\"labels\" and their names");
    while (!rc && r->at < r->end)
        rc = add_label(r, next_word(r));
    return rc;
}

static int read_pair(struct reading *r)
{
    int from, to, rc;
    if (!r->m->crf)
        return model_bad(r, "begins with t, which is of CRFs only");
    if ((rc = label(r, &from)) || (rc = label(r, &to)))
        return rc;
    double *weight = &r->m->pair[from * r->m->labels + to];
    if (!isnan(*weight))
        return model_bad(r, "has a weight of labels that an earlier line has");
    return model_number(r, weight);
}

/* Returns the kind of a feature, and its value; -1: none. */
static int model_split(struct word feature, struct word *value)
{
    for (int kind = 0; kind < FEATURES; kind++) {
        int64_t n = (int64_t)strlen(prefix[kind]);
        bool whole = kind == FEATURE_FIRST ? feature.bytes == n : feature.bytes > n;
        if (whole && !memcmp(feature.at, prefix[kind], (size_t)n)) {
            *value = (struct word){feature.at + n, feature.bytes - n};
            return kind;
        }
    }
    return -1;
}

static int add_weight(struct reading *r, int64_t i, int number, double weight)
{
    struct model *m = r->m;
    struct model_feature *f = &m->feature[i];
    for (int32_t w = f->first; w >= 0; w = m->weight[w].next)
        if (m->weight[w].label == number)
            return model_bad(
                r, "has a weight of a feature and a label that an earlier line "
                   "has");
    m->weight[m->weights] = (struct model_weight){weight, number, f->first};
    f->first = (int32_t)m->weights++;
    return 0;
}

static int read_state(struct reading *r)
{
    struct model *m = r->m;
    struct word value = {0};
    double weight;
    int of, kind = model_split(next_word(r), &value), rc;
    if (kind < 0 || (m->crf && kind == FEATURE_LABEL))
        return model_bad(r, "has a feature that this module does not know");
    if ((rc = label(r, &of)) || (rc = model_number(r, &weight)))
        return rc;
    uint64_t hash = text_model_hash(value.at, value.bytes);
    int64_t i = model_place(m, kind, value.at, value.bytes, hash);
    if (m->feature[i].first < 0) {
        m->feature[i] =
            (struct model_feature){mix(hash, (uint64_t)kind + 1), m->text.bytes,
                                   (int32_t)value.bytes, kind, -1};
        text_put(&m->text, value.at, value.bytes);
        m->features++;
    }
    return add_weight(r, i, of, weight);
}

static int model_read_line(struct reading *r)
{
    struct word kind = next_word(r);
    if (is(kind, "s"))
        return read_state(r);
    return is(kind, "t") ? read_pair(r)
                         : model_bad(r, "begins neither with s nor with t");
}

/* ---- the whole ------------------------------------------------------------------- */

static int64_t count_lines(const struct text_bytes *from)
{
    int64_t n = 1;
    for (int64_t i = 0; i < from->bytes; i++)
        n += from->at[i] == '\n';
    return n;
}

/* Allocates as many features and weights as there are lines, which is enough. */
static int model_allocate(struct reading *r)
{
    struct model *m = r->m;
    int64_t n = count_lines(r->from);
    if (r->from->bytes >= INT32_MAX)
        return err_usage_of(r->from->name, "a model of more than 2^31 - 1 bytes");
    for (m->bits = 4; INT64_C(1) << m->bits < n + n / 2;)
        m->bits++;
    m->feature =
        mem_of(r->from->name, INT64_C(1) << m->bits, sizeof *m->feature, "the model");
    m->weight = mem_of(r->from->name, n, sizeof *m->weight, "the model");
    if (!m->feature || !m->weight || text_out_fit(&m->text, r->from->bytes + 1))
        return mem_none(r->from->name, 0, "the model");
    for (int64_t i = 0; i < INT64_C(1) << m->bits; i++)
        m->feature[i].first = -1;
    return 0;
}

/* Allocates the weights of pairs once the labels are known. NAN: not given yet. */
static int allocate_pairs(struct reading *r)
{
    struct model *m = r->m;
    int n = m->labels * m->labels;
    m->pair = mem_of(r->from->name, n, sizeof *m->pair, "the model");
    for (int i = 0; m->pair && i < n; i++)
        m->pair[i] = NAN;
    return m->pair ? 0 : -ENOMEM;
}

static void finish(struct model *m)
{
    for (int i = 0; i < m->labels * m->labels; i++)
        m->pair[i] = isnan(m->pair[i]) ? 0 : m->pair[i];
    for (int i = 0; i < m->labels; i++) {
        const char *name = m->label[i].name;
        int64_t n = (int64_t)strlen(name);
        m->before[i] =
            text_model_find(m, FEATURE_LABEL, name, n, text_model_hash(name, n));
    }
}

int text_model_load(struct model **model, const struct text_bytes *from, bool crf)
{
    struct reading r = {.m = mem_of(from->name, 1, sizeof *r.m, "the model"),
                        .from = from};
    *model = r.m;
    if (!r.m)
        return -ENOMEM;
    r.m->crf = crf;
    int rc = model_allocate(&r);
    if (!rc)
        rc = model_read_head(&r);
    if (!rc)
        rc = allocate_pairs(&r);
    while (!rc && model_next_line(&r))
        rc = model_read_line(&r);
    if (!rc)
        finish(r.m);
    return rc;
}

void text_model_free(struct model *m)
{
    if (!m)
        return;
    free(m->pair);
    free(m->feature);
    free(m->weight);
    free(m->text.at);
    free(m);
}
