/* Two ways in which modules split BODY:
 *
 *   words    maximal runs of [A-Za-z0-9], for the lexicon; all else separates them
 *   tokens   maximal runs of [A-Za-z0-9] and of bytes from 0x80 on, which are parts of
 *            letters in UTF-8; each other byte that is no ASCII blank is one, too */
#ifndef OUTCORE_TEXT_TOKENS_H
#define OUTCORE_TEXT_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

enum token_class {
    TOKEN_UPPER = 1,
    TOKEN_LOWER = 2,
    TOKEN_DIGIT = 4,
    TOKEN_HIGH = 8, /* from 0x80 on */
    TOKEN_BLANK = 16,
    TOKEN_WORD = TOKEN_UPPER | TOKEN_LOWER | TOKEN_DIGIT,
    TOKEN_RUN = TOKEN_WORD | TOKEN_HIGH
};

extern const uint8_t token_class[256];

static inline bool token_is(const char *at, int of)
{
    return token_class[(unsigned char)*at] & of;
}

/* Returns an ASCII letter in lower case, and any other byte as it is. */
static inline char token_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Local. Finds the next token of [*at, end), as [*at, *to); false: there is none. */
static inline bool token_next(const char **at, const char **to, const char *end)
{
    const char *p = *at;
    while (p < end && token_is(p, TOKEN_BLANK))
        p++;
    *at = p;
    if (p == end)
        return false;
    if (token_is(p++, TOKEN_RUN))
        while (p < end && token_is(p, TOKEN_RUN))
            p++;
    *to = p;
    return true;
}

#endif
