/* pfminfo: a PFM's bins as a picture with coordinates (GeoTIFF), which geographic
 * programs open. No MPI. */
#ifndef PFMLOAD_TOOLS_GEOTIFF_H
#define PFMLOAD_TOOLS_GEOTIFF_H

#include "hydro/pfm.h"

struct geotiff;

/* Local. Begins the file `path`, over an old one; *g is freed by geotiff_close. Memory:
 * a row of bins. Returns 0, or -errno with a sentence. */
int geotiff_open(struct geotiff **g, const char *path, const struct pfm_head *h);

/* Local. A bin that has soundings; bins come row by row. Failures are kept. */
void geotiff_add(struct geotiff *g, const struct pfm_bin *bin);

/* Local. After all bins: the picture is whole. */
void geotiff_end(struct geotiff *g);

/* Local. A picture that is not whole is removed. Returns 0, or -errno with a
 * sentence. */
int geotiff_close(struct geotiff **g);

#endif
