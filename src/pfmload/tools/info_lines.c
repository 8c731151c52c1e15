#include "pfmload/tools/info_lines.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes beyond any line; and digits of degrees: a tenth of a millimetre. */
enum { LINE = 512, BUFFER = 1 << 18, DEGREES = 9, DEVIATION = 6 };

struct info_lines {
    const struct pfm_head *head;
    struct outfile out;
    int decimals; /* of depths: as many as the stored depth has */
    double step;  /* of an offset, as a fraction of a bin */
    char *at;     /* end of the line so far */
    char line[LINE];
};

/* ---- fields --------------------------------------------------------------------- */

static void put_digits(struct info_lines *l, uint64_t value, int least)
{
    char digits[24];
    int n = 0;
    for (; value || n < least; value /= 10)
        digits[n++] = (char)('0' + value % 10);
    while (n)
        *l->at++ = digits[--n];
}

static void put_int(struct info_lines *l, int64_t value, char end)
{
    put_digits(l, (uint64_t)value, 1);
    *l->at++ = end;
}

/* Prints as printf's %.*f, many times faster; values beyond 64 bits, from a damaged
 * header, are clamped. */
static void put_fixed(struct info_lines *l, double value, int decimals, char end)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double scaled = fmax(-9e18, fmin(value * power[decimals], 9e18));
    int64_t whole = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    uint64_t size = whole < 0 ? (uint64_t)-whole : (uint64_t)whole;
    uint64_t one = (uint64_t)power[decimals];
    if (whole < 0)
        *l->at++ = '-';
    put_digits(l, size / one, 1);
    if (decimals) {
        *l->at++ = '.';
        put_digits(l, size % one, decimals);
    }
    *l->at++ = end;
}

static void put_depth(struct info_lines *l, double m, char end)
{
    if (!pfm_is_null(l->head, m))
        put_fixed(l, m, l->decimals, end);
    else
        *l->at++ = end;
}

static void end_line(struct info_lines *l)
{
    fwrite_unlocked(l->line, 1, (size_t)(l->at - l->line), l->out.file);
    l->at = l->line;
}

/* ---- lines ---------------------------------------------------------------------- */

void info_lines_names(struct info_lines *l)
{
    fputs("row,column,longitude,latitude,soundings,valid,average_filtered_m,"
          "min_filtered_m,max_filtered_m,average_m,min_m,max_m,std_m,validity\n",
          l->out.file);
}

void info_lines_bin(struct info_lines *l, const struct pfm_bin *bin)
{
    const struct pfm_head *h = l->head;
    int64_t row = bin->index / h->width, column = bin->index % h->width;
    put_int(l, row, ',');
    put_int(l, column, ',');
    put_fixed(l, geo_wrap(h->min_x + ((double)column + 0.5) * h->bin_x), DEGREES, ',');
    put_fixed(l, h->min_y + ((double)row + 0.5) * h->bin_y, DEGREES, ',');
    put_int(l, bin->soundings, ',');
    if (bin->valid >= 0)
        put_int(l, bin->valid, ',');
    else
        *l->at++ = ',';
    put_depth(l, bin->average_filtered, ',');
    put_depth(l, bin->min_filtered, ',');
    put_depth(l, bin->max_filtered, ',');
    put_depth(l, bin->average, ',');
    put_depth(l, bin->min, ',');
    put_depth(l, bin->max, ',');
    if (pfm_has_depth(h, bin))
        put_fixed(l, bin->std, DEVIATION, ',');
    else
        *l->at++ = ',';
    put_int(l, bin->validity, '\n');
    end_line(l);
}

/* True as in the summaries of bins. */
static bool is_valid(const struct pfm_head *h, const struct pfm_sounding *s)
{
    return !(s->validity & (PFM_INVAL | PFM_DELETED | PFM_REFERENCE)) &&
           s->depth < h->null_raw;
}

void info_lines_soundings(struct info_lines *l, const struct pfm_sounding *s, int64_t n,
                          bool all)
{
    const struct pfm_head *h = l->head;
    double west = n ? h->min_x + (double)(s->bin % h->width) * h->bin_x : 0;
    double south = n ? h->min_y + (double)(s->bin / h->width) * h->bin_y : 0;
    for (int64_t i = 0; i < n; i++) {
        if (!all && !is_valid(h, s + i))
            continue;
        put_fixed(l, geo_wrap(west + s[i].x * l->step * h->bin_x), DEGREES, ' ');
        put_fixed(l, south + s[i].y * l->step * h->bin_y, DEGREES, ' ');
        put_fixed(l, pfm_depth(h, s[i].depth), l->decimals, '\n');
        end_line(l);
    }
}

/* ---- files ---------------------------------------------------------------------- */

int info_lines_open(struct info_lines **out, const char *path, const struct pfm_head *h)
{
    struct info_lines *l = *out = calloc(1, sizeof *l);
    double decimals = ceil(log10(h->depth_scale) - 1e-9);
    if (!l)
        return err_set(-ENOMEM, path, -1, "no memory to write the file");
    l->head = h;
    l->at = l->line;
    l->step = 1 / (double)((INT64_C(1) << h->offset_bits) - 1);
    l->decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : (int)decimals;
    int rc = outfile_open(&l->out, path, OUTFILE_STREAM);
    if (!rc)
        setvbuf(l->out.file, NULL, _IOFBF, BUFFER);
    return rc;
}

bool info_lines_failed(const struct info_lines *l)
{
    return ferror_unlocked(l->out.file);
}

int info_lines_close(struct info_lines **l, int rc)
{
    if (*l)
        rc = outfile_close(&(*l)->out, rc);
    free(*l);
    *l = NULL;
    return rc;
}
