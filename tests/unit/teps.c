/* ranks: 1 */
/* Statistics of Graph500 compared with values by hand. */
#include "outcore/graph/graph500.h"
#include "tap.h"

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void check_order(void)
{
    double eight[] = {8, 3, 6, 1, 7, 2, 5, 4}, five[] = {5, 1, 4, 2, 3}, one[] = {7};
    struct teps t = teps_of(eight, 8, 0);
    tap_ok(t.min == 1 && t.max == 8, "least and most of eight");
    tap_ok(t.first_quartile == 2.5 && t.median == 4.5 && t.third_quartile == 6.5,
           "quartiles of eight are between two values");
    t = teps_of(five, 5, 0);
    tap_ok(t.first_quartile == 2 && t.median == 3 && t.third_quartile == 4,
           "quartiles of five are values");
    t = teps_of(one, 1, 0);
    tap_ok(t.min == 7 && t.first_quartile == 7 && t.median == 7 &&
               t.third_quartile == 7 && t.max == 7 && t.mean == 7 && t.stddev == 0,
           "of one value all is that value, and nothing deviates");
}

static void check_means(void)
{
    /* 1, 2, 4: mean 7 / 3, squares of the deviations sum to 42 / 9; 1 / x has the mean
     * 7 / 12, and squares that sum to 42 / 144. */
    double x[] = {4, 1, 2}, one[] = {5};
    struct teps t = teps_of(x, 3, 0);
    tap_ok(near(t.mean, 7. / 3) && near(t.stddev, sqrt(42. / 9 / 2)),
           "mean and deviation");
    t = teps_of(x, 3, 1);
    tap_ok(near(t.mean, 12. / 7), "harmonic mean");
    tap_ok(near(t.stddev, sqrt(42. / 144) / 2 * (12. / 7) * (12. / 7)),
           "standard error of a harmonic mean");
    tap_ok(t.median == 2 && t.max == 4, "quartiles are those of the values");
    t = teps_of(one, 1, 1);
    tap_ok(t.mean == 5 && t.stddev == 0, "harmonic mean of one value");
}

int main(void)
{
    check_order();
    check_means();
    return tap_end();
}
