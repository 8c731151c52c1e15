/* A model of languages: the most frequent grams of each. As a file it is text:
 *
 *   leadline-ngrams 1
 *   n 4
 *   en _the 386
 *   en the_ 345
 *
 * with a line for each gram, those of a language together. No MPI, no files. */
#ifndef OUTCORE_NGRAM_LANGUAGES_H
#define OUTCORE_NGRAM_LANGUAGES_H

#include "outcore/ngram/grams.h"
#include <stddef.h>

enum {
    LANGUAGES_MOST = 64,
    LANGUAGES_NAME = 32,             /* bytes of a language's name, with terminator */
    LANGUAGES_BYTES_MAX = 256 << 20, /* of a file */
    LANGUAGES_LINE = 96
};

struct languages { /* all zeros: no language */
    int n, languages;
    char name[LANGUAGES_MOST][LANGUAGES_NAME];
    int64_t first[LANGUAGES_MOST + 1]; /* of each language, in `gram`, and the end */
    struct profile_gram *gram;         /* sorted by frequency within each language */
    int64_t room;
};

/* Local. Adds a language without grams: returns its number, or -EINVAL (the name is in
 * use or invalid, or there are too many) or -ENOMEM with a sentence. */
int languages_begin(struct languages *m, const char *name);

/* Local. Adds a gram to the last language. Returns 0, or -ENOMEM with a sentence. */
int languages_add(struct languages *m, uint32_t gram, int64_t count);

/* Local. The number of a language; -1: there is none of that name. */
int languages_find(const struct languages *m, const char *name, size_t bytes);

/* Local. Parses the bytes of the file `path`, which only sentences need. Returns 0, or
 * -EINVAL or -ENOMEM with a sentence; languages_free must be called in any case. */
int languages_parse(struct languages *m, const char *path, const char *text,
                    int64_t bytes);

/* Local. Formats the model as a file: line i, 0 .. first[languages] + 1 (two lines come
 * before the grams), in to[LANGUAGES_LINE]; returns its bytes. */
int languages_line(const struct languages *m, int64_t i, char *to);

void languages_free(struct languages *m);

#endif
