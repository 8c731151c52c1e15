#include "madbench/busy.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

#define LANE_FLOPS 2.0
#define STEP_FLOPS (BUSY_LANES * LANE_FLOPS)
#define CHUNK_STEPS 2048 /* some tens of microseconds, between looks at the clock */
#define CALIBRATE_NS 10000000
#define CALIBRATE_RUNS 3

/* y = A y + B converges to 1 from any start. */
#define A 0.999
#define B 0.001

static double chains[BUSY_LANES]; /* results of the last work */

/* Makes `steps` steps on every lane. The compiler may vectorise over the lanes, which
 * does not change the arithmetic, but not over the steps, as each needs the previous
 * one; without -ffast-math there is no closed form either. */
static void lanes_step(double y[BUSY_LANES], int64_t steps)
{
    for (int64_t s = 0; s < steps; s++) {
#pragma omp simd
        for (int lane = 0; lane < BUSY_LANES; lane++)
            y[lane] = y[lane] * A + B;
    }
}

/* Does the rest, less than one step of all lanes: pairs, then a single addition. */
static void lanes_rest(double y[BUSY_LANES], int flops)
{
    for (int lane = 0; lane < flops / 2; lane++)
        y[lane] = y[lane] * A + B;
    if (flops % 2 != 0)
        y[BUSY_LANES - 1] += B;
}

/* Hides y from the compiler, which must assume that any code reads and writes it. */
static inline void lanes_opaque(double y[BUSY_LANES])
{
    __asm__ volatile("" : : "r"(y) : "memory");
}

double busy_work(double flops, struct tick *t)
{
    double y[BUSY_LANES];
    if (!(flops > 0.0))
        return 0.0;
    flops = nearbyint(flops);
    for (int lane = 0; lane < BUSY_LANES; lane++)
        y[lane] = 1.0 + (lane + 1) / (2.0 * BUSY_LANES);
    lanes_opaque(y);
    double steps = floor(flops / STEP_FLOPS);
    double rest = flops - steps * STEP_FLOPS;
    for (; steps > 0.0; steps -= CHUNK_STEPS) {
        lanes_step(y, steps < CHUNK_STEPS ? (int64_t)steps : CHUNK_STEPS);
        lanes_opaque(y);
        tick_poll(t);
    }
    lanes_rest(y, (int)rest);
    lanes_opaque(y);
    memcpy(chains, y, sizeof y);
    return flops;
}

const double *busy_chains(void)
{
    return chains;
}

/* Doubles the work until it takes long enough to be timed. */
static double calibrate_once(void)
{
    for (double flops = STEP_FLOPS * CHUNK_STEPS;; flops *= 2.0) {
        int64_t start = clock_ns();
        busy_work(flops, NULL);
        int64_t took = clock_ns() - start;
        if (took >= CALIBRATE_NS)
            return flops / ((double)took * 1e-9);
    }
}

double busy_calibrate(void)
{
    double best = 0.0;
    for (int run = 0; run < CALIBRATE_RUNS; run++) {
        double rate = calibrate_once();
        best = rate > best ? rate : best;
    }
    return best;
}
