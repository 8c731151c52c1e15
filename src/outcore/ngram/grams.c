#include "outcore/ngram/grams.h"
#include <string.h>

enum {
    AT_ONCE = 16
}; /* grams: a compile-time constant, so that loops are vectorised */

void grams_begin(struct grams *g, int n, bool latin1)
{
    g->letters = (struct letters){.latin1 = latin1};
    g->n = n;
    g->codes = g->kept = 0;
    memset(g->code, 0, GRAMS_N_MOST);
}

/* Combines codes c[0], ... to grams; c[i + n - 1] is the last code of gram i. */
static void combine(const uint8_t *c, int n, uint32_t *to, int64_t grams)
{
    for (int64_t i = 0; i < grams; i += AT_ONCE)
        for (int k = 0; k < AT_ONCE; k++)
            to[i + k] = c[i + k];
    for (int j = 1; j < n; j++)
        for (int64_t i = 0; i < grams; i += AT_ONCE)
            for (int k = 0; k < AT_ONCE; k++)
                to[i + k] = to[i + k] << GRAMS_BITS | c[i + k + j];
}

/* Combines four codes, by far the most usual number. */
static void combine_4(const uint8_t *c, uint32_t *to, int64_t grams)
{
    for (int64_t i = 0; i < grams; i += AT_ONCE)
        for (int k = 0; k < AT_ONCE; k++)
            to[i + k] = (uint32_t)c[i + k] << 15 | (uint32_t)c[i + k + 1] << 10 |
                        (uint32_t)c[i + k + 2] << 5 | c[i + k + 3];
}

/* Counts `more` codes after those that are kept. */
static int64_t count(struct grams *g, int64_t more)
{
    int64_t grams = g->kept + more - (g->n - 1);
    g->codes += more;
    g->kept += more;
    return grams > 0 ? grams : 0;
}

/* Keeps the last n - 1 codes; returns the room behind them. */
static uint8_t *room(struct grams *g)
{
    int64_t past = g->kept - (g->n - 1);
    if (past > 0) {
        memmove(g->code, g->code + past, (size_t)g->n - 1);
        g->kept = g->n - 1;
    }
    return g->code + g->kept;
}

int64_t grams_codes(struct grams *g, const void *text, int64_t bytes)
{
    uint8_t *to = room(g);
    return count(g, letters_take(&g->letters, text, bytes, to));
}

int64_t grams_codes_end(struct grams *g)
{
    uint8_t *to = room(g);
    return count(g, letters_end(&g->letters, to));
}

void grams_combine(struct grams *g, int64_t grams)
{
    if (g->n == 4)
        combine_4(g->code, g->gram, grams);
    else
        combine(g->code, g->n, g->gram, grams);
}

int64_t grams_take(struct grams *g, const void *text, int64_t bytes)
{
    int64_t grams = grams_codes(g, text, bytes);
    grams_combine(g, grams);
    return grams;
}

int64_t grams_end(struct grams *g)
{
    int64_t grams = grams_codes_end(g);
    grams_combine(g, grams);
    return grams;
}

void grams_name(int n, uint32_t gram, char *to)
{
    for (int i = n; i-- > 0; gram >>= GRAMS_BITS) {
        unsigned code = gram & 31;
        to[i] = (char)(code ? 'a' + code - 1 : '_');
    }
    to[n] = 0;
}

int64_t grams_parse(int n, const char *text)
{
    int64_t gram = 0;
    if (strlen(text) != (size_t)n)
        return -1;
    for (; *text; text++) {
        bool letter = *text >= 'a' && *text <= 'z';
        if (!letter && *text != '_')
            return -1;
        gram = gram << GRAMS_BITS | (letter ? *text - 'a' + 1 : 0);
    }
    return gram;
}
