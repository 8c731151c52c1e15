/* How often the intervals of ratios hold, and how often equals are called different.
 * Simulates rounds whose truth is known, and puts them through base/paired.h:
 *
 *     bench/paired [--series=N] [--only=coverage|periods] */
#include "base/paired.h"
#include "base/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARMS 8
#define MOST_ROUNDS 200
#define NOISE 0.05

static uint64_t drawn; /* random numbers so far */

static double uniform(void)
{
    return rng_real(rng_key(7, 1000), drawn++);
}

static double normal(void)
{
    const double u = uniform() + 0x1p-54;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform());
}

static void draw_order(int arms, int *order)
{
    for (int i = 0; i < arms; i++) {
        const int j = (int)(uniform() * (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

/* ---- coverage -------------------------------------------------------------------- */

enum drift { ARMS_OWN, DEVICE, SINE };

/* A first-order autoregression of variance 1. */
static double next_of(double x, double phi)
{
    return phi * x + sqrt(1 - phi * phi) * normal();
}

/* Two arms. ARMS_OWN: each arm wanders for itself, from round to round; DEVICE: the
 * device does, from repetition to repetition; SINE: with a period in rounds. */
static void wander(enum drift what, double number, int rounds, double *ln)
{
    double state[2] = {normal(), normal()}, phase = 2 * M_PI * uniform();
    for (int r = 0; r < rounds; r++) {
        int order[2];
        draw_order(2, order);
        for (int i = 0; i < 2; i++) {
            const double angle = phase + 2 * M_PI * (r + i / 2.0) / number;
            const int arm = order[i];
            double *x = &state[what == ARMS_OWN ? arm : 0];
            *x = next_of(*x, what == SINE ? 0 : number);
            ln[2 * r + arm] = *x + (what == SINE     ? 2 * sin(angle)
                                    : what == DEVICE ? 0.3 * normal()
                                                     : 0);
        }
    }
}

static double coverage(enum drift what, double number, int rounds, int series)
{
    double ln[2 * MOST_ROUNDS];
    int held = 0;
    for (int i = 0; i < series; i++) {
        struct paired p = {2, rounds, ln, 1, (uint64_t)i};
        struct paired_ratio x;
        wander(what, number, rounds, ln);
        held += paired_ratio(&p, 1, &x) && x.low <= 1 && x.high >= 1;
    }
    return 100.0 * held / series;
}

static void coverages(int series)
{
    static const int rounds[] = {6, 8, 12, 24, 48, 96, 200};
    static const struct {
        const char *title;
        enum drift what;
        double number;
    } rows[] = {{"none", ARMS_OWN, 0},
                {"device, 0.3", DEVICE, 0.3},
                {"device, 0.6", DEVICE, 0.6},
                {"device, 0.9", DEVICE, 0.9},
                {"sine, period 3", SINE, 3},
                {"sine, period 10", SINE, 10},
                {"sine, period 30", SINE, 30},
                {"each arm, 0.3", ARMS_OWN, 0.3},
                {"each arm, 0.6", ARMS_OWN, 0.6},
                {"each arm, 0.9", ARMS_OWN, 0.9}};
    printf("| correlation, rounds |");
    for (int k = 0; k < 7; k++)
        printf(" %d |", rounds[k]);
    puts("\n| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        printf("| %s |", rows[i].title);
        for (int k = 0; k < 7; k++) {
            printf(" %.1f |",
                   coverage(rows[i].what, rows[i].number, rounds[k], series));
            fflush(stdout);
        }
        puts("");
    }
}

/* ---- a device with a period ------------------------------------------------------ */

struct device {
    double period, share, slower; /* slow for the last share of each period */
    bool in_time;                 /* the period is of time, not of work */
    double at;                    /* within the period */
};

/* Does one unit of work; returns its time. A whole period of time does as much work as
 * it is fast, so that both rhythms have as many repetitions a period. */
static double work(struct device *d)
{
    double left = 1, time = 0;
    const double stretch =
        d->in_time ? d->period / (1 - d->share + d->share / d->slower) : d->period;
    while (left > 1e-12) {
        const double edge = (1 - d->share) * stretch;
        const bool slow = d->at >= edge - 1e-9;
        const double way = (slow ? stretch : edge) - d->at;
        const double each = slow ? d->slower : 1; /* time of one unit of work */
        const double part = fmin(left, d->in_time ? way / each : way);
        time += part * each;
        left -= part;
        d->at += d->in_time ? part * each : part;
        if (d->at >= stretch - 1e-9)
            d->at = 0;
    }
    return time;
}

/* Returns true if one of equal arms is called different. */
static bool false_verdict(struct device d, int arms, int rounds, uint64_t seed)
{
    double ln[MOST_ARMS * MOST_ROUNDS];
    d.at = uniform() * d.period * 0.999;
    for (int r = 0; r < rounds; r++) {
        int order[MOST_ARMS];
        draw_order(arms, order);
        for (int i = 0; i < arms; i++)
            ln[r * arms + order[i]] = log(work(&d)) + NOISE * normal();
    }
    struct paired p = {arms, rounds, ln, arms - 1, seed};
    for (int a = 1; a < arms; a++) {
        struct paired_ratio x;
        if (paired_ratio(&p, a, &x) && (x.low > 1 || x.high < 1) &&
            fabs(log(x.ratio)) > log(1.02))
            return true;
    }
    return false;
}

/* The worst of all periods, and the mean; in %. */
static double worst(int arms, int rounds, int series, double *mean, struct device *of)
{
    static const double periods[] = {2, 2.75, 3, 3.5, 5, 8, 12, 30};
    static const double shapes[][2] = {{0.2, 5}, {0.33, 3}, {0.5, 2}};
    double most = 0;
    int cells = 0;
    *mean = 0;
    for (int k = 0; k < 8 * 3 * 2; k++) {
        struct device d = {.period = periods[k / 6],
                           .share = shapes[k / 2 % 3][0],
                           .slower = shapes[k / 2 % 3][1],
                           .in_time = k % 2};
        int wrong = 0;
        for (int i = 0; i < series; i++)
            wrong += false_verdict(d, arms, rounds, (uint64_t)i);
        const double share = 100.0 * wrong / series;
        *mean += share;
        cells++;
        if (share >= most) {
            most = share;
            *of = d;
        }
    }
    *mean /= cells;
    return most;
}

static void periods(int series)
{
    static const int rounds[] = {6, 8, 12, 24}, arms[] = {2, 3, 4, 8};
    puts("| arms | rounds | mean | worst | period | share | slower | of |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int a = 0; a < 4; a++)
        for (int r = 0; r < 4; r++) {
            struct device d = {0};
            double mean;
            const double most = worst(arms[a], rounds[r], series, &mean, &d);
            printf("| %d | %d | %.1f | %.1f | %g | %g | %g | %s |\n", arms[a],
                   rounds[r], mean, most, d.period, d.share, d.slower,
                   d.in_time ? "time" : "work");
            fflush(stdout);
        }
}

int main(int argc, char **argv)
{
    int series = 2000;
    const char *only = "";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--series=", 9) == 0)
            series = atoi(argv[i] + 9);
        else if (strncmp(argv[i], "--only=", 7) == 0)
            only = argv[i] + 7;
        else
            return fprintf(stderr, "bench/paired: no option %s\n", argv[i]), 2;
    }
    if (strcmp(only, "periods") != 0)
        coverages(series);
    if (strcmp(only, "coverage") != 0)
        periods(series);
    return 0;
}
