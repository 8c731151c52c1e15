#include "outcore/resample/settings.h"
#include "base/err.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT_MOST 1e9 /* pixels; small enough for exact fractions */

/* Parses the number at *at, which must end with `end`; *at moves behind it. */
static bool take_number(const char **at, char end, double *x)
{
    char *rest;
    *x = strtod(*at, &rest);
    bool good = rest != *at && *rest == end && fabs(*x) <= SHIFT_MOST;
    *at = rest + (good && end);
    return good;
}

static int take_shift(const struct settings *s, struct resample_how *how)
{
    const char *at = s->shift;
    if (take_number(&at, ',', &how->x.shift) && take_number(&at, 0, &how->y.shift))
        return 0;
    return err_usage("--shift=%s: two numbers with a comma between them, as in "
                     "0.25,-1.5, of at most %g pixels",
                     s->shift, SHIFT_MOST);
}

static int find(const char *what, const char *const names[], int n)
{
    int i = 0;
    while (i < n - 1 && strcmp(names[i], what) != 0)
        i++;
    return i;
}

int settings_kernel(const struct settings *s, struct resample_how *how)
{
    static const char *const edges[] = {"renorm", "clamp", "zero"};
    static const char *const scales[] = {"1", "4", "16"};
    static const char *const taps[] = {"1", "16", "36", "64"};
    static const int ks[] = {0, 2, 3, 4};
    struct weights_axis axis = {.s = 1 << find(s->scale, scales, 3),
                                .k = ks[find(s->taps, taps, 4)],
                                .normalize = s->normalize,
                                .edge = (enum weights_edge)find(s->edge, edges, 3)};
    if (!axis.normalize && axis.edge == EDGE_RENORM && axis.k)
        return err_usage("--no-normalize keeps the weights as they are, and "
                         "--edge=renorm scales them at edges: give --edge=clamp or "
                         "--edge=zero");
    how->x = how->y = axis;
    how->flat = !strcmp(s->kernel, "2d");
    return take_shift(s, how);
}
