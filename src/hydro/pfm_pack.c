#include "hydro/pfm_pack.h"
#include "base/err.h"
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------------ */

/* Keys, their members, and the limits of their values: those of struct pfm_sounding and
 * 64 bits. A key with a low limit of 0 is optional. */
#define AT(field) offsetof(struct pfm_head, field)
static const struct {
    const char *key;
    size_t at;
    double low, high;
} whole[] =
    {
        {"RECORD LENGTH", AT(record_length), 1, PFM_LENGTH_MAX},
        {"BIN WIDTH", AT(width), 1, 1e9},
        {"BIN HEIGHT", AT(height), 1, 1e9},
        {"BIN HEADER SIZE", AT(header_bytes), PFM_HEADER_BYTES, PFM_HEADER_BYTES},
        {"COUNT BITS", AT(count_bits), 1, 31},
        {"STD BITS", AT(std_bits), 1, 40},
        {"DEPTH BITS", AT(depth_bits), 1, 32},
        {"RECORD POINTER BITS", AT(pointer_bits), 1, 56},
        {"FILE NUMBER BITS", AT(file_bits), 1, 32},
        {"LINE NUMBER BITS", AT(line_bits), 1, 16},
        {"PING NUMBER BITS", AT(ping_bits), 1, 32},
        {"BEAM NUMBER BITS", AT(beam_bits), 1, 16},
        {"OFFSET BITS", AT(offset_bits), 1, 16},
        {"VALIDITY BITS", AT(validity_bits), 1, 32},
        {"HORIZONTAL ERROR BITS", AT(horizontal_bits), 0, 40},
        {"VERTICAL ERROR BITS", AT(vertical_bits), 0, 40},
},
  real[] = {
      {"MIN X", AT(min_x), -1e9, 1e9},
      {"MIN Y", AT(min_y), -1e9, 1e9},
      {"MAX X", AT(max_x), -1e9, 1e9},
      {"MAX Y", AT(max_y), -1e9, 1e9},
      {"BIN SIZE XY", AT(bin_m), -1e9, 1e9},
      {"X BIN SIZE", AT(bin_x), 1e-15, 1e9},
      {"Y BIN SIZE", AT(bin_y), 1e-15, 1e9},
      {"STD SCALE", AT(std_scale), 1e-9, 1e15},
      {"DEPTH SCALE", AT(depth_scale), 1e-9, 1e15},
      {"DEPTH OFFSET", AT(depth_offset), -1e9, 1e9},
      {"NULL DEPTH", AT(null_depth), -1e9, 1e9},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The text behind "[KEY] = " at the start of a line; NULL without such a line. */
static const char *pfm_head_find(const char *text, const char *key)
{
    char line[64];
    size_t n = (size_t)snprintf(line, sizeof line, "[%s] =", key);
    for (const char *at = text; (at = strstr(at, line)); at += n)
        if (at == text || at[-1] == '\n')
            return at + n;
    return NULL;
}

/* Reads the number of a key; an invalid one becomes 0, so that it can be converted. */
static int pfm_head_number(const char *text, const char *path, const char *key,
                           double low, double high, double *value)
{
    const char *at = pfm_head_find(text, key);
    char *end;
    double v;
    *value = 0;
    if (!at && low == 0)
        return 0;
    if (!at)
        return err_set(-EBADMSG, path, -1, "the PFM's header does not say [%s]", key);
    v = strtod(at, &end);
    if (end == at || !(v >= low && v <= high))
        return err_set(-EBADMSG, path, at - text,
                       "the PFM's header says [%s] =%.*s, and that cannot be", key,
                       (int)strcspn(at, "\n") < 40 ? (int)strcspn(at, "\n") : 40, at);
    *value = v;
    return 0;
}

static int version(struct pfm_head *h, const char *text, const char *path)
{
    const char *at = pfm_head_find(text, "VERSION"),
               *v = at ? strstr(at, "library V") : NULL;
    if (!v || v > at + strcspn(at, "\n"))
        return err_set(-EBADMSG, path, 0,
                       "this is not a PFM: its header names no "
                       "version of the library");
    at += strspn(at, " ");
    snprintf(h->version_text, sizeof h->version_text, "%.*s", (int)strcspn(at, "\n"),
             at);
    h->version = atof(v + strlen("library V"));
    if (h->version < 6 || h->version >= 8)
        return err_set(-ENOTSUP, path, 0,
                       "PFM version %.2f cannot be read: only 6 and 7 can", h->version);
    return 0;
}

/* Sums the widths of attributes, numbered from 0; missing ones have none. */
static int attributes(const char *text, const char *path, const char *what,
                      int64_t *bits)
{
    char key[64];
    double n;
    int rc = 0;
    *bits = 0;
    for (int i = 0; i < 20 && !rc; i++) {
        snprintf(key, sizeof key, "%s ATTRIBUTE BITS %d", what, i);
        rc = pfm_head_number(text, path, key, 0, 64, &n);
        *bits += (int64_t)n;
    }
    return rc;
}

/* Finds the area's corners; for more than four, those of the box around it. */
static void edges(struct pfm_head *h, const char *text)
{
    double x, y;
    h->edge_x = h->min_x;
    h->edge_y = h->min_y;
    for (const char *at = text; (at = pfm_head_find(at, "POINT"));)
        if (sscanf(at, "%lf,%lf", &y, &x) == 2) {
            h->edge_x = fmax(h->edge_x, x);
            h->edge_y = fmax(h->edge_y, y);
        }
}

int pfm_head_derive(struct pfm_head *h, const char *path)
{
    h->sounding_bits = h->file_bits + h->line_bits + h->ping_bits + h->beam_bits +
                       h->depth_bits + 2 * h->offset_bits + h->attribute_bits +
                       h->validity_bits + h->horizontal_bits + h->vertical_bits;
    h->block_bytes = (h->sounding_bits * h->record_length + h->pointer_bits + 7) / 8;
    h->bin_bytes =
        (h->count_bits * (h->version >= 7 ? 2 : 1) + h->std_bits + 6 * h->depth_bits +
         h->bin_attribute_bits + h->validity_bits + 2 * h->pointer_bits + 7) /
        8;
    h->null_raw = llround((h->null_depth + h->depth_offset) * h->depth_scale);
    if (h->block_bytes > PFM_BLOCK_MAX || h->bin_bytes > PFM_BLOCK_MAX)
        return err_set(-EBADMSG, path, -1,
                       "by the PFM's header a block has %lld bytes, and that cannot be",
                       (long long)h->block_bytes);
    return 0;
}

int pfm_head_parse(struct pfm_head *h, const char *text, const char *path)
{
    double value;
    int rc = version(h, text, path);
    for (size_t i = 0; i < COUNT(whole) && !rc; i++) {
        rc = pfm_head_number(text, path, whole[i].key, whole[i].low, whole[i].high,
                             &value);
        *(int64_t *)((char *)h + whole[i].at) = (int64_t)value;
    }
    for (size_t i = 0; i < COUNT(real) && !rc; i++)
        rc = pfm_head_number(text, path, real[i].key, real[i].low, real[i].high,
                             (double *)((char *)h + real[i].at));
    if (!rc)
        rc = attributes(text, path, "BIN", &h->bin_attribute_bits);
    if (!rc)
        rc = attributes(text, path, "NDX", &h->attribute_bits);
    edges(h, text);
    return rc ? rc : pfm_head_derive(h, path);
}

/* Reads an extreme. Its place is "column,row"; a place outside of the grid becomes
 * bin -1. */
static struct pfm_extreme pfm_head_extreme(const struct pfm_head *h, const char *text,
                                           const char *key, const char *place)
{
    const char *value = pfm_head_find(text, key),
               *at = place ? pfm_head_find(text, place) : NULL;
    struct pfm_extreme e = {value ? strtod(value, NULL) : 0, 0};
    long long row, column;
    if (at && sscanf(at, "%lld,%lld", &column, &row) == 2)
        e.bin = row >= 0 && row < h->height && column >= 0 && column < h->width
                    ? row * h->width + column
                    : -1;
    return e;
}

void pfm_extremes_parse(struct pfm_extremes *e, const struct pfm_head *h,
                        const char *text)
{
    *e = (struct pfm_extremes){
        .min = pfm_head_extreme(h, text, "MIN DEPTH", "MIN COORD"),
        .max = pfm_head_extreme(h, text, "MAX DEPTH", "MAX COORD"),
        .min_filtered =
            pfm_head_extreme(h, text, "MIN FILTERED DEPTH", "MIN FILTERED COORD"),
        .max_filtered =
            pfm_head_extreme(h, text, "MAX FILTERED DEPTH", "MAX FILTERED COORD"),
        .min_count = pfm_head_extreme(h, text, "MINIMUM BIN COUNT", "MIN COUNT COORD"),
        .max_count = pfm_head_extreme(h, text, "MAXIMUM BIN COUNT", "MAX COUNT COORD"),
        .min_std = pfm_head_extreme(h, text, "MIN STANDARD DEVIATION", NULL),
        .max_std = pfm_head_extreme(h, text, "MAX STANDARD DEVIATION", NULL)};
}

/* ---- records --------------------------------------------------------------------- */

/* ---- bits ----------------------------------------------------------------------- */

/* Writes bits to a record: whole words are stored, the remaining bits are or-ed to the
 * present bytes. */
struct putter {
    uint8_t *to;
    uint64_t word; /* its lowest `used` bits are not stored yet; those above are old */
    int64_t used;  /* < 64 */
};

static inline struct putter put_at(uint8_t *record, int64_t bit)
{
    uint8_t *to = record + bit / 8;
    int64_t used = bit % 8;
    return (struct putter){to, used ? *to >> (8 - used) : 0, used};
}

/* Writes the lowest n bits of value, which has no others; n < 64. */
static inline void pfm_pack_put(struct putter *p, uint64_t value, int64_t n)
{
    int64_t rest = p->used + n - 64;
    if (rest < 0) {
        p->word = p->word << n | value;
        p->used += n;
        return;
    }
    uint64_t full = htobe64(p->word << (n - rest) | value >> rest);
    memcpy(p->to, &full, sizeof full);
    p->to += sizeof full;
    p->word = value;
    p->used = rest;
}

static inline void put_end(struct putter *p)
{
    uint64_t rest = p->used ? p->word << (64 - p->used) : 0;
    for (int64_t left = p->used; left > 0; left -= 8, rest <<= 8)
        *p->to++ |= (uint8_t)(rest >> 56);
}

static void put_zeros(struct putter *p, int64_t n)
{
    for (; n > 32; n -= 32)
        pfm_pack_put(p, 0, 32);
    pfm_pack_put(p, 0, n);
}

struct getter {
    const uint8_t *from, *end; /* range of bytes that may be read */
    int64_t at;                /* number of the next bit */
};

static inline struct getter get_at(const uint8_t *record, int64_t bit, int64_t bits)
{
    return (struct getter){record + bit / 8, record + (bit + bits + 7) / 8, bit % 8};
}

/* Reads the next n bits, at most PFM_FIELD_MAX. */
static inline uint64_t pfm_pack_get(struct getter *g, int64_t n)
{
    uint64_t word = 0;
    const uint8_t *from = g->from + g->at / 8;
    if (g->end - from >= (int64_t)sizeof word)
        memcpy(&word, from, sizeof word);
    else
        memcpy(&word, from, (size_t)(g->end - from));
    word = be64toh(word) << g->at % 8;
    g->at += n;
    return n ? word >> (64 - n) : 0;
}

static bool pfm_pack_fits(int64_t value, int64_t bits)
{
    return value >= 0 && value >> bits == 0;
}

/* ---- blocks --------------------------------------------------------------------- */

/* Widths of a sounding's fields: a copy, which stores to bytes cannot alias. */
struct widths {
    int64_t file, line, ping, beam, depth, offset, attributes, validity, errors;
};

static inline void put_sounding(const struct widths *w, struct putter *p,
                                const struct pfm_sounding *s)
{
    pfm_pack_put(p, (uint64_t)s->file << w->line | s->line, w->file + w->line);
    pfm_pack_put(p, (uint64_t)s->ping << w->beam | s->beam, w->ping + w->beam);
    pfm_pack_put(p, s->depth, w->depth);
    pfm_pack_put(p, (uint64_t)s->x << w->offset | s->y, 2 * w->offset);
    if (w->attributes)
        put_zeros(p, w->attributes);
    pfm_pack_put(p, s->validity, w->validity);
    if (w->errors)
        put_zeros(p, w->errors);
}

void pfm_put_soundings(const struct pfm_head *h, uint8_t *block, int64_t i,
                       const struct pfm_sounding *s, int64_t n)
{
    const struct widths w = {
        h->file_bits,      h->line_bits,     h->ping_bits,
        h->beam_bits,      h->depth_bits,    h->offset_bits,
        h->attribute_bits, h->validity_bits, h->horizontal_bits + h->vertical_bits};
    struct putter p = put_at(block, i * h->sounding_bits);
    for (int64_t k = 0; k < n; k++)
        put_sounding(&w, &p, &s[k]);
    put_end(&p);
}

/* Reads the next n + m bits: returns the last m, and *first has the n before them. */
static inline uint64_t get_two(struct getter *g, int64_t n, int64_t m, uint64_t *first)
{
    uint64_t both = pfm_pack_get(g, n + m);
    *first = both >> m;
    return both & ((UINT64_C(1) << m) - 1);
}

static inline void get_sounding(const struct pfm_head *h, struct getter *g,
                                struct pfm_sounding *s)
{
    uint64_t file, ping, x;
    s->line = (uint16_t)get_two(g, h->file_bits, h->line_bits, &file);
    s->beam = (uint16_t)get_two(g, h->ping_bits, h->beam_bits, &ping);
    s->depth = (uint32_t)pfm_pack_get(g, h->depth_bits);
    s->y = (uint16_t)get_two(g, h->offset_bits, h->offset_bits, &x);
    g->at += h->attribute_bits;
    s->validity = (uint32_t)pfm_pack_get(g, h->validity_bits);
    g->at += h->horizontal_bits + h->vertical_bits;
    s->file = (uint32_t)file;
    s->ping = (uint32_t)ping;
    s->x = (uint16_t)x;
}

void pfm_get_soundings(const struct pfm_head *h, const uint8_t *block, int64_t i,
                       struct pfm_sounding *s, int64_t n, int64_t bin)
{
    struct getter g = get_at(block, i * h->sounding_bits, n * h->sounding_bits);
    for (int64_t k = 0; k < n; k++) {
        s[k].bin = bin;
        get_sounding(h, &g, &s[k]);
    }
}

void pfm_put_next(const struct pfm_head *h, uint8_t *block, int64_t next)
{
    struct putter p = put_at(block, h->record_length * h->sounding_bits);
    pfm_pack_put(&p, (uint64_t)next, h->pointer_bits);
    put_end(&p);
}

int64_t pfm_get_next(const struct pfm_head *h, const uint8_t *block)
{
    struct getter g =
        get_at(block, h->record_length * h->sounding_bits, h->pointer_bits);
    return (int64_t)pfm_pack_get(&g, h->pointer_bits);
}

void pfm_copy_soundings(const struct pfm_head *h, uint8_t *to, int64_t i,
                        const uint8_t *from, int64_t j, int64_t n)
{
    int64_t left = n * h->sounding_bits;
    struct putter p = put_at(to, i * h->sounding_bits);
    struct getter g = get_at(from, j * h->sounding_bits, left);
    for (; left > PFM_FIELD_MAX; left -= PFM_FIELD_MAX)
        pfm_pack_put(&p, pfm_pack_get(&g, PFM_FIELD_MAX), PFM_FIELD_MAX);
    pfm_pack_put(&p, pfm_pack_get(&g, left), left);
    put_end(&p);
}

const char *pfm_unfit(const struct pfm_head *h, const struct pfm_sounding *s)
{
    return !pfm_pack_fits(s->file, h->file_bits)           ? "file"
           : !pfm_pack_fits(s->line, h->line_bits)         ? "line"
           : !pfm_pack_fits(s->ping, h->ping_bits)         ? "ping"
           : !pfm_pack_fits(s->beam, h->beam_bits)         ? "beam"
           : !pfm_pack_fits(s->depth, h->depth_bits)       ? "depth"
           : !pfm_pack_fits(s->x | s->y, h->offset_bits)   ? "place in the bin"
           : !pfm_pack_fits(s->validity, h->validity_bits) ? "validity"
                                                           : NULL;
}

/* ---- bins ----------------------------------------------------------------------- */

static uint64_t raw_depth(const struct pfm_head *h, double z)
{
    return (uint64_t)llround((z + h->depth_offset) * h->depth_scale);
}

static double get_depth(const struct pfm_head *h, struct getter *g)
{
    return pfm_depth(h, (uint32_t)pfm_pack_get(g, h->depth_bits));
}

void pfm_empty_bin(const struct pfm_head *h, struct pfm_bin *bin)
{
    double zero = pfm_depth(h, 0);
    *bin = (struct pfm_bin){.average_filtered = zero,
                            .min_filtered = zero,
                            .max_filtered = zero,
                            .average = zero,
                            .min = zero,
                            .max = zero,
                            .valid = h->version >= 7 ? 0 : -1};
}

void pfm_put_bin(const struct pfm_head *h, uint8_t *record, const struct pfm_bin *bin)
{
    double most = (double)((INT64_C(1) << h->std_bits) - 1);
    struct putter p = put_at(record, 0);
    memset(record, 0, (size_t)h->bin_bytes);
    if (!bin->soundings)
        return;
    pfm_pack_put(&p, (uint64_t)bin->soundings, h->count_bits);
    pfm_pack_put(&p, (uint64_t)llround(fmin(bin->std * h->std_scale, most)),
                 h->std_bits);
    pfm_pack_put(&p, raw_depth(h, bin->average_filtered), h->depth_bits);
    pfm_pack_put(&p, raw_depth(h, bin->min_filtered), h->depth_bits);
    pfm_pack_put(&p, raw_depth(h, bin->max_filtered), h->depth_bits);
    pfm_pack_put(&p, raw_depth(h, bin->average), h->depth_bits);
    pfm_pack_put(&p, raw_depth(h, bin->min), h->depth_bits);
    pfm_pack_put(&p, raw_depth(h, bin->max), h->depth_bits);
    if (h->version >= 7)
        pfm_pack_put(&p, (uint64_t)bin->valid, h->count_bits);
    put_zeros(&p, h->bin_attribute_bits);
    pfm_pack_put(&p, bin->validity, h->validity_bits);
    pfm_pack_put(&p, (uint64_t)bin->first, h->pointer_bits);
    pfm_pack_put(&p, (uint64_t)bin->last, h->pointer_bits);
    put_end(&p);
}

void pfm_get_bin(const struct pfm_head *h, const uint8_t *record, struct pfm_bin *bin)
{
    struct getter g = get_at(record, 0, h->bin_bytes * 8);
    bin->soundings = (int64_t)pfm_pack_get(&g, h->count_bits);
    bin->std = (double)pfm_pack_get(&g, h->std_bits) / h->std_scale;
    bin->average_filtered = get_depth(h, &g);
    bin->min_filtered = get_depth(h, &g);
    bin->max_filtered = get_depth(h, &g);
    bin->average = get_depth(h, &g);
    bin->min = get_depth(h, &g);
    bin->max = get_depth(h, &g);
    bin->valid = h->version >= 7 ? (int64_t)pfm_pack_get(&g, h->count_bits) : -1;
    g.at += h->bin_attribute_bits;
    bin->validity = (uint32_t)pfm_pack_get(&g, h->validity_bits);
    bin->first = (int64_t)pfm_pack_get(&g, h->pointer_bits);
    bin->last = (int64_t)pfm_pack_get(&g, h->pointer_bits);
}

const char *pfm_bin_unfit(const struct pfm_head *h, const struct pfm_bin *bin)
{
    return !pfm_pack_fits(bin->soundings, h->count_bits)     ? "number of soundings"
           : !pfm_pack_fits(bin->validity, h->validity_bits) ? "validity"
           : !pfm_pack_fits(bin->first, h->pointer_bits) ||
                   !pfm_pack_fits(bin->last, h->pointer_bits)
               ? "pointer"
               : NULL;
}
