#include "outcore/text/modules/lexicon.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>
#include <stdlib.h>

/* ---- tokens ---------------------------------------------------------------------- */

const uint8_t token_class[256] = {
    ['\t' ... '\r'] = TOKEN_BLANK, [' '] = TOKEN_BLANK,
    ['0' ... '9'] = TOKEN_DIGIT,   ['A' ... 'Z'] = TOKEN_UPPER,
    ['a' ... 'z'] = TOKEN_LOWER,   [128 ... 255] = TOKEN_HIGH,
};

/* ---- the lexicon ----------------------------------------------------------------- */

/* Sizes are bounds, found before the phrases are read: a word takes at least two bytes
 * of the file, with its separator, and adds at most one edge and one state. */
struct building {
    struct lexicon *x;
    const struct text_bytes *from;
    int32_t *word_of; /* by state: its last word */
    int32_t *before;  /* by state: its parent, without the last word */
    int64_t words_most;
    int64_t line;
};

/* ---- the trie -------------------------------------------------------------------- */

/* Appends to `text`, which has room, in lower case. */
static void put_lower(struct lexicon *x, const char *at, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x->text.at[x->text.bytes++] = token_lower(at[i]);
}

/* Returns the number of a word of `text`, a new one for a new word. */
static int32_t number_of(struct lexicon *x, const char *at, int64_t n)
{
    const char *end = x->text.at + x->text.bytes;
    struct lexicon_word *w = lexicon_find(x, at, n, end);
    if (w->bytes)
        return w->number;
    *w = (struct lexicon_word){.first = lexicon_eight(at, n, end),
                               .bytes = (int32_t)n,
                               .number = (int32_t)++x->words};
    if (n > 16)
        w->at = at - x->text.at;
    else
        w->second = lexicon_second(at, n, end);
    return w->number;
}

static void add_edge(struct lexicon *x, int32_t state, int32_t number, int32_t to)
{
    uint64_t hash = lexicon_hash((uint32_t)state, (uint32_t)number);
    uint64_t mask = (UINT64_C(1) << x->edge_bits) - 1, i = hash >> (64 - x->edge_bits);
    uint64_t bit = hash >> (64 - x->may_bits);
    while (x->edge[i].key)
        i = (i + 1) & mask;
    x->edge[i] =
        (struct lexicon_edge){lexicon_key(state, number), to, x->state[to].shorter};
    x->may[bit / 64] |= UINT64_C(1) << (bit % 64);
    x->edges++;
}

static int32_t new_state(struct building *b, int32_t before, int32_t number)
{
    int32_t to = (int32_t)b->x->states++;
    b->x->state[to] = (struct lexicon_state){.term = -1};
    b->word_of[to] = number;
    b->before[to] = before;
    return to;
}

static int32_t child(struct building *b, int32_t state, int32_t number)
{
    int32_t to = state ? lexicon_step(b->x, state, number).state : number;
    if (to)
        return to;
    to = new_state(b, state, number);
    add_edge(b->x, state, number, to);
    return to;
}

/* Adds a phrase as a term, and numbers its first word. */
static int add_phrase(struct building *b, const char *at, const char *end)
{
    struct lexicon *x = b->x;
    struct lexicon_term t = {.at = x->text.bytes};
    const char *to;
    for (; at < end; at = to) {
        for (to = at; to < end && token_is(to, TOKEN_WORD); to++)
            ;
        if (to == at) {
            to++;
            continue;
        }
        if (t.words)
            x->text.at[x->text.bytes++] = ' ';
        put_lower(x, at, to - at);
        if (!t.words++ && number_of(x, x->text.at + t.at, to - at) > x->singles)
            x->singles = new_state(b, 0, (int32_t)x->words);
    }
    if (!t.words)
        return err_usage_of(b->from->name,
                            "line %lld of the lexicon has no letter and no digit: a "
                            "line is a phrase",
                            (long long)b->line);
    t.bytes = (int32_t)(x->text.bytes - t.at);
    x->text.at[x->text.bytes++] = '\n';
    x->term[x->terms++] = t;
    x->term_words = t.words > x->term_words ? t.words : x->term_words;
    return 0;
}

static void add_states(struct building *b, int32_t term)
{
    struct lexicon *x = b->x;
    const char *at = x->text.at + x->term[term].at, *end = at + x->term[term].bytes;
    int32_t state = 0;
    for (const char *to; at < end; at = to + 1) {
        to = memchr(at, ' ', (size_t)(end - at));
        to = to ? to : end;
        state = child(b, state, number_of(x, at, to - at));
    }
    if (x->state[state].term < 0)
        x->state[state].term = term;
}

static bool lexicon_is_blank(const char *at, const char *end)
{
    while (at < end && token_is(at, TOKEN_BLANK))
        at++;
    return at == end;
}

static int add_all(struct building *b)
{
    const char *at = b->from->at, *end = at + b->from->bytes, *to;
    int rc = 0;
    for (; at < end && !rc; at = to + 1) {
        to = memchr(at, '\n', (size_t)(end - at));
        to = to ? to : end;
        b->line++;
        if (!lexicon_is_blank(at, to))
            rc = add_phrase(b, at, to);
    }
    for (int64_t i = 0; i < b->x->terms && !rc; i++)
        add_states(b, (int32_t)i);
    return rc;
}

/* ---- suffix links ---------------------------------------------------------------- */

/* Returns the suffix link of the state that word `number` leads to from `before`. */
static int32_t shorter_of(const struct building *b, int32_t before, int32_t number)
{
    struct lexicon *x = b->x;
    struct lexicon_at from = {x->state[before].shorter, 0}, pair = {0, 0};
    from.shorter = x->state[from.state].shorter;
    if (before > x->singles)
        pair = lexicon_pair(x, b->word_of[before], number);
    else if (number <= x->singles)
        pair.state = number;
    return lexicon_next(x, from, number, pair).state;
}

/* Links the states in the order of their numbers of words. The order of their own
 * numbers would not do: a state comes after its parent, but not after all states with
 * fewer words. */
static void link_all(struct building *b, int32_t *order, int32_t *depth, int64_t *count)
{
    struct lexicon *x = b->x;
    for (int64_t s = 1; s < x->states; s++) {
        depth[s] = depth[b->before[s]] + 1;
        count[depth[s] + 1]++;
    }
    for (int64_t d = 1; d <= x->term_words + 1; d++)
        count[d] += count[d - 1];
    for (int64_t s = 1; s < x->states; s++)
        order[count[depth[s]]++] = (int32_t)s;
    for (int64_t k = 0; k < x->states - 1; k++) {
        struct lexicon_state *s = &x->state[order[k]];
        if (b->before[order[k]])
            s->shorter = shorter_of(b, b->before[order[k]], b->word_of[order[k]]);
        s->found = s->term >= 0 ? order[k] : x->state[s->shorter].found;
        x->ends[order[k] / 64] |= (uint64_t)(s->found > 0) << (order[k] % 64);
    }
}

static int link_states(struct building *b)
{
    size_t n = (size_t)b->x->states;
    int32_t *order = mem_of(b->from->name, n, sizeof *order, "the lexicon"),
            *depth = mem_of(b->from->name, n, sizeof *depth, "the lexicon");
    int64_t *count =
        mem_of(b->from->name, b->x->term_words + 3, sizeof *count, "the lexicon");
    bool made = order && depth && count;
    if (made)
        link_all(b, order, depth, count);
    free(order);
    free(depth);
    free(count);
    return made ? 0 : -ENOMEM;
}

/* ---- the whole ------------------------------------------------------------------- */

static int bits_for(int64_t n)
{
    int bits = 4;
    while (INT64_C(1) << bits < 2 * n)
        bits++;
    return bits;
}

/* Counts exactly, as a lexicon stays in memory for the whole run. */
static int64_t count_words(const struct text_bytes *from)
{
    int64_t n = 0;
    for (int64_t i = 0; i < from->bytes; i++)
        n += token_is(from->at + i, TOKEN_WORD) &&
             (!i || !token_is(from->at + i - 1, TOKEN_WORD));
    return n;
}

static int64_t count_lines(const struct text_bytes *from)
{
    int64_t n = 1;
    for (int64_t i = 0; i < from->bytes; i++)
        n += from->at[i] == '\n';
    return n;
}

static int lexicon_allocate(struct building *b)
{
    struct lexicon *x = b->x;
    int64_t n = b->words_most = count_words(b->from);
    x->word_bits = x->edge_bits = bits_for(n);
    x->word = mem_of(b->from->name, INT64_C(1) << x->word_bits, sizeof *x->word,
                     "the lexicon");
    x->edge = mem_of(b->from->name, INT64_C(1) << x->edge_bits, sizeof *x->edge,
                     "the lexicon");
    x->may_bits = x->edge_bits + 3; /* at most 1 in 16 is set, by chance */
    x->may = mem_of(b->from->name, INT64_C(1) << (x->may_bits - 6), sizeof *x->may,
                    "the lexicon");
    x->state = mem_of(b->from->name, n + 1, sizeof *x->state, "the lexicon");
    x->ends = mem_of(b->from->name, n / 64 + 1, sizeof *x->ends, "the lexicon");
    x->term =
        mem_of(b->from->name, count_lines(b->from), sizeof *x->term, "the lexicon");
    b->word_of = mem_of(b->from->name, n + 1, sizeof *b->word_of, "the lexicon");
    b->before = mem_of(b->from->name, n + 1, sizeof *b->before, "the lexicon");
    bool made = x->word && x->edge && x->may && x->state && x->ends && x->term &&
                b->word_of && b->before && !text_out_fit(&x->text, b->from->bytes + 1);
    x->states = 1;
    if (made)
        x->state[0].term = -1;
    return made ? 0 : mem_none(b->from->name, 0, "the lexicon");
}

/* Inserts a word into the new table. Its fields hold a word of up to 16 bytes; a longer
 * one is in the text. */
static void put_again(struct lexicon *x, const struct lexicon_word *w)
{
    char own[16];
    uint64_t eight[2] = {htole64(w->first), htole64(w->second)};
    memcpy(own, eight, sizeof own);
    const char *at = w->bytes > 16 ? x->text.at + w->at : own;
    *lexicon_find(x, at, w->bytes, at + w->bytes) = *w;
}

/* Makes the table of words smaller. Every word of every document is looked up, so the
 * table should take few cache lines; but it has many free places, so that a word is
 * mostly found in the first place that is guessed. */
static int shrink_words(struct building *b)
{
    struct lexicon *x = b->x;
    struct lexicon_word *old = x->word;
    int64_t places = INT64_C(1) << x->word_bits;
    x->word_bits = bits_for(2 * x->words);
    x->word = mem_of(b->from->name, INT64_C(1) << x->word_bits, sizeof *x->word,
                     "the lexicon");
    for (int64_t i = 0; x->word && i < places; i++)
        if (old[i].bytes)
            put_again(x, &old[i]);
    free(old);
    return x->word ? 0 : -ENOMEM;
}

/* Makes the table of edges smaller, and gives edges their states' suffix links, which
 * were not known before. */
static int shrink_edges(struct building *b)
{
    struct lexicon *x = b->x;
    struct lexicon_edge *old = x->edge;
    int64_t places = INT64_C(1) << x->edge_bits;
    x->edge_bits = bits_for(x->edges);
    x->edge = mem_of(b->from->name, INT64_C(1) << x->edge_bits, sizeof *x->edge,
                     "the lexicon");
    x->may_bits = x->edge_bits + 3;
    memset(x->may, 0, (size_t)1 << (x->may_bits - 3));
    x->edges = 0;
    x->none = 0;
    for (int64_t i = 0; x->edge && i < places; i++)
        if (old[i].key)
            add_edge(x, (int32_t)(old[i].key >> 32), (int32_t)old[i].key, old[i].to);
    while (x->edge && x->edge[x->none].key)
        x->none++;
    free(old);
    return x->edge ? 0 : -ENOMEM;
}

int lexicon_load(struct lexicon **lexicon, const struct text_bytes *from)
{
    struct building b = {.x = mem_of(from->name, 1, sizeof *b.x, "the lexicon"),
                         .from = from};
    *lexicon = b.x;
    if (!b.x)
        return -ENOMEM;
    int rc = from->bytes < INT32_MAX
                 ? lexicon_allocate(&b)
                 : err_usage_of(from->name, "a lexicon of more than 2^31 - 1 bytes");
    if (!rc)
        rc = add_all(&b);
    if (!rc)
        rc = link_states(&b);
    if (!rc)
        rc = shrink_words(&b);
    if (!rc)
        rc = shrink_edges(&b);
    free(b.word_of);
    free(b.before);
    return rc;
}

void lexicon_free(struct lexicon *x)
{
    if (!x)
        return;
    free(x->word);
    free(x->edge);
    free(x->may);
    free(x->ends);
    free(x->state);
    free(x->term);
    free(x->text.at);
    free(x);
}
