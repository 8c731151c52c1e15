/* Writes a BigTIFF, which large grids need: its head, one directory, longer values, and
 * then the pixels, uncompressed, in one strip. Bands are interleaved; the north comes
 * first, while a PFM's rows begin in the south. */
#include "pfmload/tools/geotiff.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum band { DEPTH, COUNT, DEVIATION, BANDS };
enum type { ASCII = 2, SHORT = 3, LONG = 4, DOUBLE = 12, LONG8 = 16 };
enum { HEAD = 16, DIRECTORY = 512, PIXELS = 4096, ENTRY = 20 };

/* The value of all bands for bins without soundings, and of depths for bins without
 * valid ones. */
static const char no_data[] = "nan";
static const char about[] =
    "<GDALMetadata>"
    "<Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">"
    "average depth of valid soundings, positive downwards</Item>"
    "<Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">m</Item>"
    "<Item name=\"DESCRIPTION\" sample=\"1\" role=\"description\">soundings</Item>"
    "<Item name=\"DESCRIPTION\" sample=\"2\" role=\"description\">"
    "standard deviation of valid soundings</Item>"
    "<Item name=\"UNITTYPE\" sample=\"2\" role=\"unittype\">m</Item>"
    "</GDALMetadata>";

/* Keys: longitude and latitude on WGS 84, in degrees; a pixel is an area. Each key has
 * its number, the place of its value (here), the count 1, and the value. */
static const uint16_t keys[] = {1,    1, 0, 4, /* version 1.1.0, number of keys: */
                                1024, 0, 1, 2, /* model: geographic */
                                1025, 0, 1, 1, /* raster: areas */
                                2048, 0, 1, 4326, 2054, 0, 1, 9102};

struct geotiff {
    const struct pfm_head *head;
    const char *path;
    struct outfile out;
    int rc; /* the first failure */
    int64_t row;
    bool whole;
    float *pixel; /* the row, BANDS values for each bin */
};

/* ---- the head ------------------------------------------------------------------- */

/* The bytes before the pixels, and the place of the next long value. */
struct directory {
    uint8_t bytes[PIXELS];
    size_t entries, free;
};

static void put(uint8_t *at, const void *value, size_t bytes)
{
    memcpy(at, value, bytes);
}

/* Adds a tag. A value of at most eight bytes is in its entry. Tags must come in
 * ascending order. */
static void add_tag(struct directory *d, uint16_t tag, enum type of, uint64_t n,
                    const void *value)
{
    static const size_t size[] = {
        [ASCII] = 1, [SHORT] = 2, [LONG] = 4, [DOUBLE] = 8, [LONG8] = 8};
    uint8_t *entry = d->bytes + HEAD + 8 + ENTRY * d->entries++;
    uint16_t type = (uint16_t)of;
    uint64_t at = d->free;
    size_t bytes = size[of] * n;
    put(entry, &tag, 2);
    put(entry + 2, &type, 2);
    put(entry + 4, &n, 8);
    if (bytes <= 8) {
        put(entry + 12, value, bytes);
        return;
    }
    put(entry + 12, &at, 8);
    put(d->bytes + at, value, bytes);
    d->free += (bytes + 7) / 8 * 8;
}

static void add_number(struct directory *d, uint16_t tag, enum type of, uint64_t number)
{
    uint32_t longer = (uint32_t)number;
    uint16_t shorter = (uint16_t)number;
    add_tag(d, tag, of, 1,
            of == SHORT  ? (const void *)&shorter
            : of == LONG ? (const void *)&longer
                         : &number);
}

static void add_tags(struct directory *d, const struct pfm_head *h)
{
    static const uint16_t bits[BANDS] = {32, 32, 32}, more[BANDS - 1],
                          real[BANDS] = {3, 3, 3};
    uint64_t width = (uint64_t)h->width, height = (uint64_t)h->height;
    double pixel[] = {h->bin_x, h->bin_y, 0};
    double north_west[] = {
        0, 0, 0, geo_wrap(h->min_x), h->min_y + (double)h->height * h->bin_y, 0};
    add_number(d, 256, LONG, width);
    add_number(d, 257, LONG, height);
    add_tag(d, 258, SHORT, BANDS, bits);
    add_number(d, 259, SHORT, 1); /* not compressed */
    add_number(d, 262, SHORT, 1); /* higher values are brighter */
    add_number(d, 273, LONG8, PIXELS);
    add_number(d, 277, SHORT, BANDS);
    add_number(d, 278, LONG, height); /* rows in the strip */
    add_number(d, 279, LONG8, width * height * BANDS * sizeof(float));
    add_number(d, 284, SHORT, 1); /* bands are interleaved */
    add_tag(d, 338, SHORT, BANDS - 1, more);
    add_tag(d, 339, SHORT, BANDS, real);
    add_tag(d, 33550, DOUBLE, 3, pixel);
    add_tag(d, 33922, DOUBLE, 6, north_west);
    add_tag(d, 34735, SHORT, sizeof keys / sizeof *keys, keys);
    add_tag(d, 42112, ASCII, sizeof about, about);
    add_tag(d, 42113, ASCII, sizeof no_data, no_data);
}

/* Makes the head. Numbers have this machine's byte order, which the first two
 * bytes tell. */
static void make_head(struct directory *d, const struct pfm_head *h)
{
    static const uint16_t one = 1, version[] = {43, 8, 0};
    uint64_t at = HEAD, n;
    *d = (struct directory){.free = DIRECTORY};
    memset(d->bytes, *(const uint8_t *)&one ? 'I' : 'M', 2);
    put(d->bytes + 2, version, sizeof version);
    put(d->bytes + 8, &at, 8);
    add_tags(d, h);
    n = d->entries;
    put(d->bytes + HEAD, &n, 8);
}

/* ---- rows ----------------------------------------------------------------------- */

static void geotiff_write(struct geotiff *g, const void *from, size_t n, int64_t at)
{
    const char *next = from;
    while (n && !g->rc) {
        ssize_t done = pwrite(fileno(g->out.file), next, n, at);
        if (done < 0 && errno != EINTR)
            g->rc = err_set(-errno, g->path, at, "it cannot be written: %s",
                            strerror(errno));
        done = done < 0 ? 0 : done;
        next += done;
        n -= (size_t)done;
        at += done;
    }
}

static void clear_row(struct geotiff *g)
{
    for (int64_t i = 0; i < g->head->width * BANDS; i++)
        g->pixel[i] = NAN;
}

static void geotiff_put_row(struct geotiff *g)
{
    size_t bytes = (size_t)g->head->width * BANDS * sizeof *g->pixel;
    int64_t from_north = g->head->height - 1 - g->row++;
    geotiff_write(g, g->pixel, bytes, PIXELS + from_north * (int64_t)bytes);
    clear_row(g);
}

void geotiff_add(struct geotiff *g, const struct pfm_bin *bin)
{
    int64_t row = bin->index / g->head->width;
    float *pixel = g->pixel + bin->index % g->head->width * BANDS;
    while (g->row < row && !g->rc)
        geotiff_put_row(g);
    pixel[COUNT] = (float)bin->soundings;
    if (!pfm_has_depth(g->head, bin))
        return;
    pixel[DEPTH] = (float)bin->average_filtered;
    pixel[DEVIATION] = (float)bin->std;
}

/* ---- the file ------------------------------------------------------------------- */

int geotiff_open(struct geotiff **out, const char *path, const struct pfm_head *h)
{
    struct geotiff *g = *out = calloc(1, sizeof *g);
    struct directory d;
    if (g) {
        *g = (struct geotiff){.head = h, .path = path};
        g->pixel = malloc((size_t)h->width * BANDS * sizeof *g->pixel);
    }
    if (!g || !g->pixel)
        return err_set(-ENOMEM, path, -1, "no memory to make a picture");
    int rc = outfile_open(&g->out, path, OUTFILE_WHOLE);
    if (rc)
        return rc;
    clear_row(g);
    make_head(&d, h);
    geotiff_write(g, d.bytes, sizeof d.bytes, 0);
    return g->rc;
}

void geotiff_end(struct geotiff *g)
{
    while (g->row < g->head->height && !g->rc)
        geotiff_put_row(g);
    g->whole = !g->rc;
}

int geotiff_close(struct geotiff **geotiff)
{
    struct geotiff *g = *geotiff;
    int rc = g ? g->rc : 0;
    if (g && g->whole)
        rc = outfile_close(&g->out, rc);
    else if (g)
        outfile_close(&g->out, -ECANCELED);
    if (g)
        free(g->pixel);
    free(g);
    *geotiff = NULL;
    return rc;
}
