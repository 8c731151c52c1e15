#include "base/wide.h"
#include "outcore/resample/kernel.h"
#include <math.h>
#include <string.h>

/* ---- raw images ------------------------------------------------------------------ */

WIDE static void widen_8(const uint8_t *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i];
}

WIDE static void widen_16(const uint16_t *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i];
}

static void widen_raw(const struct image *m, const void *from, int64_t n, float *to)
{
    if (m->kind == IMAGE_FLOAT)
        memcpy(to, from, (size_t)n * sizeof *to);
    else if (m->bits == 8)
        widen_8(from, n, to);
    else
        widen_16(from, n, to);
}

static double raw_pixel(const struct image *m, const void *at)
{
    uint16_t word;
    float real;
    if (m->kind == IMAGE_FLOAT)
        return memcpy(&real, at, sizeof real), (double)real;
    if (m->bits == 8)
        return *(const uint8_t *)at;
    return memcpy(&word, at, sizeof word), (double)word;
}

/* ---- FITS images ----------------------------------------------------------------- */

static uint64_t big_endian(const uint8_t *from, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x = x << 8 | from[i];
    return x;
}

static int64_t stored_integer(int bitpix, uint64_t x)
{
    if (bitpix == 16)
        return (int16_t)x;
    if (bitpix == 32)
        return (int32_t)x;
    return (int64_t)x;
}

static double stored_real(int bitpix, uint64_t x)
{
    uint32_t word = (uint32_t)x;
    float real;
    double wide;
    if (bitpix == -64)
        return memcpy(&wide, &x, sizeof wide), wide;
    return memcpy(&real, &word, sizeof real), (double)real;
}

static float fits_pixel(const struct image *m, const uint8_t *at)
{
    const struct image_fits *f = &m->fits;
    uint64_t x = big_endian(at, m->bits / 8);
    if (f->bitpix < 0)
        return (float)(f->zero + f->scale * stored_real(f->bitpix, x));
    int64_t integer = stored_integer(f->bitpix, x);
    if (f->has_blank && integer == f->blank)
        return NAN;
    return (float)(f->zero + f->scale * (double)integer);
}

/* Converts unsigned 16-bit pixels, which are stored minus 32768. */
WIDE static void widen_words(const uint8_t *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)((from[2 * i] << 8 | from[2 * i + 1]) ^ 0x8000);
}

WIDE static void turn_32(const void *from, int64_t n, void *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, (const char *)from + 4 * i, sizeof x);
        x = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
        memcpy((char *)to + 4 * i, &x, sizeof x);
    }
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

static void widen_fits(const struct image *m, const uint8_t *from, int64_t n, float *to)
{
    const struct image_fits *f = &m->fits;
    bool plain = f->scale == 1 && f->zero == 0; // NOLINT: as they are written
    if (m->kind == IMAGE_UNSIGNED && m->bits == 8)
        widen_8(from, n, to);
    else if (m->kind == IMAGE_UNSIGNED)
        widen_words(from, n, to);
    else if (f->bitpix == -32 && plain && is_little_endian())
        turn_32(from, n, to);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = fits_pixel(m, from + i * (m->bits / 8));
}

void pixels_widen(const struct image *m, const void *from, int64_t n, float *to)
{
    if (m->fits.bitpix)
        widen_fits(m, from, n, to);
    else
        widen_raw(m, from, n, to);
}

double resample_pixel(const struct image *m, const void *at)
{
    return m->fits.bitpix ? (double)fits_pixel(m, at) : raw_pixel(m, at);
}

/* ---- results --------------------------------------------------------------------- */

static int64_t count_nans(const float *from, int64_t n)
{
    int64_t nans = 0;
    for (int64_t i = 0; i < n; i++)
        nans += from[i] != from[i];
    return nans;
}

/* Rounds to even, and saturates, into n 32-bit numbers. */
WIDE static void narrow(const float *from, int64_t n, float most, int32_t *to,
                        struct resample_counts *counts)
{
    int64_t saturated = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) {
        float x = rintf(from[i]);
        saturated += (x < 0) + (x > most);
        nans += x != x;
        x = x > 0 ? x : 0; /* a NaN becomes 0, too */
        to[i] = (int32_t)(x < most ? x : most);
    }
    counts->saturated += saturated;
    counts->nans += nans;
}

static void put_part(const struct image *m, const int32_t *from, int64_t n, uint8_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t word = (uint16_t)from[i];
        if (m->bits == 8)
            to[i] = (uint8_t)from[i];
        else if (!m->fits.bitpix)
            memcpy(to + 2 * i, &word, sizeof word);
        else {
            to[2 * i] = (uint8_t)((word ^ 0x8000) >> 8);
            to[2 * i + 1] = (uint8_t)word;
        }
    }
}

void pixels_put(const struct image *m, const float *from, int64_t n, void *to,
                struct resample_counts *counts)
{
    enum { PART = 256 };
    int32_t part[PART];
    if (m->kind == IMAGE_FLOAT) {
        counts->nans += count_nans(from, n);
        if (m->fits.bitpix && is_little_endian())
            turn_32(from, n, to);
        else
            memcpy(to, from, (size_t)n * sizeof *from);
        return;
    }
    for (int64_t i = 0, some; i < n; i += some) {
        some = n - i < PART ? n - i : PART;
        narrow(from + i, some, m->bits == 8 ? 255 : 65535, part, counts);
        put_part(m, part, some, (uint8_t *)to + i * (m->bits / 8));
    }
}

/* ---- weights --------------------------------------------------------------------- */

static const double pi = 3.14159265358979323846;

/* ---- tables ---------------------------------------------------------------------- */

static double lanczos(double d, int k)
{
    if (d == 0)
        return 1;
    return fabs(d) < k ? k * sin(pi * d) * sin(pi * d / k) / (pi * pi * d * d) : 0;
}

static void normalize(double w[], int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i];
    for (int i = 0; i < n && sum != 0; i++)
        w[i] /= sum;
}

static void prepare_phase(struct weights_axis *a, int p)
{
    double x = (p + 0.5) / a->s - 0.5 + a->shift, *w = a->w[p];
    if (!a->k) {
        a->first[p] = (int64_t)floor(x + 0.5);
        w[0] = 1;
        return;
    }
    a->first[p] = (int64_t)floor(x) - a->k + 1;
    for (int i = 0; i < a->taps; i++)
        w[i] = lanczos(x - (double)(a->first[p] + i), a->k);
    if (a->normalize)
        normalize(w, a->taps);
}

void weights_prepare(struct weights_axis *a)
{
    a->taps = a->k ? 2 * a->k : 1;
    for (int p = 0; p < a->s; p++)
        prepare_phase(a, p);
}

/* ---- taps ------------------------------------------------------------------------ */

static int64_t first_tap(const struct weights_axis *a, int64_t X)
{
    return X / a->s + a->first[X % a->s];
}

static int64_t weights_clamp(const struct weights_axis *a, int64_t i)
{
    return i < 0 ? 0 : i < a->n ? i : a->n - 1;
}

/* Computes weights at the edges: pixels outside are replaced by the nearest ones
 * inside, whose weights grow. */
static struct weights_of fold(const struct weights_axis *a, int64_t X)
{
    int64_t first = first_tap(a, X);
    struct weights_of o = {.first = weights_clamp(a, first)};
    for (int i = 0; i < a->taps; i++) {
        int64_t at = weights_clamp(a, first + i) - o.first;
        o.w[at] += a->w[X % a->s][i];
        o.n = (int)at + 1;
    }
    return o;
}

static struct weights_of pixels_cut(const struct weights_axis *a, int64_t X)
{
    int64_t first = first_tap(a, X);
    struct weights_of o = {0};
    for (int i = 0; i < a->taps; i++) {
        if (first + i < 0 || first + i >= a->n)
            continue;
        if (!o.n)
            o.first = first + i;
        o.w[o.n++] = a->w[X % a->s][i];
    }
    if (a->edge == EDGE_ZERO && o.n < a->taps)
        o.n = 0;
    if (a->normalize && o.n < a->taps)
        normalize(o.w, o.n);
    return o;
}

struct weights_of weights_of(const struct weights_axis *a, int64_t X)
{
    return a->edge == EDGE_CLAMP ? fold(a, X) : pixels_cut(a, X);
}

/* ---- ranges ---------------------------------------------------------------------- */

struct weights_span weights_need(const struct weights_axis *a, int64_t first,
                                 int64_t end)
{
    struct weights_span span = {weights_clamp(a, first_tap(a, first)),
                                weights_clamp(a, first_tap(a, end - 1) + a->taps - 1) +
                                    1};
    return span;
}

/* Finds the first output pixel whose taps begin at `least` or later, by bisection: they
 * begin later with each output pixel. */
static int64_t begins_from(const struct weights_axis *a, int64_t least)
{
    int64_t low = 0, high = a->n * a->s;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (first_tap(a, middle) < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct weights_span weights_inside(const struct weights_axis *a)
{
    struct weights_span span = {begins_from(a, 0), begins_from(a, a->n - a->taps + 1)};
    if (span.to < span.from)
        span.to = span.from;
    return span;
}

/* ---- the definition -------------------------------------------------------------- */

struct sum {
    double sum, weights;
    int taps; /* number within the image */
};

static double position(const struct weights_axis *a, int64_t X)
{
    return (double)(X / a->s) + (((double)(X % a->s) + 0.5) / a->s - 0.5 + a->shift);
}

/* The weight of input pixel i, and the pixel it is taken from. False: it does
 * not count. */
static bool tap(const struct weights_axis *a, double x, int64_t i, int64_t *from,
                double *w)
{
    *from = weights_clamp(a, i);
    *w = a->k ? lanczos(x - (double)i, a->k) : 1;
    return a->edge == EDGE_CLAMP || *from == i;
}

static int64_t lowest(const struct weights_axis *a, double x)
{
    return (int64_t)(a->k ? floor(x) - a->k + 1 : floor(x + 0.5));
}

/* Sums along row y of the input. */
static struct sum along(const struct weights_axis *a, int64_t X, int64_t y,
                        weights_pixel *pixel, const void *context)
{
    double x = position(a, X), w;
    struct sum s = {0};
    int64_t from;
    for (int64_t i = lowest(a, x); s.taps < a->taps && i < lowest(a, x) + a->taps; i++)
        if (tap(a, x, i, &from, &w)) {
            s.sum += w * pixel(context, from, y);
            s.weights += w;
            s.taps++;
        }
    return s;
}

static bool lacks(const struct weights_axis *a, const struct sum *s)
{
    return !s->taps || (a->edge == EDGE_ZERO && s->taps < a->taps);
}

static double of_sum(const struct weights_axis *a, const struct sum *s)
{
    return a->normalize && s->weights != 0 ? s->sum / s->weights : s->sum;
}

double weights_reference(const struct weights_axis *ax, const struct weights_axis *ay,
                         int64_t X, int64_t Y, weights_pixel *pixel,
                         const void *context)
{
    double y = position(ay, Y), w;
    struct sum all = {0};
    int64_t from;
    for (int64_t j = lowest(ay, y); j < lowest(ay, y) + ay->taps; j++) {
        if (!tap(ay, y, j, &from, &w))
            continue;
        struct sum row = along(ax, X, from, pixel, context);
        if (lacks(ax, &row))
            return 0;
        all.sum += w * of_sum(ax, &row);
        all.weights += w;
        all.taps++;
    }
    return lacks(ay, &all) ? 0 : of_sum(ay, &all);
}
