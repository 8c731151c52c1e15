#include "hydro/area.h"
#include <math.h>
#include <stddef.h>

/* A bin and those of its neighbours that have soundings. */
struct around {
    int n;
    double average[9], std_sum, average_sum;
    bool flat;
};

static void area_look(const struct area_rule *rule,
                      const struct area_cell *const row[3], int64_t width,
                      int64_t column, struct around *a)
{
    *a = (struct around){.flat = true};
    double own = row[1][column].average;
    for (int i = 0; i < 3; i++)
        for (int64_t j = column - 1; j <= column + 1; j++) {
            if (!row[i] || j < 0 || j >= width || !row[i][j].n)
                continue;
            double run = rule->bin_m * (i != 1 && j != column ? sqrt(2) : 1);
            const struct area_cell *cell = &row[i][j];
            a->flat = a->flat && fabs(own - cell->average) <= rule->slope * run;
            a->average[a->n++] = cell->average;
            a->average_sum += cell->average;
            a->std_sum += cell->std;
        }
}

/* The standard deviation of the averages, with n - 1 degrees of freedom. */
static double area_spread(const struct around *a, double mean)
{
    double squares = 0;
    for (int i = 0; i < a->n; i++)
        squares += (a->average[i] - mean) * (a->average[i] - mean);
    return sqrt(squares / (a->n - 1));
}

struct area_limits area_decide(const struct area_rule *rule,
                               const struct area_cell *const row[3], int64_t width,
                               int64_t column)
{
    struct around a;
    struct area_limits limits = {0};
    if (!row[1][column].n)
        return limits;
    area_look(rule, row, width, column, &a);
    if (a.n < AREA_BINS)
        return limits;
    limits.centre = a.average_sum / a.n;
    limits.reach =
        2 * rule->sigma * (a.flat ? a.std_sum / a.n : area_spread(&a, limits.centre));
    limits.decides = limits.reach > 0;
    return limits;
}
