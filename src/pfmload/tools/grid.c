#include "pfmload/tools/grid.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/format/outfile.h"
#include "hydro/geodesy.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    struct grid *g = *out = calloc(1, sizeof *g);
    int64_t longest = h->width > h->height ? h->width : h->height;
    if (g) {
        *g = (struct grid){.head = h, .bins = parts(longest, GRID_SIDE)};
        g->columns = parts(h->width, g->bins);
        g->rows = parts(h->height, g->bins);
        g->sum = calloc((size_t)g->columns, sizeof *g->sum);
        g->n = calloc((size_t)g->columns, sizeof *g->n);
    }
    if (!g || !g->sum || !g->n)
        return err_set(-ENOMEM, path, -1, "no memory to make a grid");
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
