/* Module 2: finds the phrases of the lexicon. O(bytes of BODY + bytes found). */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"
#include <errno.h>

/* Ring of the starts of a document's last words, as many as a phrase can have. */
struct words {
    int64_t *start;
    int64_t mask, n;
};

static void put_found(struct text_job *j, const struct words *w, int32_t state,
                      int64_t end)
{
    const struct lexicon *x = j->tools->lexicon;
    struct text_out *o = j->out;
    for (state = x->state[state].found; state;
         state = x->state[x->state[state].shorter].found) {
        const struct lexicon_term *t = &x->term[x->state[state].term];
        text_put_number(o, w->start[(w->n - t->words) & w->mask], ' ');
        text_put_number(o, end, ' ');
        text_put(o, x->text.at + t->at, t->bytes + 1);
    }
}

/* ---- word boundaries ------------------------------------------------------------- */

enum { BATCH = 1024 }; /* bytes scanned at once */

/* The words of a batch. If n is odd, the last word goes on behind it. */
struct batch {
    int64_t bound[BATCH + 66];      /* start of a word, its end, start of the
                                     * next ... */
    int32_t number[BATCH / 2 + 34]; /* from 1 on; 0: word before the batch */
    struct lexicon_at pair[BATCH / 2 + 33];
    int n;
    uint64_t inside; /* 1: a word goes on */
};

/* Returns a bit for each of 8 bytes, 1 in a word: it gathers their highest bits. */
static inline uint64_t word_bits(uint64_t x)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t low = x & ~high, lower = low | ones << 5;
    uint64_t letter = (lower + ones * (128 - 'a')) & ~(lower + ones * (127 - 'z'));
    uint64_t digit = (low + ones * (128 - '0')) & ~(low + ones * (127 - '9'));
    uint64_t word = (letter | digit) & ~x & high;
    return (word >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Adds the word boundaries in 64 bytes, which are at `offset`. */
static void add_bounds(struct batch *b, const char *at, int64_t offset)
{
    uint64_t bits = 0, eight, change;
    for (int i = 0; i < 8; i++) {
        memcpy(&eight, at + 8 * i, 8);
        bits |= word_bits(le64toh(eight)) << 8 * i;
    }
    change = bits ^ (bits << 1 | b->inside);
    b->inside = bits >> 63;
    for (; change; change &= change - 1)
        b->bound[b->n++] = offset + __builtin_ctzll(change);
}

/* Finds the words of BATCH bytes, or up to the end, from `from` on; returns where it
 * stopped. Bytes behind the end are in no word. */
static int64_t find_words(struct batch *b, const struct lex_part *body, int64_t from)
{
    int64_t to = body->bytes - from > BATCH ? from + BATCH : body->bytes;
    if (b->n % 2)
        b->bound[0] = b->bound[b->n - 1];
    b->n %= 2;
    for (; to - from >= 64; from += 64)
        add_bounds(b, body->at + from, from);
    if (from == to)
        return to;
    char last[64] = {0};
    memcpy(last, body->at + from, (size_t)(to - from));
    add_bounds(b, last, from);
    return to;
}

/* ---- phrases --------------------------------------------------------------------- */

/* Looks up all words first, then pairs, then states: the lookups of words do not depend
 * on each other, so the processor does several at once, and little is left to do for
 * the states. */
static void number_words(const struct lexicon *x, const struct lex_part *body,
                         struct batch *b)
{
    const char *end = body->at + body->bytes;
    for (int i = 0; i < b->n / 2; i++) {
        int64_t at = b->bound[2 * i];
        b->number[i + 1] =
            lexicon_find(x, body->at + at, b->bound[2 * i + 1] - at, end)->number;
    }
}

static void pair_words(const struct lexicon *x, struct batch *b)
{
    for (int i = 0; i < b->n / 2; i++)
        b->pair[i] = lexicon_pair(x, b->number[i], b->number[i + 1]);
    b->number[0] = b->number[b->n / 2];
}

static struct lexicon_at follow(struct text_job *j, struct words *w,
                                const struct batch *b, struct lexicon_at at)
{
    const struct lexicon *x = j->tools->lexicon;
    for (int i = 0; i < b->n / 2; i++) {
        w->start[w->n++ & w->mask] = b->bound[2 * i];
        at = lexicon_next(x, at, b->number[i + 1], b->pair[i]);
        if (x->ends[at.state / 64] >> (at.state % 64) & 1)
            put_found(j, w, at.state, b->bound[2 * i + 1]);
    }
    return at;
}

/* A word that extends to the last byte ends with it. */
static void find_all(struct text_job *j, struct words *w)
{
    const struct lex_part *body = &j->part[LEX_BODY];
    struct lexicon_at at = {0, 0};
    struct batch b;
    b.n = b.number[0] = 0;
    b.inside = 0;
    for (int64_t from = 0; from < body->bytes && !j->out->failed;) {
        from = find_words(&b, body, from);
        if (from == body->bytes && b.inside)
            b.bound[b.n++] = from;
        number_words(j->tools->lexicon, body, &b);
        pair_words(j->tools->lexicon, &b);
        at = follow(j, w, &b, at);
    }
}

int keywords_find(struct text_job *j)
{
    int64_t begun = lex_begin(j), most = 1;
    if (j->tools->lexicon) {
        while (most < j->tools->lexicon->term_words)
            most *= 2;
        if (text_array_fit(&j->room->starts, most, sizeof(int64_t)))
            return text_none(j, "a phrase");
        find_all(j, &(struct words){j->room->starts.at, most - 1, 0});
    }
    lex_end(j, begun, LEX_KEYWORDS);
    return 0;
}
