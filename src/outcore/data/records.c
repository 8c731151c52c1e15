#include "outcore/data/records.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- vectors --------------------------------------------------------------------- */

void vectors_make(uint64_t key, int64_t dim, int64_t first, int64_t n, float *to)
{
    uint64_t from = (uint64_t)(first * dim);
    for (int64_t i = 0; i < n * dim; i++)
        to[i] = (float)(rng_at(key, from + (uint64_t)i) >> 40) * 0x1p-24F;
}

void vectors_rows(const void *vectors, int64_t first, int64_t n, void *to)
{
    const struct vectors *v = vectors;
    vectors_make(v->key, v->dim, first, n, to);
}

/* ---- records --------------------------------------------------------------------- */

enum {
    KEY_WORDS = 2, /* words drawn for a record */
    PREFIX_BITS = 16,
    BINARY_WORDS = 10,  /* words of its filler */
    ASCII_WORDS = 3,    /* whole words of its filler */
    DUPLICATE_WORD = 11 /* beyond those of the filler: decides whether the key
                         * is another's */
};

struct drawn {
    uint64_t a, b;
};

static struct drawn draw(const struct records *r, int64_t i)
{
    uint64_t at = (uint64_t)i * KEY_WORDS;
    return (struct drawn){rng_at(r->key, at), rng_at(r->key, at + 1)};
}

static bool is_duplicate(const struct records *r, int64_t i)
{
    uint64_t word = rng_mix(draw(r, i).a + DUPLICATE_WORD);
    return i > 0 && (double)(word >> 11) * 0x1p-53 < r->duplicates;
}

/* Draws the key of record i. */
static struct drawn draw_key(const struct records *r, int64_t i)
{
    while (r->duplicates > 0 && is_duplicate(r, i))
        i /= 2;
    struct drawn d = draw(r, i);
    if (r->skew > 0) {
        uint64_t prefix = (uint64_t)zipf_at(&r->zipf, r->key, (uint64_t)i) - 1;
        d.a = prefix << (64 - PREFIX_BITS) | d.a >> PREFIX_BITS;
    }
    return d;
}

static unsigned char *put_big_endian(unsigned char *to, uint64_t x, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *to++ = (unsigned char)(x >> (56 - 8 * k));
    return to;
}

/* Writes the first 4-bit digits of x. */
static unsigned char *put_hex(unsigned char *to, uint64_t x, int digits)
{
    for (int k = 0; k < digits; k++)
        *to++ = (unsigned char)"0123456789ABCDEF"[x >> (60 - 4 * k) & 15];
    return to;
}

/* Writes five characters from blank to tilde, as digits of a fraction. */
static unsigned char *put_printable(unsigned char *to, uint64_t x)
{
    for (int k = 0; k < 5; k++) {
        unsigned __int128 product = (unsigned __int128)x * 95;
        *to++ = (unsigned char)(' ' + (int)(product >> 64));
        x = (uint64_t)product;
    }
    return to;
}

static void make_binary(const struct records *r, int64_t i, unsigned char *to)
{
    struct drawn key = draw_key(r, i);
    uint64_t a = draw(r, i).a;
    to = put_big_endian(to, key.a, 8);
    to = put_big_endian(to, key.b, 2);
    to = put_big_endian(to, (uint64_t)i, 8);
    for (unsigned k = 1; k <= BINARY_WORDS; k++)
        to = put_big_endian(to, rng_mix(a + k), 8);
    memcpy(to, "\r\n", 2);
}

static void make_ascii(const struct records *r, int64_t i, unsigned char *to)
{
    struct drawn key = draw_key(r, i);
    uint64_t a = draw(r, i).a;
    to = put_printable(to, key.a);
    to = put_printable(to, key.b);
    *to++ = ' ';
    *to++ = ' ';
    to = put_hex(to, 0, 16);
    to = put_hex(to, (uint64_t)i, 16);
    *to++ = ' ';
    *to++ = ' ';
    for (unsigned k = 1; k <= ASCII_WORDS; k++)
        to = put_hex(to, rng_mix(a + k), 16);
    to = put_hex(to, rng_mix(a + ASCII_WORDS + 1), 4);
    memcpy(to, "\r\n", 2);
}

void records_prepare(struct records *r)
{
    if (r->skew > 0)
        zipf_prepare(&r->zipf, RECORDS_PREFIXES, r->skew);
}

void records_make(const struct records *r, int64_t first, int64_t n, void *to)
{
    unsigned char *at = to;
    for (int64_t i = first; i < first + n; i++, at += RECORDS_BYTES)
        if (r->ascii)
            make_ascii(r, i, at);
        else
            make_binary(r, i, at);
}

/* ---- form ------------------------------------------------------------------------ */

/* Parses numbers separated by commas. Returns their number, at most `most`; -1:
 * invalid text. */
static int split(const char *text, int64_t *is, int most)
{
    int n = 0;
    for (const char *at = text;; at++) {
        char word[24];
        size_t length = strcspn(at, ",");
        if (n == most || length >= sizeof word)
            return -1;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (units_parse_int(word, &is[n++]))
            return -1;
        at += length;
        if (!*at)
            return n;
    }
}

int form_parse(struct form *f, const char *text)
{
    int64_t is[3];
    *f = (struct form){.kind = FORM_OTHER};
    if (!strcmp(text, "vector")) {
        f->kind = FORM_VECTORS;
        f->order = (struct sort_order){
            .kind = SORT_FLOATS, .bytes = 4 * FORM_DIM, .key_bytes = 4 * FORM_DIM};
        return 0;
    }
    if (!strcmp(text, "100")) {
        f->kind = FORM_RECORDS;
        f->order = (struct sort_order){
            .kind = SORT_BYTES, .bytes = RECORDS_BYTES, .key_bytes = RECORDS_KEY_BYTES};
        return 0;
    }
    if (split(text, is, 3) != 3)
        return err_usage("--record: \"%s\" is not vector, 100 or BYTES,AT,LENGTH",
                         text);
    if (is[0] < 1 || is[1] < 0 || is[2] < 1 || is[2] > is[0] - is[1])
        return err_usage("--record=%s: a key of %lld bytes from byte %lld on is not "
                         "within a record of %lld bytes",
                         text, (long long)is[2], (long long)is[1], (long long)is[0]);
    f->order = (struct sort_order){
        .kind = SORT_BYTES, .bytes = is[0], .key_at = is[1], .key_bytes = is[2]};
    return 0;
}

int form_numbers(struct form_numbers *x, const char *option, const char *text,
                 int64_t least, int64_t most)
{
    x->n = split(text, x->is, FORM_NUMBERS);
    bool right = x->n > 0;
    for (int i = 0; i < x->n && right; i++)
        right = x->is[i] >= (i ? x->is[i - 1] + 1 : least) && x->is[i] <= most;
    if (right)
        return 0;
    return err_usage("--%s: \"%s\" is no list of up to %d numbers from %lld to %lld, "
                     "each larger than the one before, such as 1,2,4",
                     option, text, FORM_NUMBERS, (long long)least, (long long)most);
}
