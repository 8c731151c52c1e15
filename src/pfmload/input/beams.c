#include "pfmload/input/beams.h"
#include "base/err.h"
#include <errno.h>
#include <stdlib.h>

int beams_place(struct beams *b, const struct gsf_ping *ping)
{
    struct geo_point here = {ping->lat, ping->lon};
    if (ping->beams > b->room) {
        beams_free(b);
        b->at = malloc(2 * (size_t)ping->beams * sizeof *b->at);
        if (!b->at)
            return err_set(-ENOMEM, NULL, -1, "no memory for %d beams", ping->beams);
        b->room = 2 * ping->beams;
    }
    if (ping->headed)
        geo_beams(b->how, here, ping->heading, ping->beams, ping->across, ping->along,
                  b->at);
    else
        for (int i = 0; i < ping->beams; i++)
            b->at[i] = here;
    return 0;
}

void beams_free(struct beams *b)
{
    free(b->at);
    b->at = NULL;
    b->room = 0;
}
