/* pfminfo: what is in a PFM, and whether it is as it should be. No MPI. */
#include "base/err.h"
#include "base/opt.h"
#include "base/version.h"
#include "hydro/pfm.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    const char *path;
    bool verify;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TEXT, .name = "PFM", .value = &set.path, .required = true,
     .help = "the PFM's handle file"},
    {.kind = OPT_FLAG, .name = "verify", .letter = 'v', .value = &set.verify,
     .preset = "no", .help = "walk every chain, and compute every bin anew from its "
     "soundings"},
};
/* clang-format on */

static const struct opt_program program = {
    .name = "pfminfo",
    .line = "PFM",
    .about = "Says what is in a PFM of soundings: header, bins, depths; with --verify "
             "checks all of it.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

/* Over all bins. */
struct totals {
    int64_t bins, soundings, soundings_max, valid;
    double min, max;
    /* with --verify */
    struct pfm_walk walk;
    int64_t blocks_max, invalid, raw_sum;
    int64_t wrong; /* bins whose summary is not that of their soundings */
    char first_wrong[256];
};

/* ---- one bin -------------------------------------------------------------------- */

/* Stored depths are rounded, and were floats on their way. */
static bool differ(double stored, double expected, double step)
{
    return fabs(stored - expected) > step * 0.501 + fabs(expected) * 1e-6;
}

static const char *compare(const struct pfm_head *h, const struct pfm_bin *is,
                           const struct pfm_bin *should)
{
    double step = 1 / h->depth_scale;
    if (is->valid >= 0 && is->valid != should->valid)
        return "number of valid soundings";
    if (differ(is->average, should->average, step))
        return "average depth";
    if (differ(is->min, should->min, step) || differ(is->max, should->max, step))
        return "range of depths";
    if (differ(is->average_filtered, should->average_filtered, step))
        return "filtered average depth";
    if (differ(is->min_filtered, should->min_filtered, step) ||
        differ(is->max_filtered, should->max_filtered, step))
        return "filtered range of depths";
    if (fabs(is->std - should->std) > 1 / h->std_scale + 1e-7 * fabs(should->max))
        return "standard deviation";
    if ((is->validity ^ should->validity) & PFM_DATA)
        return "mark that it has data";
    return NULL;
}

static int verify_bin(struct pfm *p, int64_t row, int64_t column,
                      const struct pfm_bin *bin, struct totals *t)
{
    const struct pfm_sounding *s;
    struct pfm_bin should = *bin;
    int64_t blocks = t->walk.blocks;
    int rc = pfm_chain(p, bin, &t->walk, &s);
    if (rc)
        return rc;
    for (int64_t i = 0; i < bin->soundings; i++) {
        t->raw_sum += s[i].depth;
        t->invalid += (s[i].validity & PFM_INVAL) != 0;
    }
    blocks = t->walk.blocks - blocks;
    t->blocks_max = blocks > t->blocks_max ? blocks : t->blocks_max;
    pfm_recompute(pfm_head(p), s, bin->soundings, &should);
    const char *what = compare(pfm_head(p), bin, &should);
    if (what && !t->wrong++)
        snprintf(t->first_wrong, sizeof t->first_wrong,
                 "the %s of the bin in row %lld, column %lld is not that of its %lld "
                 "soundings",
                 what, (long long)row, (long long)column, (long long)bin->soundings);
    return 0;
}

static void add_bin(const struct pfm_head *h, const struct pfm_bin *bin,
                    struct totals *t)
{
    t->bins++;
    t->soundings += bin->soundings;
    if (bin->soundings > t->soundings_max)
        t->soundings_max = bin->soundings;
    if (bin->min < h->null_depth)
        t->min = fmin(t->min, bin->min);
    if (bin->max < h->null_depth)
        t->max = fmax(t->max, bin->max);
}

/* ---- all of them ---------------------------------------------------------------- */

static int walk(struct pfm *p, struct totals *t)
{
    const struct pfm_head *h = pfm_head(p);
    struct pfm_bin bin;
    int rc = 0;
    for (int64_t row = 0; row < h->height && !rc; row++)
        for (int64_t column = 0; column < h->width && !rc; column++) {
            rc = pfm_bin(p, row, column, &bin);
            if (rc || !bin.soundings)
                continue;
            add_bin(h, &bin, t);
            if (set.verify)
                rc = verify_bin(p, row, column, &bin, t);
        }
    if (!rc && t->wrong)
        rc = err_set(-EBADMSG, set.path, -1, "%lld of %lld bins are wrong; %s",
                     (long long)t->wrong, (long long)t->bins, t->first_wrong);
    return rc;
}

static void print_head(const struct pfm_head *h)
{
    printf("version          %s\n", h->version_text);
    printf("grid             %lld x %lld bins of %g m\n", (long long)h->width,
           (long long)h->height, h->bin_m);
    printf("bounds           %.9f, %.9f, %.9f, %.9f (west, south, east, north)\n",
           h->min_x, h->min_y, h->max_x, h->max_y);
    printf("block            %lld bytes, %lld soundings of %lld bits\n",
           (long long)h->block_bytes, (long long)h->record_length,
           (long long)h->sounding_bits);
    printf("bin record       %lld bytes\n", (long long)h->bin_bytes);
    printf("depths           in 1/%g m, null is %g\n", h->depth_scale, h->null_depth);
}

static void print_totals(const struct pfm_head *h, const struct totals *t)
{
    printf("bins with data   %lld\n", (long long)t->bins);
    printf("soundings        %lld, at most %lld in a bin\n", (long long)t->soundings,
           (long long)t->soundings_max);
    if (t->min <= t->max)
        printf("depth range      %.2f to %.2f m\n", t->min, t->max);
    if (!set.verify)
        return;
    printf("blocks           %lld in chains of at most %lld\n",
           (long long)t->walk.blocks, (long long)t->blocks_max);
    printf("links            %lld, %lld of them to the next block\n",
           (long long)t->walk.links, (long long)t->walk.in_order);
    printf("not valid        %lld soundings\n", (long long)t->invalid);
    printf("depth sum        %lld, %.2f m\n", (long long)t->raw_sum,
           (double)t->raw_sum / h->depth_scale -
               h->depth_offset * (double)t->soundings);
    printf("verified         all chains and all bins\n");
}

static int tell(struct pfm *p)
{
    struct totals t = {.min = INFINITY, .max = -INFINITY};
    t.walk.used = set.verify ? calloc(1, (size_t)pfm_blocks(p) / 8 + 1) : NULL;
    if (set.verify && !t.walk.used)
        return err_set(-ENOMEM, set.path, -1, "no memory for a bit for each block");
    int rc = walk(p, &t);
    free(t.walk.used);
    if (rc)
        return rc;
    print_head(pfm_head(p));
    print_totals(pfm_head(p), &t);
    return 0;
}

int main(int argc, char **argv)
{
    struct pfm *p = NULL;
    if (opt_early(&program, leadline_version, argc, argv))
        return EXIT_GOOD;
    int rc = opt_parse(&program, argc, argv);
    if (!rc)
        rc = pfm_open(&p, set.path);
    if (!rc)
        rc = tell(p);
    pfm_close(&p);
    if (rc)
        err_print(stderr, program.name, err_get());
    return (int)err_exit_status(err_get());
}
