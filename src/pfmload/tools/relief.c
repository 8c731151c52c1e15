#include "pfmload/tools/relief.h"
#include "base/err.h"
#include "base/format/png.h"
#include "hydro/geodesy.h"
#include "pfmload/tools/legend.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels: sides of the map, and how large small grids are made; of how many the range
 * of depths is found. */
enum { SIDE_MAX = 2000, SIDE_SMALL = 1000, ENLARGE_MAX = 16, SAMPLE = 1 << 16 };

struct relief {
    struct info *in;
    struct png_file *file;
    int64_t width, height; /* of the map, pixels */
    int64_t step;          /* pixels of a bin; 1 where there are several bins in one */
    double x_scale, y_scale; /* pixels of a bin's sides */
    float *depth;            /* row by row from the south; NaN: none */
    /* the row of pixels that is being added up */
    int64_t row, row_end;
    double *sum;
    int64_t *n;
    /* what is drawn */
    struct legend legend;
    double exaggeration;
    uint8_t *line;
};

/* ---- from bins to pixels -------------------------------------------------------- */

/* Pixels of bin i along a side: from .. end - 1. */
static int64_t from(double scale, int64_t i)
{
    return (int64_t)((double)i * scale);
}

static int64_t end(double scale, int64_t i)
{
    int64_t first = from(scale, i), next = from(scale, i + 1);
    return next > first ? next : first + 1;
}

/* Pixels are square on the ground, in the middle of the grid; bins are, where a header
 * says that it is nowhere on earth. */
static void size_up(struct relief *r, const struct pfm_head *h)
{
    struct geo_point metres = geo_degree((h->min_y + h->max_y) / 2);
    double dx = h->bin_x * metres.lon, dy = h->bin_y * metres.lat;
    if (!(dx > 0 && dy > 0))
        dx = dy = h->bin_m > 0 ? h->bin_m : 1;
    double longest = fmax((double)h->width * dx, (double)h->height * dy);
    double pixel = fmin(dx, dy), side = longest / pixel;
    r->step = 1;
    if (side > SIDE_MAX)
        pixel = longest / SIDE_MAX;
    else
        r->step = (int64_t)fmax(1, fmin(SIDE_SMALL / side, ENLARGE_MAX));
    r->legend.pixel_m = pixel / (double)r->step;
    r->x_scale = dx / r->legend.pixel_m;
    r->y_scale = dy / r->legend.pixel_m;
    r->width = end(r->x_scale, h->width - 1);
    r->height = end(r->y_scale, h->height - 1);
    r->row_end = end(r->y_scale, 0);
    r->legend.height = r->height > LEGEND_HEIGHT ? r->height : LEGEND_HEIGHT;
}

static void end_row(struct relief *r)
{
    for (int64_t y = r->row; y < r->row_end; y++)
        for (int64_t x = 0; x < r->width; x++)
            r->depth[y * r->width + x] =
                r->n[x] ? (float)(r->sum[x] / (double)r->n[x]) : NAN;
    memset(r->sum, 0, (size_t)r->width * sizeof *r->sum);
    memset(r->n, 0, (size_t)r->width * sizeof *r->n);
}

void relief_add(struct relief *r, const struct pfm_bin *bin)
{
    const struct pfm_head *h = r->in->head;
    int64_t row = bin->index / h->width, column = bin->index % h->width;
    int64_t y = from(r->y_scale, row), last = end(r->x_scale, column);
    if (y != r->row) {
        end_row(r);
        r->row = y;
        r->row_end = end(r->y_scale, row);
    }
    if (!(bin->validity & PFM_DATA) || bin->average_filtered >= h->null_depth)
        return;
    for (int64_t x = from(r->x_scale, column); x < last; x++) {
        r->sum[x] += bin->average_filtered;
        r->n[x]++;
    }
}

/* ---- what all depths say -------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The colours' ends: all but the outermost half percent of a sample on either side, so
 * that a few wild depths do not take all colours. */
static int find_range(struct relief *r)
{
    int64_t pixels = r->width * r->height, every = pixels / SAMPLE + 1, n = 0;
    float *sample = calloc((size_t)(pixels / every + 1), sizeof *sample);
    if (!sample)
        return err_set(-ENOMEM, r->in->picture.path, -1, "no memory to draw a picture");
    for (int64_t i = 0; i < pixels; i += every)
        if (!isnan(r->depth[i]))
            sample[n++] = r->depth[i];
    qsort(sample, (size_t)n, sizeof *sample, by_value);
    r->legend.low = n ? sample[n / 200] : INFINITY;
    r->legend.high = n ? sample[n - 1 - n / 200] : -INFINITY;
    free(sample);
    return 0;
}

/* The depth of a pixel, or of another one (x, y) where that has none. */
static double depth_at(const struct relief *r, int64_t x, int64_t y, double other)
{
    bool inside = x >= 0 && x < r->width && y >= 0 && y < r->height;
    float z = inside ? r->depth[y * r->width + x] : NAN;
    return isnan(z) ? other : z;
}

/* How much deeper it gets, metres per metre, to the east and north. */
static void slope(const struct relief *r, int64_t x, int64_t y, double *east,
                  double *north)
{
    double z = r->depth[y * r->width + x],
           far = 2 * (double)r->step * r->legend.pixel_m;
    *east = (depth_at(r, x + r->step, y, z) - depth_at(r, x - r->step, y, z)) / far;
    *north = (depth_at(r, x, y + r->step, z) - depth_at(r, x, y - r->step, z)) / far;
}

/* So much that the slopes of flat ground show, too. */
static void find_exaggeration(struct relief *r)
{
    double sum = 0, east, north;
    int64_t n = 0;
    for (int64_t y = 0; y < r->height; y++)
        for (int64_t x = 0; x < r->width; x++)
            if (!isnan(r->depth[y * r->width + x])) {
                slope(r, x, y, &east, &north);
                sum += hypot(east, north);
                n++;
            }
    r->exaggeration = sum > 0 ? fmax(1, fmin(0.4 * (double)n / sum, 1000)) : 1;
}

/* ---- colours -------------------------------------------------------------------- */

/* Light from the north-west, 45 degrees high; 1 on flat ground. */
static double light(const struct relief *r, int64_t x, int64_t y)
{
    double east, north;
    slope(r, x, y, &east, &north);
    east *= r->exaggeration;
    north *= r->exaggeration;
    double shade =
        (sqrt(0.5) - 0.5 * east + 0.5 * north) / sqrt(1 + east * east + north * north);
    return fmax(shade, 0) / sqrt(0.5);
}

static void draw_pixel(const struct relief *r, int64_t x, int64_t y, uint8_t pixel[3])
{
    float z = r->depth[y * r->width + x];
    double rgb[3];
    if (isnan(z)) {
        memcpy(pixel, legend_grey, sizeof legend_grey);
        return;
    }
    legend_colour(&r->legend, z, rgb);
    double of = light(r, x, y), dark = fmin(0.3 + 0.7 * of, 1);
    double white = fmax(of - 1, 0) * 0.6;
    for (int k = 0; k < 3; k++)
        pixel[k] = (uint8_t)(rgb[k] * dark + (255 - rgb[k] * dark) * white + 0.5);
}

/* ---- the picture ---------------------------------------------------------------- */

static int draw_line(struct relief *r, int64_t line)
{
    int64_t y = r->height - 1 - line;
    for (int64_t x = 0; x < r->width; x++)
        if (y >= 0)
            draw_pixel(r, x, y, r->line + 3 * x);
        else
            memcpy(r->line + 3 * x, legend_grey, sizeof legend_grey);
    memcpy(r->line + 3 * r->width, r->legend.rgb + 3 * LEGEND_WIDTH * line,
           3 * LEGEND_WIDTH);
    return png_file_row(r->file, r->line);
}

int relief_draw(struct relief *r)
{
    end_row(r);
    int rc = find_range(r);
    find_exaggeration(r);
    legend_draw(&r->legend);
    for (int64_t line = 0; line < r->legend.height && !rc; line++)
        rc = draw_line(r, line);
    r->in->picture.low = r->legend.low;
    r->in->picture.high = r->legend.high;
    r->in->picture.exaggeration = r->exaggeration;
    return rc;
}

static int make_room(struct relief *r)
{
    size_t width = (size_t)r->width, pixels = width * (size_t)r->height;
    r->depth = malloc(pixels * sizeof *r->depth);
    r->sum = calloc(width, sizeof *r->sum);
    r->n = calloc(width, sizeof *r->n);
    r->line = calloc(width + LEGEND_WIDTH, 3);
    r->legend.rgb = calloc((size_t)r->legend.height * LEGEND_WIDTH, 3);
    if (!r->depth || !r->sum || !r->n || !r->line || !r->legend.rgb)
        return err_set(-ENOMEM, r->in->picture.path, -1,
                       "no memory for a picture of %lld x %lld pixels",
                       (long long)r->width, (long long)r->height);
    for (size_t i = 0; i < pixels; i++)
        r->depth[i] = NAN;
    return 0;
}

int relief_open(struct relief **out, struct info *in)
{
    struct relief *r = *out = calloc(1, sizeof *r);
    if (!r)
        return err_set(-ENOMEM, in->picture.path, -1, "no memory to draw a picture");
    r->in = in;
    size_up(r, in->head);
    in->picture.width = r->width + LEGEND_WIDTH;
    in->picture.height = r->legend.height;
    in->picture.pixel_m = r->legend.pixel_m;
    int rc = make_room(r);
    return rc ? rc
              : png_file_open(&r->file, in->picture.path, in->picture.width,
                              r->legend.height, PNG_FILE_RGB);
}

int relief_close(struct relief **r)
{
    int rc = 0;
    if (*r) {
        rc = png_file_close(&(*r)->file);
        free((*r)->depth);
        free((*r)->sum);
        free((*r)->n);
        free((*r)->line);
        free((*r)->legend.rgb);
    }
    free(*r);
    *r = NULL;
    return rc;
}
