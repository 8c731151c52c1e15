#include "outcore/data/records.h"
#include "base/draw.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
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
static int records_split(const char *text, int64_t *is, int most)
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
    if (records_split(text, is, 3) != 3)
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
    x->n = records_split(text, x->is, FORM_NUMBERS);
    bool right = x->n > 0;
    for (int i = 0; i < x->n && right; i++)
        right = x->is[i] >= (i ? x->is[i - 1] + 1 : least) && x->is[i] <= most;
    if (right)
        return 0;
    return err_usage("--%s: \"%s\" is no list of up to %d numbers from %lld to %lld, "
                     "each larger than the one before, such as 1,2,4",
                     option, text, FORM_NUMBERS, (long long)least, (long long)most);
}

/* ---- graphs ---------------------------------------------------------------------- */

enum { SCALE_MOST = 47 };
#define VERTICES_MOST (INT64_C(1) << 48)

/* ---- graph names ----------------------------------------------------------------- */

static int parse_scale_free(struct graphs_made *g, const char *text)
{
    long long hubs, vertices, degree;
    char rest;
    if (sscanf(text, "S:%lld,%lld,%lld%c", &hubs, &vertices, &degree, &rest) != 3)
        return err_usage("%s: a scale-free graph is S:HUBS,VERTICES,DEGREE, as in "
                         "S:45,1000000,5",
                         text);
    g->hubs = hubs;
    g->vertices = vertices;
    g->degree = degree;
    if (hubs < 1 || vertices <= hubs || vertices > VERTICES_MOST || degree < 1 ||
        __builtin_mul_overflow(g->vertices, g->degree, &g->edges) ||
        g->edges > INT64_MAX / GRAPHS_EDGE || (g->edges /= 2) <= g->hubs)
        return err_usage("%s: it takes at least one hub, more vertices than hubs (at "
                         "most 2^48), and more edges (half of vertices x degree) than "
                         "hubs",
                         text);
    g->rows = 2 * g->edges;
    return 0;
}

static int parse_kronecker(struct graphs_made *g, const char *text)
{
    long long scale, factor;
    char rest;
    if (sscanf(text, "kronecker:%lld,%lld%c", &scale, &factor, &rest) != 2)
        return err_usage("%s: a Kronecker graph is kronecker:SCALE,EDGEFACTOR, as in "
                         "kronecker:20,16",
                         text);
    if (scale < 1 || scale > SCALE_MOST || factor < 1 ||
        factor > INT64_MAX / GRAPHS_EDGE >> scale)
        return err_usage("%s: the scale is 1 to %d, and there are fewer than 2^59 "
                         "edges (2^scale x factor)",
                         text, SCALE_MOST);
    g->scale = (int)scale;
    g->vertices = INT64_C(1) << scale;
    g->edges = g->rows = (int64_t)factor << scale;
    return 0;
}

int graphs_parse(struct graphs_made *g, const char *text)
{
    *g = (struct graphs_made){.kind = GRAPHS_SCALE_FREE};
    if (!strncmp(text, "S:", 2))
        return parse_scale_free(g, text);
    if (strncmp(text, "kronecker:", 10) != 0)
        return 1;
    g->kind = GRAPHS_KRONECKER;
    return parse_kronecker(g, text);
}

void graphs_seed(struct graphs_made *g, uint64_t seed)
{
    bool free = g->kind == GRAPHS_SCALE_FREE;
    g->key = rng_key(seed, free ? RNG_GRAPH : RNG_KRONECKER_BITS);
    g->renumber_key = rng_key(seed, RNG_KRONECKER_NUMBERING);
}

/* ---- edges ----------------------------------------------------------------------- */

static uint64_t source_of(const struct graphs_made *g, int64_t k)
{
    if (k < g->hubs)
        return (uint64_t)k;
    return (uint64_t)(g->hubs +
                      (int64_t)((__int128)(k - g->hubs) * (g->vertices - g->hubs) /
                                (g->edges - g->hubs)));
}

/* The target of edge k. Place p of the list of all ends, with sources at even places,
 * is a copy of an earlier place, which may be a copy itself. */
static uint64_t target_of(const struct graphs_made *g, int64_t k)
{
    if (k < g->hubs)
        return (uint64_t)((k + 1) % g->hubs);
    for (uint64_t p = 2 * (uint64_t)k + 1;;) {
        uint64_t q = rng_below(g->key, p, p - 1);
        int64_t h = (int64_t)(q / 2);
        if (q % 2 == 0)
            return source_of(g, h);
        if (h < g->hubs)
            return (uint64_t)((h + 1) % g->hubs);
        p = q;
    }
}

static void make_scale_free(const struct graphs_made *g, int64_t i, uint64_t edge[2])
{
    edge[i % 2] = source_of(g, i / 2);
    edge[1 - i % 2] = target_of(g, i / 2);
}

static void make_kronecker(const struct graphs_made *g, int64_t j, uint64_t edge[2])
{
    int64_t a = 0, b = 0;
    for (int bit = 0; bit < g->scale; bit++) {
        double r = rng_real(g->key, (uint64_t)j * (uint64_t)g->scale + (uint64_t)bit);
        a = a << 1 | (r >= .76);
        b = b << 1 | ((r >= .57 && r < .76) || r >= .95);
    }
    edge[0] = (uint64_t)shuffle(a, g->vertices, g->renumber_key);
    edge[1] = (uint64_t)shuffle(b, g->vertices, g->renumber_key);
}

void graphs_make(const void *made, int64_t first, int64_t n, void *to)
{
    const struct graphs_made *g = made;
    uint64_t edge[2];
    for (int64_t i = 0; i < n; i++) {
        if (g->kind == GRAPHS_SCALE_FREE)
            make_scale_free(g, first + i, edge);
        else
            make_kronecker(g, first + i, edge);
        edge[0] = htole64(edge[0]);
        edge[1] = htole64(edge[1]);
        memcpy((char *)to + i * GRAPHS_EDGE, edge, GRAPHS_EDGE);
    }
}
