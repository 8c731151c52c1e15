#include "pfmload/tools/grid.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GRID_SIDE 1000 /* most cells along a side */

struct grid;

/* A grid with one row of cells in memory, which is written when bins of the next
 * one come. */
struct grid {
    const struct pfm_head *head;
    struct outfile out;
    struct json json;
    int64_t bins; /* along a cell's side */
    int64_t columns, rows, row;
    bool whole;
    double *sum;
    int64_t *n;
};

static int64_t parts(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

/* Writes the row, rounded to millimetres. */
static void grid_put_row(struct grid *g)
{
    json_array_flat(&g->json, NULL);
    for (int64_t i = 0; i < g->columns; i++)
        json_real(&g->json, NULL,
                  g->n[i] ? round(g->sum[i] / (double)g->n[i] * 1e3) / 1e3 : NAN);
    json_end_array(&g->json);
    memset(g->sum, 0, (size_t)g->columns * sizeof *g->sum);
    memset(g->n, 0, (size_t)g->columns * sizeof *g->n);
    g->row++;
}

void grid_add(struct grid *g, const struct pfm_bin *bin)
{
    const struct pfm_head *h = g->head;
    int64_t row = bin->index / h->width / g->bins;
    int64_t column = bin->index % h->width / g->bins;
    while (g->row < row)
        grid_put_row(g);
    if (!pfm_has_depth(h, bin))
        return;
    g->sum[column] += bin->average_filtered;
    g->n[column]++;
}

void grid_end(struct grid *g)
{
    while (g->row < g->rows)
        grid_put_row(g);
    json_end_array(&g->json);
    json_end_object(&g->json);
    g->whole = true;
}

/* Writes a cell's sides on the ground, in the middle of the grid; a bin's, if the
 * header's coordinates are nowhere on earth. */
static void put_size(struct grid *g)
{
    const struct pfm_head *h = g->head;
    struct geo_point metres = geo_degree((h->min_y + h->max_y) / 2);
    double dx = h->bin_x * metres.lon, dy = h->bin_y * metres.lat;
    if (!(dx > 0 && dy > 0))
        dx = dy = h->bin_m > 0 ? h->bin_m : 1;
    json_real(&g->json, "cell_x_m", dx * (double)g->bins);
    json_real(&g->json, "cell_y_m", dy * (double)g->bins);
}

static void grid_put_head(struct grid *g, const char *handle)
{
    const struct pfm_head *h = g->head;
    struct json *j = &g->json;
    json_start(j, g->out.file);
    json_object(j, NULL);
    json_text(j, "schema", "leadline-pfm-grid/1");
    json_text(j, "file", handle);
    json_int(j, "columns", g->columns);
    json_int(j, "rows", g->rows);
    json_int(j, "bins_of_a_side", g->bins);
    json_real(j, "west", h->min_x);
    json_real(j, "south", h->min_y);
    json_real(j, "cell_x", h->bin_x * (double)g->bins);
    json_real(j, "cell_y", h->bin_y * (double)g->bins);
    put_size(g);
    json_array(j, "depths_m");
}

int grid_open(struct grid **out, const char *path, const char *handle,
              const struct pfm_head *h)
{
    struct grid *g = *out = mem_of(path, 1, sizeof *g, "making a grid");
    int64_t longest = h->width > h->height ? h->width : h->height;
    if (g) {
        *g = (struct grid){.head = h, .bins = parts(longest, GRID_SIDE)};
        g->columns = parts(h->width, g->bins);
        g->rows = parts(h->height, g->bins);
        g->sum = mem_of(path, g->columns, sizeof *g->sum, "making a grid");
        g->n = mem_of(path, g->columns, sizeof *g->n, "making a grid");
    }
    if (!g || !g->sum || !g->n)
        return -ENOMEM;
    int rc = outfile_open(&g->out, path, OUTFILE_STREAM);
    if (!rc)
        grid_put_head(g, handle);
    return rc;
}

/* Ends the grid; an incomplete one is removed. */
static int grid_finish(struct grid *g)
{
    if (!g->whole) {
        outfile_close(&g->out, -ECANCELED);
        return 0;
    }
    json_finish(&g->json); /* outfile_close checks for errors */
    return outfile_close(&g->out, 0);
}

int grid_close(struct grid **grid)
{
    struct grid *g = *grid;
    int rc = g && g->out.file ? grid_finish(g) : 0;
    if (g) {
        free(g->sum);
        free(g->n);
    }
    free(g);
    *grid = NULL;
    return rc;
}

/* ---- GeoTIFF --------------------------------------------------------------------- */

/* Writes a BigTIFF, which large grids need: its head, one directory, longer values, and
 * then the pixels, uncompressed, in one strip. Bands are interleaved; the north comes
 * first, while a PFM's rows begin in the south. */

struct geotiff;

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

static void grid_put(uint8_t *at, const void *value, size_t bytes)
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
    grid_put(entry, &tag, 2);
    grid_put(entry + 2, &type, 2);
    grid_put(entry + 4, &n, 8);
    if (bytes <= 8) {
        grid_put(entry + 12, value, bytes);
        return;
    }
    grid_put(entry + 12, &at, 8);
    grid_put(d->bytes + at, value, bytes);
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
    grid_put(d->bytes + 2, version, sizeof version);
    grid_put(d->bytes + 8, &at, 8);
    add_tags(d, h);
    n = d->entries;
    grid_put(d->bytes + HEAD, &n, 8);
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
    struct geotiff *g = *out = mem_of(path, 1, sizeof *g, "making a picture");
    struct directory d;
    if (g) {
        *g = (struct geotiff){.head = h, .path = path};
        g->pixel = mem_of(path, (int64_t)h->width * BANDS, sizeof *g->pixel,
                          "making a picture");
    }
    if (!g || !g->pixel)
        return -ENOMEM;
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
