#include "hydro/pfm_make.h"
#include "base/err.h"
#include "base/units.h"
#include "hydro/pfm_side.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the grid ------------------------------------------------------------------- */

/* Rounds a value to the text of the header, which defines the grid for all readers
 * and writers. */
static double as_said(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, value);
    return atof(text);
}

/* Sets the size of a bin in degrees, at the centre of the bounds. */
static void size_bins(struct pfm_head *h, const struct pfm_form *f)
{
    struct geo_point centre = {f->south + (f->north - f->south) / 2,
                               f->west + (f->east - f->west) / 2};
    double east = geo_survey(centre, 90, f->bin_m).lon;
    h->bin_x = as_said(geo_wrap(east - centre.lon), 15);
    h->bin_y = as_said(geo_survey(centre, 0, f->bin_m).lat - centre.lat, 15);
}

/* The number of bits for numbers up to the larger of the two, which equals the
 * library's NINT(log2(largest) + 0.5). */
static int64_t bits_of(int64_t largest, int64_t usual)
{
    int64_t bits = 0;
    for (largest = largest > usual ? largest : usual; largest >> bits; bits++)
        ;
    return bits;
}

static int check_form(const struct pfm_form *f)
{
    if (f->version != 6.4 && f->version != 7)
        return err_usage("PFM version %.2f cannot be written: only 6.40 and 7.00 can",
                         f->version);
    if (f->record_length < 1 || f->record_length > PFM_LENGTH_MAX)
        return err_usage("a block of %lld soundings cannot be: take 1 to %d",
                         (long long)f->record_length, PFM_LENGTH_MAX);
    if (!(f->bin_m >= 0.01 && f->bin_m <= 1e5))
        return err_usage("bins of %g m cannot be: take 0.01 to 100000 m", f->bin_m);
    if (!(f->west < f->east && f->south < f->north && f->west >= -180 &&
          f->east <= 540 && f->east - f->west <= 360 && f->south >= -90 &&
          f->north <= 90))
        return err_usage("bounds from %g to %g degrees east and from %g to %g degrees "
                         "north are no area",
                         f->west, f->east, f->south, f->north);
    if (!(f->depth_min <= f->depth_max && fabs(f->depth_min) < 1e6 &&
          fabs(f->depth_max) < 1e6))
        return err_usage("depths from %g to %g m cannot be stored", f->depth_min,
                         f->depth_max);
    return 0;
}

/* Sets the fields of a sounding. Those of files, pings and beams are at least as wide
 * as in the library's own tools. */
static int size_fields(struct pfm_head *h, const struct pfm_form *f)
{
    h->depth_scale = 100;
    h->depth_offset = f->depth_min < 0 ? ceil(-f->depth_min) : 0;
    int64_t null_raw = llround((f->depth_max + 1 + h->depth_offset) * h->depth_scale);
    /* rounded as stored */
    h->null_depth = as_said(pfm_depth(h, (uint32_t)null_raw), 6);
    h->depth_bits = bits_of(null_raw, 1);
    h->count_bits = 24;
    h->std_bits = 32;
    h->std_scale = 1e6;
    h->pointer_bits = 38;
    h->offset_bits = 12;
    h->validity_bits = 23;
    h->file_bits = bits_of(f->files, 1024);
    h->line_bits = bits_of(f->files, 4096);
    h->ping_bits = bits_of(f->pings, 1 << 24);
    h->beam_bits = bits_of(f->beams, 1024);
    if (h->line_bits > 16)
        return err_usage("%lld files are more than the 65535 lines of a PFM: load some "
                         "of them into another",
                         (long long)f->files);
    if (h->ping_bits > 32 || h->beam_bits > 16)
        return err_usage(
            "files of %lld ping%s, pings of %lld beam%s: a PFM has numbers "
            "up to 2^32 and 2^16 for them",
            (long long)f->pings, units_s(f->pings), (long long)f->beams,
            units_s(f->beams));
    return pfm_head_derive(h, NULL);
}

static int size_grid(struct pfm_head *h, const struct pfm_form *f)
{
    h->bin_m = as_said(f->bin_m, 15);
    h->min_x = as_said(f->west, 9);
    h->min_y = as_said(f->south, 9);
    h->edge_x = f->east;
    h->edge_y = f->north;
    size_bins(h, f);
    if (!(h->bin_x > 0 && h->bin_x < 360 && h->bin_y > 0))
        return err_usage(
            "bins of %g m have no sides in degrees around %g degrees north", f->bin_m,
            f->south + (f->north - f->south) / 2);
    double width = floor((f->east - h->min_x) / h->bin_x) + 1;
    double height = floor((f->north - h->min_y) / h->bin_y) + 1;
    double reach = ldexp(1, (int)h->pointer_bits);
    if (!(width >= 1 && height >= 1 && width <= 1e9 && height <= 1e9 &&
          width * height * (double)h->block_bytes < reach &&
          width * height * (double)h->bin_bytes < reach))
        return err_usage("%.0f x %.0f bins of %g m are more than the %lld bits of a "
                         "PFM's pointers reach: take larger bins or a smaller area",
                         width, height, f->bin_m, (long long)h->pointer_bits);
    h->width = (int64_t)width;
    h->height = (int64_t)height;
    h->max_x = h->min_x + width * h->bin_x;
    h->max_y = h->min_y + height * h->bin_y;
    return 0;
}

int pfm_head_make(struct pfm_head *h, const struct pfm_form *form)
{
    int rc = check_form(form);
    *h = (struct pfm_head){.version = form->version,
                           .record_length = form->record_length,
                           .header_bytes = PFM_HEADER_BYTES};
    snprintf(h->version_text, sizeof h->version_text,
             "PFM Software - PFM I/O library V%.2f - 05/15/19", form->version);
    if (!rc)
        rc = size_fields(h, form);
    return rc ? rc : size_grid(h, form);
}

int64_t pfm_coverage_at(const struct pfm_head *h)
{
    return h->version >= 7 ? PFM_COVERAGE_HEADER
                           : h->header_bytes + h->width * h->height * h->bin_bytes;
}

uint8_t pfm_coverage(const struct pfm_bin *bin)
{
    return (bin->validity & PFM_DATA ? PFM_COVERED_DATA : 0) |
           (bin->soundings ? PFM_COVERED_SURVEYED : 0);
}

bool pfm_coverage_fits(uint8_t byte, const struct pfm_bin *bin)
{
    bool valid = bin->validity & PFM_DATA;
    if (byte & PFM_COVERED_DATA)
        return bin->soundings > 0;
    return !bin->soundings || !valid;
}

/* ---- extremes ------------------------------------------------------------------- */

static void lowest(struct pfm_extreme *e, bool first, double value, int64_t bin)
{
    if (first || value < e->value || (value == e->value && bin < e->bin))
        *e = (struct pfm_extreme){value, bin};
}

static void highest(struct pfm_extreme *e, bool first, double value, int64_t bin)
{
    if (first || value > e->value || (value == e->value && bin < e->bin))
        *e = (struct pfm_extreme){value, bin};
}

void pfm_extremes_join(struct pfm_extremes *into, const struct pfm_extremes *other)
{
    const struct pfm_extremes *o = other;
    bool counts = !into->bins, depths = !into->filled;
    if (o->bins) {
        lowest(&into->min_count, counts, o->min_count.value, o->min_count.bin);
        highest(&into->max_count, counts, o->max_count.value, o->max_count.bin);
    }
    if (o->filled) {
        lowest(&into->min, depths, o->min.value, o->min.bin);
        highest(&into->max, depths, o->max.value, o->max.bin);
        lowest(&into->min_filtered, depths, o->min_filtered.value, o->min_filtered.bin);
        highest(&into->max_filtered, depths, o->max_filtered.value,
                o->max_filtered.bin);
        lowest(&into->min_std, depths, o->min_std.value, o->min_std.bin);
        highest(&into->max_std, depths, o->max_std.value, o->max_std.bin);
    }
    into->bins += o->bins;
    into->filled += o->filled;
}

void pfm_extremes_add(struct pfm_extremes *e, const struct pfm_bin *b)
{
    int64_t i = b->index;
    double n = (double)b->soundings;
    pfm_extremes_join(e, &(struct pfm_extremes){.bins = b->soundings > 0,
                                                .filled = (b->validity & PFM_DATA) != 0,
                                                .min = {b->min, i},
                                                .max = {b->max, i},
                                                .min_filtered = {b->min_filtered, i},
                                                .max_filtered = {b->max_filtered, i},
                                                .min_count = {n, i},
                                                .max_count = {n, i},
                                                .min_std = {b->std, i},
                                                .max_std = {b->std, i}});
}

/* ---- the text ------------------------------------------------------------------- */

struct text {
    char *at;
    int64_t left;
};

__attribute__((format(printf, 2, 3))) static void pfm_make_say(struct text *t,
                                                               const char *line, ...)
{
    va_list args;
    va_start(args, line);
    int n = vsnprintf(t->at, (size_t)t->left, line, args);
    va_end(args);
    n = n < t->left ? n : (int)t->left - 1;
    t->at += n;
    t->left -= n;
}

static int say_date(struct text *t, int64_t date_s)
{
    char date[64];
    time_t seconds = (time_t)date_s;
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) ||
        !strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &tm))
        return err_set(-EOVERFLOW, NULL, -1, "%lld seconds after 1970 are no date",
                       (long long)date_s);
    pfm_make_say(t, "[DATE] = %s\n", date);
    return 0;
}

static void say_place(struct text *t, const struct pfm_head *h, const char *key,
                      const struct pfm_extreme *e)
{
    pfm_make_say(t, "[%s] = %lld,%lld\n", key, (long long)(e->bin % h->width),
                 (long long)(e->bin / h->width));
}

static void say_grid(struct text *t, const struct pfm_head *h)
{
    pfm_make_say(t, "[MIN Y] = %.9f\n[MIN X] = %.9f\n", h->min_y, h->min_x);
    pfm_make_say(t, "[MAX Y] = %.9f\n[MAX X] = %.9f\n", h->max_y, h->max_x);
    pfm_make_say(t, "[BIN SIZE XY] = %.15f\n", h->bin_m);
    pfm_make_say(t, "[X BIN SIZE] = %.15f\n[Y BIN SIZE] = %.15f\n", h->bin_x, h->bin_y);
    pfm_make_say(t, "[BIN WIDTH] = %lld\n[BIN HEIGHT] = %lld\n", (long long)h->width,
                 (long long)h->height);
}

static void say_depths(struct text *t, const struct pfm_head *h,
                       const struct pfm_extremes *e)
{
    pfm_make_say(t, "[MIN FILTERED DEPTH] = %f\n", e->min_filtered.value);
    pfm_make_say(t, "[MAX FILTERED DEPTH] = %f\n", e->max_filtered.value);
    say_place(t, h, "MIN FILTERED COORD", &e->min_filtered);
    say_place(t, h, "MAX FILTERED COORD", &e->max_filtered);
    pfm_make_say(t, "[MIN DEPTH] = %f\n[MAX DEPTH] = %f\n", e->min.value, e->max.value);
    say_place(t, h, "MIN COORD", &e->min);
    say_place(t, h, "MAX COORD", &e->max);
}

static void say_fields(struct text *t, const struct pfm_head *h)
{
    pfm_make_say(t, "[BIN HEADER SIZE] = %lld\n", (long long)h->header_bytes);
    pfm_make_say(t, "[COUNT BITS] = %lld\n", (long long)h->count_bits);
    pfm_make_say(t, "[STD BITS] = %lld\n[STD SCALE] = %f\n", (long long)h->std_bits,
                 h->std_scale);
    pfm_make_say(t, "[DEPTH BITS] = %lld\n[DEPTH SCALE] = %f\n[DEPTH OFFSET] = %f\n",
                 (long long)h->depth_bits, h->depth_scale, h->depth_offset);
    pfm_make_say(t, "[RECORD POINTER BITS] = %lld\n", (long long)h->pointer_bits);
    pfm_make_say(t, "[FILE NUMBER BITS] = %lld\n", (long long)h->file_bits);
    pfm_make_say(t, "[LINE NUMBER BITS] = %lld\n", (long long)h->line_bits);
    pfm_make_say(t, "[PING NUMBER BITS] = %lld\n", (long long)h->ping_bits);
    pfm_make_say(t, "[BEAM NUMBER BITS] = %lld\n", (long long)h->beam_bits);
    pfm_make_say(t, "[OFFSET BITS] = %lld\n", (long long)h->offset_bits);
    pfm_make_say(t, "[VALIDITY BITS] = %lld\n", (long long)h->validity_bits);
}

/* Writes the corners of the bounds. */
static void say_points(struct text *t, const struct pfm_head *h)
{
    const double x[] = {h->min_x, h->min_x, h->edge_x, h->edge_x};
    const double y[] = {h->edge_y, h->min_y, h->min_y, h->edge_y};
    for (int i = 0; i < 4; i++)
        pfm_make_say(t, "[POINT] = %.9f,%.9f\n", y[i], x[i]);
}

static void say_counts(struct text *t, const struct pfm_head *h,
                       const struct pfm_extremes *e)
{
    pfm_make_say(t, "[MINIMUM BIN COUNT] = %.0f\n[MAXIMUM BIN COUNT] = %.0f\n",
                 e->min_count.value, e->max_count.value);
    say_place(t, h, "MIN COUNT COORD", &e->min_count);
    say_place(t, h, "MAX COUNT COORD", &e->max_count);
    pfm_make_say(t, "[MIN STANDARD DEVIATION] = %f\n[MAX STANDARD DEVIATION] = %f\n",
                 e->min_std.value, e->max_std.value);
}

/* The coordinate system, for geographic programs. */
static const char wgs84[] =
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
    "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],"
    "PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],"
    "UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],"
    "AUTHORITY[\"EPSG\",\"4326\"]]";

static void say_projection(struct text *t)
{
    pfm_make_say(t, "[CHART SCALE] = 0.000000\n[CLASS TYPE] = 0\n[PROJECTION] = 0\n"
                    "[PROJECTION ZONE] = 0\n[HEMISPHERE] = 0\n");
    pfm_make_say(t, "[WELL-KNOWN TEXT] = %s\n", wgs84);
    for (int i = 0; i < 16; i++)
        pfm_make_say(t, "[PROJECTION PARAMETER %d] = %.*f\n", i, i < 2 ? 3 : 12, 0.);
}

/* Writes a line for each of 20 attributes, all of them unused. */
static void say_each(struct text *t, const char *what, const char *key,
                     const char *value)
{
    for (int i = 0; i < 20; i++)
        pfm_make_say(t, "[%s ATTRIBUTE%s %d] = %s\n", what, key, i, value);
}

static void say_attributes(struct text *t, const char *what)
{
    bool bin = !strcmp(what, "BIN");
    pfm_make_say(t, "[NUMBER OF %s ATTRIBUTES] = 0\n", what);
    say_each(t, what, "", "");
    if (bin) {
        say_each(t, what, " OFFSET", "0.000000");
        say_each(t, what, " MAX", "0.000000");
        say_each(t, what, " NULL", "0.000000");
    }
    for (int i = 0; i < 20; i++)
        pfm_make_say(t,
                     "[MINIMUM %s ATTRIBUTE %d] = 0.000000\n"
                     "[MAXIMUM %s ATTRIBUTE %d] = 0.000000\n",
                     what, i, what, i);
    say_each(t, what, " BITS", "0");
    say_each(t, what, " SCALE", "0.000000");
}

static void say_rest(struct text *t, const struct pfm_head *h)
{
    for (int i = 1; i <= 10; i++)
        pfm_make_say(t, "[USER FLAG %d NAME] = \n", i);
    pfm_make_say(t, "[COVERAGE MAP ADDRESS] = %lld\n",
                 h->version >= 7 ? 0LL : (long long)pfm_coverage_at(h));
    for (int i = 0; i < 2; i++) {
        const char *what = i ? "VERTICAL" : "HORIZONTAL";
        pfm_make_say(t,
                     "[%s ERROR BITS] = 0\n[%s ERROR SCALE] = 0.000000\n"
                     "[MAXIMUM %s ERROR] = 0.000000\n",
                     what, what, what);
    }
    pfm_make_say(t, "[NULL DEPTH] = %f\n", h->null_depth);
}

int pfm_head_text(const struct pfm_head *h, const struct pfm_extremes *e,
                  int64_t date_s, char text[PFM_HEADER_BYTES])
{
    static const struct pfm_extremes none;
    struct text t = {text, PFM_HEADER_BYTES};
    e = e ? e : &none;
    memset(text, 0, PFM_HEADER_BYTES);
    pfm_make_say(&t, "[VERSION] = %s\n[RECORD LENGTH] = %lld\n", h->version_text,
                 (long long)h->record_length);
    int rc = say_date(&t, date_s);
    pfm_make_say(&t,
                 "[CLASSIFICATION] = UNCLASSIFIED\n[CREATION SOFTWARE] = pfmload\n");
    say_grid(&t, h);
    say_depths(&t, h, e);
    say_fields(&t, h);
    say_points(&t, h);
    say_counts(&t, h, e);
    say_projection(&t);
    pfm_make_say(&t, "[AVERAGE FILTERED NAME] = Average Filtered Depth\n"
                     "[AVERAGE NAME] = Average Depth\n[DYNAMIC RELOAD] = 0\n");
    say_attributes(&t, "BIN");
    say_attributes(&t, "NDX");
    say_rest(&t, h);
    return rc;
}
