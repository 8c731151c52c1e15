#include "hydro/pfm_sums.h"
#include <math.h>

static void add(struct pfm_sums_part *p, uint32_t depth)
{
    if (!p->n || depth < p->min)
        p->min = depth;
    if (!p->n || depth > p->max)
        p->max = depth;
    p->n++;
    p->sum += depth;
    p->squares += (uint64_t)depth * depth;
}

void pfm_sums_add(const struct pfm_head *h, struct pfm_sums *sums,
                  const struct pfm_sounding *s, int64_t n)
{
    struct pfm_sums sum = *sums;
    sum.n += n;
    for (int64_t i = 0; i < n; i++) {
        uint32_t validity = s[i].validity, depth = s[i].depth;
        sum.validity |= validity;
        if (validity & (PFM_DELETED | PFM_REFERENCE) || depth >= h->null_raw)
            continue;
        add(validity & PFM_INVAL ? &sum.bad : &sum.good, depth);
    }
    *sums = sum;
}

static struct pfm_sums_part join(const struct pfm_sums_part *a,
                                 const struct pfm_sums_part *b)
{
    if (!a->n || !b->n)
        return a->n ? *a : *b;
    return (struct pfm_sums_part){.n = a->n + b->n,
                                  .sum = a->sum + b->sum,
                                  .squares = a->squares + b->squares,
                                  .min = a->min < b->min ? a->min : b->min,
                                  .max = a->max > b->max ? a->max : b->max};
}

/* The standard deviation. n * squares - sum^2 is exact: below 2^126. */
static double deviation(const struct pfm_head *h, const struct pfm_sums_part *p)
{
    if (p->n < 2)
        return 0;
    unsigned __int128 n = (unsigned __int128)p->n, sum = (unsigned __int128)p->sum;
    double spread = (double)(n * p->squares - sum * sum);
    return sqrt(spread / ((double)p->n * (double)(p->n - 1))) / h->depth_scale;
}

static double mean(const struct pfm_head *h, const struct pfm_sums_part *p)
{
    return p->n ? (double)p->sum / (double)p->n / h->depth_scale - h->depth_offset
                : h->null_depth;
}

void pfm_sums_bin(const struct pfm_head *h, const struct pfm_sums *sums,
                  struct pfm_bin *bin)
{
    const struct pfm_sums_part *good = &sums->good, both = join(good, &sums->bad);
    const struct pfm_sums_part *all = &both;
    double none = h->null_depth;
    bin->soundings = sums->n;
    bin->valid = good->n;
    bin->validity = good->n ? sums->validity | PFM_DATA : sums->validity & ~PFM_DATA;
    bin->std = deviation(h, good);
    bin->average_filtered = mean(h, good);
    bin->min_filtered = good->n ? pfm_depth(h, good->min) : none;
    bin->max_filtered = good->n ? pfm_depth(h, good->max) : none;
    bin->average = mean(h, all);
    bin->min = all->n ? pfm_depth(h, all->min) : none;
    bin->max = all->n ? pfm_depth(h, all->max) : none;
}
