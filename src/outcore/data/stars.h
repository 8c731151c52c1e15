/* A night sky from a seed, for pictures. No MPI, no files. */
#ifndef OUTCORE_DATA_STARS_H
#define OUTCORE_DATA_STARS_H

#include <stdint.h>

/* Local, any thread. Pixel (y, x), of 16 bits: the sky with a camera's noise, and stars
 * of Gaussian profile (a standard deviation of 0.9 pixels), one in each square of 16 x
 * 16 pixels. Few are bright: 1 in n has n times the light of the faintest, up to 100.
 * key: rng_key(seed, RNG_STARS). */
uint16_t stars_pixel(uint64_t key, int64_t y, int64_t x);

#endif
