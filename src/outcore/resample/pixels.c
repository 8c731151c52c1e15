#include "outcore/resample/pixels.h"
#include "base/wide.h"
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
