#include "outcore/ngram/answers.h"
#include "base/rng.h"
#include <stdio.h>
#include <string.h>

static void take(void *context, const void *data, int64_t bytes)
{
    const struct answers *a = context;
    reading_take(a->reading, data, bytes);
}

static uint64_t hash(const char *name, const struct reading_verdict *v)
{
    uint64_t x = rng_mix((uint64_t)v->score + (uint64_t)v->grams * RNG_STEP);
    x = rng_mix(x + (uint64_t)(v->language + 1));
    while (*name)
        x = rng_mix(x + RNG_STEP + (unsigned char)*name++);
    return x;
}

static void write_line(struct answers *a, const char *name,
                       const struct reading_verdict *v)
{
    char line[ANSWERS_LINE];
    const char *said =
        v->language == CLASSIFIER_NONE ? "undetermined" : a->model->name[v->language];
    int n = snprintf(line, sizeof line, "\t%s\t%lld\t%lld\n", said, (long long)v->grams,
                     (long long)v->score);
    run_stream_put(a->lines, name, (int64_t)strlen(name));
    run_stream_put(a->lines, line, n);
    a->sum.line_bytes += (int64_t)strlen(name) + n;
}

static void end(void *context, const char *name)
{
    struct answers *a = context;
    struct reading_verdict v = reading_end(a->reading, NULL);
    const char *slash = strchr(name, '/');
    int truth = slash ? languages_find(a->model, name, (size_t)(slash - name)) : -1;
    bool none = v.language == CLASSIFIER_NONE;
    a->sum.documents++;
    a->sum.undetermined += none;
    a->sum.grams += v.grams;
    a->sum.sum = (int64_t)((uint64_t)a->sum.sum + hash(name, &v));
    if (truth >= 0)
        a->sum.said[truth][none ? LANGUAGES_MOST : v.language]++;
    if (a->lines)
        write_line(a, name, &v);
}

const struct sink_ops answers_ops = {take, end};

void answers_add(struct answers_sum *to, const struct answers_sum *s)
{
    to->documents += s->documents;
    to->undetermined += s->undetermined;
    to->grams += s->grams;
    to->sum = (int64_t)((uint64_t)to->sum + (uint64_t)s->sum);
    to->line_bytes += s->line_bytes;
    for (int i = 0; i < LANGUAGES_MOST; i++)
        for (int k = 0; k < ANSWERS_KINDS; k++)
            to->said[i][k] += s->said[i][k];
}
