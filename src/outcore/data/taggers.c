#include "outcore/data/taggers.h"
#include "base/rng.h"
#include "outcore/data/documents.h"
#include <stdio.h>
#include <string.h>

enum { LABELS = 9, PAIRS = LABELS * LABELS, HEAD = 2 };

static const char *const head[2] = {
    "crf1\nlabels O B-ORG I-ORG B-PER I-PER B-LOC I-LOC B-DATE I-DATE\n",
    "maxent1\nlabels O B-ORG I-ORG B-PER I-PER B-LOC I-LOC DATE PLACE\n"};

static const char *const label[2][LABELS] = {
    {"O", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-DATE", "I-DATE"},
    {"O", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-LOC", "I-LOC", "DATE", "PLACE"}};

/* Fills the rest of the line with a number in (-1, 1). */
static void put_weight(const struct tagger *t, int64_t row, char *line, int used)
{
    uint64_t x = rng_at(t->key, (uint64_t)row);
    if (x & 1)
        line[used++] = '-';
    line[used++] = '0';
    line[used++] = '.';
    for (x >>= 4; used < TAGGER_LINE - 1; x /= 10)
        line[used++] = (char)('0' + x % 10);
    line[used] = '\n';
}

/* Puts feature f. Words of documents come first, alone and beside the token; then words
 * of no document. */
static int put_feature(char *line, size_t room, int64_t f)
{
    static const char *const of[] = {"w=", "w-1=", "w+1="};
    char word[16] = {0};
    if (f >= 3 * DOCUMENTS_WORDS)
        return snprintf(line, room, "s w=x%07llx ", (long long)f);
    documents_word(word, (int)(f % DOCUMENTS_WORDS));
    return snprintf(line, room, "s %s%s ", of[f / DOCUMENTS_WORDS], word);
}

static void put_row(const struct tagger *t, int64_t row, char *to)
{
    const char *const *name = label[t->maxent];
    char line[2 * TAGGER_LINE];
    int64_t i = row - HEAD;
    int used;
    if (i < PAIRS) {
        used = snprintf(line, sizeof line, t->maxent ? "s label-1=%s %s " : "t %s %s ",
                        name[i / LABELS], name[i % LABELS]);
    } else {
        i -= PAIRS;
        used = put_feature(line, sizeof line, i / LABELS);
        used +=
            snprintf(line + used, sizeof line - (size_t)used, "%s ", name[i % LABELS]);
    }
    put_weight(t, row, line, used);
    memcpy(to, line, TAGGER_LINE);
}

void tagger_make(const struct tagger *t, int64_t first, int64_t n, void *to)
{
    char *at = to;
    for (int64_t row = first; row < first + n; row++, at += TAGGER_LINE)
        if (row < HEAD)
            memcpy(at, head[t->maxent] + row * TAGGER_LINE, TAGGER_LINE);
        else
            put_row(t, row, at);
}
