/* pfminfo: the colours of a picture of depths, and the strip beside it that tells what
 * they mean. No MPI. */
#ifndef PFMLOAD_TOOLS_LEGEND_H
#define PFMLOAD_TOOLS_LEGEND_H

#include <stdint.h>

enum { LEGEND_WIDTH = 130, LEGEND_HEIGHT = 200 }; /* pixels; at least that high */

struct legend {
    uint8_t *rgb; /* LEGEND_WIDTH x height pixels of three bytes */
    int64_t height;
    double low, high; /* depths at the ends of the colours, m; low > high: none */
    double pixel_m;   /* of the map, on the ground */
};

extern const uint8_t legend_grey[3]; /* where there is no depth */

/* Local. The colour of depth z, 0 to 255: that of an end for what is beyond. */
void legend_colour(const struct legend *l, double z, double rgb[3]);

/* Local. Draws all of l->rgb: the colours with depths beside them, and a scale. */
void legend_draw(const struct legend *l);

#endif
