/* ranks: 1 */
/* Busy work does what it was asked for. No test depends on the machine's speed, except
 * that more work takes longer. */
#include "madbench/busy.h"
#include "base/clock.h"
#include "tap.h"

static int ticks;
static int64_t last_ns;
static int late;

static void tick_seen(void *arg)
{
    int64_t now = clock_cpu_ns();
    (void)arg;
    late += ticks++ > 0 && now - last_ns > 5000000;
    last_ns = now;
}

static double cpu_seconds(double flops)
{
    int64_t start = clock_cpu_ns();
    busy_work(flops, NULL);
    return (double)(clock_cpu_ns() - start) * 1e-9;
}

/* Returns the number of operations from their result, which is the same on any
 * machine. */
static double operations(double flops)
{
    /* an addition alone, at the end of the last chain */
    const double odd = fmod(flops, 2);
    double n = odd;
    busy_work(flops, NULL);
    for (int i = 0; i < BUSY_LANES; i++) {
        double start = (i + 1) / (2.0 * BUSY_LANES);
        double y = busy_chains()[i] - (i == BUSY_LANES - 1 ? 0.001 * odd : 0);
        n += 2 * log((y - 1) / start) / log(0.999);
    }
    return n;
}

static void operations_are_counted(void)
{
    static const double asked[] = {1, 2, 31, 32, 33, 1000, 65535, 65536, 200001, 4e5};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        double did = operations(asked[i]);
        tap_ok(fabs(did - asked[i]) < 0.01,
               "of %.0f operations, %.4f have left a trace", asked[i], did);
    }
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_ok(busy_work(0, NULL) == 0 && busy_work(-5, NULL) == 0 &&
               busy_work(NAN, NULL) == 0,
           "no work, negative work and no number are nothing");
    tap_ok(busy_work(1, NULL) == 1 && busy_work(33, NULL) == 33 &&
               busy_work(1e6 + 7.3, NULL) == 1e6 + 7,
           "odd amounts are done to the operation");
    operations_are_counted();
    double rate = busy_calibrate();
    tap_ok(isfinite(rate) && rate > 0, "calibrated: %.3g flop/s", rate);
    struct tick t = {tick_seen, NULL, 0};
    double asked = floor(rate * 0.1);
    double did = busy_work(asked, &t);
    tap_ok(did == asked && ticks > 1, "100 ms of work ticked %d times", ticks);
    tap_ok(late * 10 <= ticks, /* another job may take the core meanwhile */
           "at least every 5 ms of processor time (%d of %d later)", late, ticks);
    tap_ok(cpu_seconds(rate * 0.1) > 2 * cpu_seconds(rate * 0.01),
           "ten times the work is not optimised away");
    return tap_end();
}
