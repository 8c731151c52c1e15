#include "outcore/data/image.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/units.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- stars ----------------------------------------------------------------------- */

/* A night sky from a seed, for pictures. No MPI, no files. */

/* Beyond REACH pixels a star's light is less than 1 in 10^15 of its total. */
enum { SQUARE = 16, REACH = 8 };

static const double sky = 900, noise = 0.4, faintest = 3000, brightest = 300000,
                    spread = 0.9;

/* The light of the star of square (row, column) at pixel (y, x). */
static double star(uint64_t key, int64_t row, int64_t column, int64_t y, int64_t x)
{
    uint64_t own = rng_at(rng_at(key, (uint64_t)row), (uint64_t)column);
    double down = (double)(row * SQUARE - y) + SQUARE * rng_real(own, 0);
    double right = (double)(column * SQUARE - x) + SQUARE * rng_real(own, 1);
    double far = down * down + right * right, two = 2 * spread * spread;
    double light = faintest / (1 - rng_real(own, 2));
    if (far > REACH * REACH)
        return 0;
    return fmin(light, brightest) / (M_PI * two) * exp(-far / two);
}

/* Noise from four numbers of 8 bits, whose sum is nearly Gaussian. */
static double camera(uint64_t key, int64_t y, int64_t x)
{
    uint64_t random = rng_at(rng_at(~key, (uint64_t)y), (uint64_t)x);
    double sum = -510;
    for (int i = 0; i < 4; i++)
        sum += (double)(random >> 8 * i & 255);
    return sky + noise * sum;
}

/* Local, any thread. Pixel (y, x), of 16 bits: the sky with a camera's noise, and stars
 * of Gaussian profile (a standard deviation of 0.9 pixels), one in each square of 16 x
 * 16 pixels. Few are bright: 1 in n has n times the light of the faintest, up to 100.
 * key: rng_key(seed, RNG_STARS). */
static uint16_t stars_pixel(uint64_t key, int64_t y, int64_t x)
{
    /* Stars that can reach this pixel are in its square and the nearest neighbours. */
    int64_t row = (y + SQUARE - REACH) / SQUARE - 1;
    int64_t column = (x + SQUARE - REACH) / SQUARE - 1;
    double light = camera(key, y, x);
    for (int i = 0; i < 4; i++)
        light += star(key, row + i / 2, column + i % 2, y, x);
    return light > UINT16_MAX ? UINT16_MAX : (uint16_t)rint(light);
}

/* ---- images ---------------------------------------------------------------------- */

/* Bytes of the head of a FITS image that is written, and of each block of a
 * FITS file. */
#define IMAGE_FITS_BLOCK 2880

/* Most bytes of a row: a request for one row must be possible with any engine. */
#define IMAGE_ROW_MOST ((INT64_C(1) << 31) - 4096)

static const char magic[] = "LLIMG001";

enum { AT_WIDTH = 8, AT_HEIGHT = 16, AT_BITS = 24, AT_KIND = 28, AT_ROW = 32 };

/* ---- sizes ----------------------------------------------------------------------- */

static bool pixel_is_known(const struct image *m)
{
    if (m->fits.bitpix)
        return true;
    if (m->kind == IMAGE_FLOAT)
        return m->bits == 32;
    return m->kind == IMAGE_UNSIGNED && (m->bits == 8 || m->bits == 16);
}

/* Reports a size as a usage error if it comes from options, else as an error of
 * the file. */
#define REFUSED(path, ...)                                                             \
    ((path) ? err_set(-EINVAL, path, -1, __VA_ARGS__) : err_usage(__VA_ARGS__))

static int image_check(const struct image *m, const char *path)
{
    int64_t all;
    if (!pixel_is_known(m))
        return REFUSED(path,
                       "pixels of %d bits of kind %d: there are unsigned ones of 8 and "
                       "16 bits, kind 0, and floating-point ones of 32, kind 1",
                       m->bits, (int)m->kind);
    if (m->width < 1 || m->height < 1)
        return REFUSED(path, "an image of %lld x %lld pixels has none",
                       (long long)m->width, (long long)m->height);
    if (m->width > IMAGE_ROW_MOST / (m->bits / 8))
        return REFUSED(path,
                       "a row of %lld pixels of %d bits has 2 GiB or more: divide the "
                       "image into columns",
                       (long long)m->width, m->bits);
    if (__builtin_mul_overflow(m->height, IMAGE_ROW_MOST, &all) &&
        __builtin_mul_overflow(m->height, m->width * (m->bits / 8) + 2 * IMAGE_HEAD,
                               &all))
        return REFUSED(path,
                       "an image of %lld x %lld pixels has more than 2^63 - 1 bytes",
                       (long long)m->width, (long long)m->height);
    return 0;
}

struct image image_of(int64_t width, int64_t height, int bits)
{
    return (struct image){.width = width,
                          .height = height,
                          .bits = bits,
                          .kind = bits == 32 ? IMAGE_FLOAT : IMAGE_UNSIGNED};
}

int image_settle(struct image *m, int64_t pad, const char *path)
{
    int rc = image_check(m, path);
    if (!m->head)
        m->head = m->fits.bitpix ? IMAGE_FITS_BLOCK : IMAGE_HEAD;
    if (!rc)
        m->row_bytes = units_round_up(m->width * (m->bits / 8), pad);
    return rc;
}

int64_t image_tail(const struct image *m)
{
    int64_t rows = m->height * m->row_bytes;
    return m->fits.bitpix ? units_round_up(rows, IMAGE_FITS_BLOCK) - rows : 0;
}

int64_t image_bytes(const struct image *m)
{
    return m->head + m->height * m->row_bytes + image_tail(m);
}

/* ---- FITS ------------------------------------------------------------------------ */

bool image_is_fits(const char *path)
{
    static const char end[] = ".fits";
    size_t n = path ? strlen(path) : 0, most = sizeof end - 1;
    return n > most && !strcmp(path + n - most, end);
}

void image_to_fits(struct image *m)
{
    bool words = m->kind == IMAGE_UNSIGNED && m->bits == 16;
    m->fits = (struct image_fits){.bitpix = m->kind == IMAGE_FLOAT ? -32 : m->bits,
                                  .zero = words ? 32768 : 0,
                                  .scale = 1};
}

/* Writes cards of 80 characters, the values right-aligned in columns 11 to 30. */
static void fits_head(const struct image *m, char *to)
{
    const struct {
        const char *name;
        int64_t value;
    } cards[] = {
        {"BITPIX", m->fits.bitpix}, {"NAXIS", 2},  {"NAXIS1", m->width},
        {"NAXIS2", m->height},      {"BSCALE", 1}, {"BZERO", (int64_t)m->fits.zero}};
    enum { CARD = 80, CARDS = sizeof cards / sizeof cards[0] };
    char line[CARD + 1];
    memset(to, ' ', IMAGE_FITS_BLOCK);
    snprintf(line, sizeof line, "SIMPLE  = %20s", "T");
    memcpy(to, line, strlen(line));
    for (int i = 0; i < CARDS; i++) {
        snprintf(line, sizeof line, "%-8s= %20lld", cards[i].name,
                 (long long)cards[i].value);
        memcpy(to += CARD, line, strlen(line));
    }
    memcpy(to + CARD, "END", 3);
}

/* ---- the head -------------------------------------------------------------------- */

static void put_number(uint8_t *to, int bytes, uint64_t x)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(x >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, int bytes)
{
    uint64_t x = 0;
    for (int i = bytes; i-- > 0;)
        x = x << 8 | from[i];
    return x;
}

void image_head(const struct image *m, void *head)
{
    uint8_t *to = head;
    if (m->fits.bitpix) {
        fits_head(m, head);
        return;
    }
    bool padded = m->row_bytes != m->width * (m->bits / 8);
    memset(to, 0, IMAGE_HEAD);
    memcpy(to, magic, sizeof magic - 1);
    put_number(to + AT_WIDTH, 8, (uint64_t)m->width);
    put_number(to + AT_HEIGHT, 8, (uint64_t)m->height);
    put_number(to + AT_BITS, 4, (uint64_t)m->bits);
    put_number(to + AT_KIND, 4, (uint64_t)m->kind);
    put_number(to + AT_ROW, 8, padded ? (uint64_t)m->row_bytes : 0);
}

static int too_short(const struct image *m, int64_t bytes, const char *path)
{
    return err_set(-EINVAL, path, bytes,
                   "the head says %lld x %lld pixels of %d bits, in rows of %lld "
                   "bytes; the file has %lld bytes, which is less: it was cut short, "
                   "or its head is wrong",
                   (long long)m->width, (long long)m->height, m->bits,
                   (long long)m->row_bytes, (long long)bytes);
}

static int parse_row(struct image *m, uint64_t row, const char *path)
{
    if (!row)
        return 0;
    if (row < (uint64_t)m->row_bytes || row > IMAGE_ROW_MOST)
        return err_set(-EINVAL, path, AT_ROW,
                       "the head says rows of %llu bytes: %lld pixels have %lld, and "
                       "%lld are the most",
                       (unsigned long long)row, (long long)m->width,
                       (long long)m->row_bytes, (long long)IMAGE_ROW_MOST);
    m->row_bytes = (int64_t)row;
    return 0;
}

int image_parse(struct image *m, const void *head, int64_t bytes, const char *path)
{
    const uint8_t *from = head;
    if (bytes < IMAGE_HEAD || memcmp(from, magic, sizeof magic - 1) != 0)
        return err_set(-EINVAL, path, 0,
                       "this is neither a FITS image nor a .llimg one, which begins "
                       "with %s and a head of %d bytes",
                       magic, IMAGE_HEAD);
    uint64_t size[2] = {get_number(from + AT_WIDTH, 8),
                        get_number(from + AT_HEIGHT, 8)};
    for (int i = 0; i < 2; i++)
        if (size[i] > INT64_MAX / 2)
            return err_set(-EINVAL, path, AT_WIDTH + 8 * i,
                           "the head says that the image is %llu x %llu pixels large: "
                           "it is wrong",
                           (unsigned long long)size[0], (unsigned long long)size[1]);
    uint64_t bits = get_number(from + AT_BITS, 4), kind = get_number(from + AT_KIND, 4);
    *m = (struct image){.width = (int64_t)size[0],
                        .height = (int64_t)size[1],
                        .bits = bits > 64 ? 0 : (int)bits,
                        .kind = kind > 1 ? 2 : (enum image_kind)kind};
    int rc = image_settle(m, 1, path);
    if (!rc)
        rc = parse_row(m, get_number(from + AT_ROW, 8), path);
    if (rc)
        return rc;
    return m->height > (bytes - IMAGE_HEAD) / m->row_bytes ? too_short(m, bytes, path)
                                                           : 0;
}

/* ---- from a seed ----------------------------------------------------------------- */

static uint16_t pixel_of(const struct image_made *made, int64_t y, int64_t x)
{
    if (made->stars)
        return stars_pixel(made->key, y, x);
    return (uint16_t)(rng_at(made->key, (uint64_t)(y * made->image.width + x)) >> 48);
}

static void make_pixel(const struct image_made *made, int64_t y, int64_t x,
                       uint8_t to[4])
{
    uint16_t whole = pixel_of(made, y, x);
    float real = whole;
    uint32_t word;
    memcpy(&word, &real, sizeof word);
    int bytes = made->image.bits / 8;
    bool fits = made->image.fits.bitpix;
    if (fits && bytes == 2)
        whole ^= 0x8000; /* minus 32768 */
    if (made->image.kind != IMAGE_FLOAT)
        word = (uint32_t)whole >> (16 - 8 * bytes);
    put_number(to, bytes, word);
    for (int i = 0; fits && i < bytes / 2; i++) {
        uint8_t low = to[i];
        to[i] = to[bytes - 1 - i];
        to[bytes - 1 - i] = low;
    }
}

/* Makes bytes of row y from column byte `at` on. */
static void make_row(const struct image_made *made, int64_t y, int64_t at, int64_t n,
                     uint8_t *to)
{
    const struct image *m = &made->image;
    int64_t each = m->bits / 8, used = m->width * each;
    uint8_t pixel[4];
    while (n > 0 && at < used) {
        int64_t skip = at % each, part = each - skip < n ? each - skip : n;
        make_pixel(made, y, at / each, pixel);
        memcpy(to, pixel + skip, (size_t)part);
        to += part;
        at += part;
        n -= part;
    }
    memset(to, 0, (size_t)n);
}

void image_make(const void *context, int64_t first, int64_t n, void *out)
{
    const struct image_made *made = context;
    const struct image *m = &made->image;
    int64_t row = m->row_bytes, size = m->head, end = m->head + m->height * row;
    uint8_t *to = out, head[IMAGE_HEAD];
    for (int64_t part; n > 0; first += part, to += part, n -= part) {
        if (first < size) {
            image_head(m, head);
            part = size - first < n ? size - first : n;
            memcpy(to, head + first, (size_t)part);
            continue;
        }
        int64_t at = (first - size) % row, rest = first < end ? row - at : n;
        part = rest < n ? rest : n;
        if (first < end)
            make_row(made, (first - size) / row, at, part, to);
        else
            memset(to, 0, (size_t)part); /* a FITS image's tail */
    }
}
