/* Finds the size of small transfers: those whose start takes as long as their bytes. It
 * fits the medians of all sizes: duration = startup + bytes * ns_per_byte. */
#include "base/err.h"
#include "base/stats.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 8 /* least transfers of a size, for its median */

static struct fit *fit_find(const struct findings *f, const char *type, int write)
{
    for (int i = 0; i < f->fits; i++)
        if (f->fit[i].write == (write != 0) && !strcmp(f->fit[i].type, type))
            return (struct fit *)&f->fit[i];
    return NULL;
}

static struct fit *fit_for(struct findings *f, const struct file *x, int write)
{
    struct fit *t = fit_find(f, x->type, write);
    if (!t && f->fits < FITS_MAX) {
        t = &f->fit[f->fits++];
        t->write = write;
        memcpy(t->type, x->type, sizeof t->type);
    }
    return t;
}

void fit_count(struct findings *f, struct file *x, int write, const struct event *e)
{
    struct fit *t = x->fit[write] ? x->fit[write] : fit_for(f, x, write);
    x->fit[write] = t;
    if (!t || e->bytes <= 0)
        return;
    int power = 63 - __builtin_clzll((uint64_t)e->bytes);
    if (power >= 48)
        return;
    if (!t->hist[power])
        t->hist[power] = calloc(HIST_SIZE, sizeof(int64_t));
    if (!t->hist[power]) {
        f->memory = err_set(-ENOMEM, NULL, -1, "no memory for the findings");
        return;
    }
    t->hist[power][hist_bucket(e->duration_ns)]++;
    t->calls[power]++;
    log_sum(&t->bytes[power], e->bytes);
}

/* Fits by least squares of relative errors: a long transfer weighs no more than a short
 * one. */
static void fit_make(struct fit *t)
{
    double ww = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
    int n = 0;
    for (int p = 0; p < 48; p++) {
        if (t->calls[p] < ENOUGH)
            continue;
        double x = (double)t->bytes[p] / (double)t->calls[p];
        double y = hist_quantile(t->hist[p], t->calls[p], 0.5), w = 1 / (y * y);
        ww += w;
        wx += w * x;
        wxx += w * x * x;
        wy += w * y;
        wxy += w * x * y;
        n++;
    }
    double d = ww * wxx - wx * wx;
    if (n < 3 || d <= 0)
        return;
    t->ns_per_byte = (ww * wxy - wx * wy) / d;
    t->startup_ns = (wxx * wy - wx * wxy) / d;
    t->fits = t->ns_per_byte > 0 && t->startup_ns > 0;
}

static int64_t power_below(double v)
{
    int64_t p = 1;
    while (p < MIB && (double)(2 * p) <= v)
        p *= 2;
    return p;
}

void fit_all(struct findings *f)
{
    for (int i = 0; i < f->fits; i++) {
        struct fit *t = &f->fit[i];
        fit_make(t);
        if (f->ask.small_bytes)
            t->small_bytes = f->ask.small_bytes;
        else if (t->fits)
            t->small_bytes = power_below(t->startup_ns / t->ns_per_byte);
        else
            t->small_bytes = is_remote(t->type) ? MIB : 64 << 10;
    }
}

const struct fit *fit_of(const struct findings *f, const struct file *x, int write)
{
    return fit_find(f, x->type, write);
}
