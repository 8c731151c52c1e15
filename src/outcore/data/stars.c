#include "outcore/data/stars.h"
#include "base/rng.h"
#include <math.h>

/* Beyond REACH pixels a star's light is less than 1 in 10^15 of its total. */
enum { SQUARE = 16, REACH = 8 };

static const double sky = 900, noise = 0.4, faintest = 3000, brightest = 300000,
                    spread = 0.9;

/* The light of the star of square (row, column) at pixel (y, x). */
static double star(uint64_t key, int64_t row, int64_t column, int64_t y, int64_t x)
{
    uint64_t own = rng_at(rng_at(key, (uint64_t)row), (uint64_t)column);
    double down = (double)(row * SQUARE - y) + SQUARE * rng_real(own, 0);
    double right = (double)(column * SQUARE - x) + SQUARE * rng_real(own, 1);
    double far = down * down + right * right, two = 2 * spread * spread;
    double light = faintest / (1 - rng_real(own, 2));
    if (far > REACH * REACH)
        return 0;
    return fmin(light, brightest) / (M_PI * two) * exp(-far / two);
}

/* Noise from four numbers of 8 bits, whose sum is nearly Gaussian. */
static double camera(uint64_t key, int64_t y, int64_t x)
{
    uint64_t random = rng_at(rng_at(~key, (uint64_t)y), (uint64_t)x);
    double sum = -510;
    for (int i = 0; i < 4; i++)
        sum += (double)(random >> 8 * i & 255);
    return sky + noise * sum;
}

uint16_t stars_pixel(uint64_t key, int64_t y, int64_t x)
{
    /* Stars that can reach this pixel are in its square and the nearest neighbours. */
    int64_t row = (y + SQUARE - REACH) / SQUARE - 1;
    int64_t column = (x + SQUARE - REACH) / SQUARE - 1;
    double light = camera(key, y, x);
    for (int i = 0; i < 4; i++)
        light += star(key, row + i / 2, column + i % 2, y, x);
    return light > UINT16_MAX ? UINT16_MAX : (uint16_t)rint(light);
}
