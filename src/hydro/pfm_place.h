/* Finds the bins of points, and their offsets in them. */
#ifndef HYDRO_PFM_PLACE_H
#define HYDRO_PFM_PLACE_H

#include "hydro/geodesy.h"
#include "hydro/pfm.h"

struct pfm_place {
    int32_t column, row; /* column -1: outside of the grid */
    int32_t x, y;        /* as in a sounding */
};

/* Local. Places n points; the same on every processor. */
void pfm_places(const struct pfm_head *h, const struct geo_point *p, int n,
                struct pfm_place *to);

/* Local. Sets a sounding's bin, x and y; false: it is outside of the grid. */
static inline bool pfm_put_place(const struct pfm_head *h, const struct pfm_place *p,
                                 struct pfm_sounding *s)
{
    s->bin = p->row * h->width + p->column;
    s->x = (uint16_t)p->x;
    s->y = (uint16_t)p->y;
    return p->column >= 0;
}

#endif
