/* The area filter's rule, against limits worked out by hand. */
#include "tap.h"

#include "hydro/area.h"
#include <stddef.h>

static const struct area_rule rule = {
    .sigma = 3, .slope = AREA_SLOPE, .bin_m = 1, .order = AREA_TWO_PASS};

/* Three rows of three: bins of 5 soundings, all alike except for what is given. */
struct grid {
    struct area_cell cell[3][3];
};

static struct grid level(double average, double std)
{
    struct grid g;
    for (int i = 0; i < 9; i++)
        g.cell[i / 3][i % 3] = (struct area_cell){5, average, std};
    return g;
}

static struct area_limits middle(const struct grid *g)
{
    const struct area_cell *row[3] = {g->cell[0], g->cell[1], g->cell[2]};
    return area_decide(&rule, row, 3, 1);
}

static int is(const struct area_limits *l, double centre, double reach)
{
    return l->decides && fabs(l->centre - centre) < 1e-12 &&
           fabs(l->reach - reach) < 1e-12;
}

static void test_flat(void)
{
    struct grid g = level(10, 0.1);
    struct area_limits l = middle(&g);
    tap_ok(is(&l, 10, 0.6), "a level floor: 2 sigma mean deviations about its depth");
    tap_ok(area_cuts(&l, 10.61) && area_cuts(&l, 9.39), "beyond the reach is cut");
    tap_ok(!area_cuts(&l, 10.59) && !area_cuts(&l, 9.41), "within the reach is not");
    l = (struct area_limits){true, 10, 0.5};
    tap_ok(area_cuts(&l, 10.5) && area_cuts(&l, 9.5), "at the reach is cut");
    g.cell[0][1].average = 10.9;
    g.cell[1][1].std = 1;
    l = middle(&g);
    tap_ok(is(&l, 10.1, 6 * 1.8 / 9), "a gentle slope is flat; means are plain");
    g.cell[0][0].n = 1000000;
    l = middle(&g);
    tap_ok(is(&l, 10.1, 6 * 1.8 / 9), "numbers of soundings are no weights");
}

/* Eight averages of 10 and one of 12 have the mean 92 / 9 and the variance 4 / 9. */
static void test_steep(void)
{
    struct grid g = level(10, 0.1);
    g.cell[1][2].average = 12;
    struct area_limits l = middle(&g);
    tap_ok(is(&l, 92.0 / 9, 4), "a steep floor: 2 sigma deviations of the averages");
    g = level(10, 0.1);
    g.cell[2][2].average = 11.35;
    l = middle(&g);
    tap_ok(is(&l, 91.35 / 9, 0.6), "1.35 over a diagonal is flat");
    g = level(10, 0.1);
    g.cell[2][1].average = 11.35;
    l = middle(&g);
    double mean = 91.35 / 9, a = 10 - mean, b = 11.35 - mean;
    tap_ok(is(&l, mean, 6 * sqrt((8 * a * a + b * b) / 8)), "1.35 to a side is steep");
    g = level(10, 0.1);
    g.cell[2][1].average = 11;
    l = middle(&g);
    tap_ok(is(&l, 91.0 / 9, 0.6), "just 45 degrees are flat");
    g = level(10, 0.1);
    g.cell[0][0].average = g.cell[0][1].average = 9.4;
    g.cell[2][1].average = g.cell[2][2].average = 10.6;
    l = middle(&g);
    tap_ok(is(&l, 10, 0.6), "what counts is the slope to the bin itself, not between "
                            "those around");
}

static void test_few(void)
{
    struct grid g = level(10, 0.1);
    g.cell[0][0].n = g.cell[0][1].n = g.cell[0][2].n = g.cell[1][0].n = 0;
    g.cell[0][0].average = -1000;
    struct area_limits l = middle(&g);
    tap_ok(is(&l, 10, 0.6), "five bins decide, and an empty one has no say");
    g.cell[1][2].n = 0;
    l = middle(&g);
    tap_ok(!l.decides && !area_cuts(&l, 1000), "four do not");
    g = level(10, 0.1);
    g.cell[1][1].n = 0;
    l = middle(&g);
    tap_ok(!l.decides, "nothing is said of an empty bin");
    g = level(10, 0);
    l = middle(&g);
    tap_ok(!l.decides, "nor where no bin has any spread: all would be cut");
}

static void test_edges(void)
{
    struct grid g = level(10, 0.1);
    const struct area_cell *south[3] = {NULL, g.cell[0], g.cell[1]},
                           *north[3] = {g.cell[1], g.cell[2], NULL},
                           *only[3] = {NULL, g.cell[1], NULL},
                           *all[3] = {g.cell[0], g.cell[1], g.cell[2]};
    struct area_limits a = area_decide(&rule, south, 3, 1),
                       b = area_decide(&rule, north, 3, 1),
                       c = area_decide(&rule, all, 3, 0),
                       d = area_decide(&rule, all, 3, 2),
                       corner = area_decide(&rule, south, 3, 0),
                       thin = area_decide(&rule, only, 3, 1);
    tap_ok(is(&a, 10, 0.6) && is(&b, 10, 0.6), "six bins at the southern and northern "
                                               "edge");
    tap_ok(is(&c, 10, 0.6) && is(&d, 10, 0.6), "six at the western and eastern edge");
    tap_ok(!corner.decides && !thin.decides, "four in a corner, three in a single row");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_flat();
    test_steep();
    test_few();
    test_edges();
    return tap_end();
}
