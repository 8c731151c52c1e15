#include "hydro/pfm_head.h"
#include "base/err.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
