/* Module 7: measures BODY: blanks, digits, punctuation, lines of numbers. O(bytes), in
 * blocks that stay in the L1 cache. */
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/lex.h"
#include "outcore/text/modules/lexicon.h"

enum { BLOCK = 240, PART = 48, MANY = 3 }; /* a block's counts fit into a byte */

struct counts {
    int64_t blank, upper, lower, digits, punctuation;
    int64_t lines, breaks, words, number_lines;
    int64_t numbers; /* of the current line so far */
};

static inline uint8_t is_in(uint8_t c, uint8_t first, uint8_t last)
{
    return (uint8_t)(c - first) <= (uint8_t)(last - first);
}

static inline uint8_t table_is_blank(uint8_t c)
{
    return is_in(c, '\t', '\r') | (c == ' ');
}

/* Counts n <= BLOCK bytes that follow the byte before them. */
static void count_block(struct counts *c, const uint8_t *at, int n)
{
    uint8_t blank = 0, upper = 0, lower = 0, digits = 0, visible = 0, breaks = 0;
    uint8_t words = 0;
#pragma omp simd reduction(+ : blank, upper, lower, digits, visible, breaks)
    for (int i = 0; i < n; i++) {
        blank += table_is_blank(at[i]);
        upper += is_in(at[i], 'A', 'Z');
        lower += is_in(at[i], 'a', 'z');
        digits += is_in(at[i], '0', '9');
        visible += is_in(at[i], '!', '~');
        breaks += at[i] == '\n';
    }
#pragma omp simd reduction(+ : words)
    for (int i = 0; i < n; i++)
        words += table_is_blank(at[i - 1]) & !table_is_blank(at[i]);
    c->blank += blank;
    c->upper += upper;
    c->lower += lower;
    c->digits += digits;
    c->punctuation += visible - upper - lower - digits;
    c->breaks += breaks;
    c->words += words;
}

/* Returns 1 if a number begins at byte i >= 2. A number is digits, possibly
 * with points or commas between them. */
static inline uint8_t begins(const uint8_t *p)
{
    return is_in(p[0], '0', '9') & !is_in(p[-1], '0', '9') &
           !(((p[-1] == '.') | (p[-1] == ',')) & is_in(p[-2], '0', '9'));
}

static void end_line(struct counts *c)
{
    c->number_lines += c->numbers >= MANY;
    c->numbers = 0;
}

/* Counts numbers by line, in bytes that follow those before them. Few parts have both a
 * number and a line's end, so that their order matters. */
static void count_numbers(struct counts *c, const uint8_t *at, int n)
{
    uint8_t sum = 0, breaks = 0;
#pragma omp simd reduction(+ : sum, breaks)
    for (int i = 0; i < n; i++) {
        sum += begins(at + i);
        breaks += at[i] == '\n';
    }
    if (!sum || !breaks) {
        c->numbers += sum;
        if (breaks)
            end_line(c);
        return;
    }
    for (int i = 0; i < n; i++) {
        c->numbers += begins(at + i);
        if (at[i] == '\n')
            end_line(c);
    }
}

/* Counts the first bytes, which the code that looks back finds preceded by blanks. */
static void count_first(struct counts *c, const struct lex_part *body, int n)
{
    uint8_t first[4] = {' ', ' ', ' ', ' '};
    memcpy(first + 2, body->at, (size_t)n);
    count_block(c, first + 2, n);
    count_numbers(c, first + 2, n);
}

static struct counts table_counts(const struct lex_part *body)
{
    struct counts c = {0};
    int64_t from = body->bytes < 2 ? body->bytes : 2;
    if (from)
        count_first(&c, body, (int)from);
    for (int64_t m; from < body->bytes; from += m) {
        const uint8_t *at = (const uint8_t *)body->at + from;
        m = body->bytes - from < BLOCK ? body->bytes - from : BLOCK;
        int64_t digits = c.digits, breaks = c.breaks;
        count_block(&c, at, (int)m);
        for (int i = 0; i < m && c.digits > digits; i += PART)
            count_numbers(&c, at + i, m - i < PART ? (int)m - i : PART);
        if (c.digits == digits && c.breaks > breaks)
            end_line(&c);
    }
    end_line(&c);
    c.lines = c.breaks + (body->bytes && body->at[body->bytes - 1] != '\n');
    return c;
}

static void table_put(struct text_out *o, const char *name, int64_t value)
{
    text_put_text(o, name);
    text_put(o, " ", 1);
    text_put_number(o, value, '\n');
}

int table_count(struct text_job *j)
{
    const struct lex_part *body = &j->part[LEX_BODY];
    struct counts c = table_counts(body);
    struct text_out *o = j->out;
    int64_t begun = lex_begin(j);
    double lines = c.lines ? (double)c.lines : 1;
    table_put(o, "bytes", body->bytes);
    table_put(o, "blank", c.blank);
    table_put(o, "upper", c.upper);
    table_put(o, "lower", c.lower);
    table_put(o, "digits", c.digits);
    table_put(o, "punctuation", c.punctuation);
    table_put(o, "lines", c.lines);
    table_put(o, "words", c.words);
    text_printf(o, "mean_line %.6f\n", (double)(body->bytes - c.breaks) / lines);
    text_printf(o, "number_lines %.6f\n", (double)c.number_lines / lines);
    lex_end(j, begun, LEX_TABLE);
    return 0;
}
