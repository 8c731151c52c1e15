/* What is known of languages: of each its most frequent grams. As a file it is text:
 *
 *   leadline-ngrams 1
 *   n 4
 *   en _the 386
 *   en the_ 345
 *
 * a line for each gram, those of a language in a row. No MPI, no files. */
#ifndef OUTCORE_NGRAM_LANGUAGES_H
#define OUTCORE_NGRAM_LANGUAGES_H

#include "outcore/ngram/grams.h"
#include "outcore/ngram/profile.h"
#include <stddef.h>

enum {
    LANGUAGES_MOST = 64,
    LANGUAGES_NAME = 32,             /* bytes of a language's name, with its end */
    LANGUAGES_BYTES_MAX = 256 << 20, /* of a file */
    LANGUAGES_LINE = 96
};

struct languages { /* all zeros: no language */
    int n, languages;
    char name[LANGUAGES_MOST][LANGUAGES_NAME];
    int64_t first[LANGUAGES_MOST + 1]; /* in `gram`, of each language, and the end */
    struct profile_gram *gram;         /* of each language the most frequent first */
    int64_t room;
};

/* Local. Another language, without a gram yet: its number, or -EINVAL (another one is
 * called so, there are too many, or that is no name) or -ENOMEM with a sentence. */
int languages_begin(struct languages *m, const char *name);

/* Local. Another gram of the last one. 0 or -ENOMEM with a sentence. */
int languages_add(struct languages *m, uint32_t gram, int64_t count);

/* Local. That language; -1: there is none of the name. */
int languages_find(const struct languages *m, const char *name, size_t bytes);

/* Local. Of the bytes of the file `path`, which only sentences need. 0, or -EINVAL or
 * -ENOMEM with a sentence; then, too, languages_free is due. */
int languages_parse(struct languages *m, const char *path, const char *text,
                    int64_t bytes);

/* Local. It as a file: line i, 0 .. first[languages] + 1 (two lines come before the
 * grams), to to[LANGUAGES_LINE]; returns its bytes. */
int languages_line(const struct languages *m, int64_t i, char *to);

void languages_free(struct languages *m);

#endif
