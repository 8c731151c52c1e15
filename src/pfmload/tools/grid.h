/* pfminfo: a PFM's filtered average depths as a grid that can be drawn. No MPI. */
#ifndef PFMLOAD_TOOLS_GRID_H
#define PFMLOAD_TOOLS_GRID_H

#include "hydro/pfm.h"

#define GRID_SIDE 1000 /* cells of a side, at the most */

struct grid;

/* Local. Begins the file `path`, over an old one, or standard output where it is "-".
 * `handle` is the PFM's; *g is freed by grid_close. Returns 0, or -errno with a
 * sentence. */
int grid_open(struct grid **g, const char *path, const char *handle,
              const struct pfm_head *h);

/* Local. A bin that has soundings; bins come row by row. */
void grid_add(struct grid *g, const struct pfm_bin *bin);

/* Local. After all bins: the grid is whole. */
void grid_end(struct grid *g);

/* Local. A grid that is not whole is removed. Returns 0, or -errno with a sentence. */
int grid_close(struct grid **g);

#endif
