/* pfminfo: writes a PFM's bins as a picture with coordinates (GeoTIFF), which
 * geographic programs open. No MPI. */
#ifndef PFMLOAD_TOOLS_GEOTIFF_H
#define PFMLOAD_TOOLS_GEOTIFF_H

#include "hydro/pfm.h"

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
