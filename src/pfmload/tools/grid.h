/* pfminfo: writes a PFM's filtered average depths as a grid for drawing. No MPI. */
#ifndef PFMLOAD_TOOLS_GRID_H
#define PFMLOAD_TOOLS_GRID_H

#include "hydro/pfm.h"

struct grid;

/* Local. Begins the file `path`, replacing an old one; "-" is standard output. `handle`
 * is the PFM's; grid_close frees *g. Returns 0, or -errno with a sentence. */
int grid_open(struct grid **g, const char *path, const char *handle,
              const struct pfm_head *h);

/* Local. Adds a bin with soundings; bins come row by row. */
void grid_add(struct grid *g, const struct pfm_bin *bin);

/* Local. Marks the grid complete, after all bins. */
void grid_end(struct grid *g);

/* Local. Closes the file; an incomplete grid is removed. Returns 0, or -errno with
 * a sentence. */
int grid_close(struct grid **g);

/* ---- GeoTIFF --------------------------------------------------------------------- */

/* pfminfo: writes a PFM's bins as a picture with coordinates (GeoTIFF), which
 * geographic programs open. No MPI. */

struct geotiff;

/* Local. Begins the file `path`, replacing an old one; geotiff_close frees *g. Memory:
 * a row of bins. Returns 0, or -errno with a sentence. */
int geotiff_open(struct geotiff **g, const char *path, const struct pfm_head *h);

/* Local. Adds a bin with soundings; bins come row by row. Failures are kept. */
void geotiff_add(struct geotiff *g, const struct pfm_bin *bin);

/* Local. Marks the picture complete, after all bins. */
void geotiff_end(struct geotiff *g);

/* Local. Closes the file; an incomplete picture is removed. Returns 0, or -errno with
 * a sentence. */
int geotiff_close(struct geotiff **g);

#endif
