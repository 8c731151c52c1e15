#include "hydro/pfm_pack.h"
#include "hydro/pfm_head.h"
#include <endian.h>
#include <math.h>
#include <string.h>

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
