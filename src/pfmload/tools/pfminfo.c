/* pfminfo: shows the content of a PFM, and checks it. No MPI. */
#include "base/clock.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "base/opt.h"
#include "base/program.h"
#include "pfmload/tools/geotiff.h"
#include "pfmload/tools/grid.h"
#include "pfmload/tools/info.h"
#include "pfmload/tools/info_check.h"
#include "pfmload/tools/info_lines.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static struct {
    const char *path, *json, *csv, *xyz, *grid, *geotiff;
    bool verify, all;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TEXT, .name = "PFM", .value = &set.path, .required = true,
     .help = "the PFM's handle file"},
    {.kind = OPT_FLAG, .name = "verify", .letter = 'v', .value = &set.verify,
     .preset = "no", .help = "walk every chain, compute every bin again from its "
                             "soundings, and check all files of the PFM"},
    {.kind = OPT_TEXT, .name = "json", .value = &set.json, .arg = "FILE",
     .help = "write all figures as JSON to FILE (-: standard output, instead of the "
             "text)"},
    {.kind = OPT_TEXT, .name = "csv", .value = &set.csv, .arg = "FILE",
     .help = "write one line per bin with soundings to FILE (-: standard output)"},
    {.kind = OPT_TEXT, .name = "xyz", .value = &set.xyz, .arg = "FILE",
     .help = "write longitude, latitude and depth of each valid sounding to FILE (-: "
             "standard output)"},
    {.kind = OPT_FLAG, .name = "all", .letter = 'a', .value = &set.all, .preset = "no",
     .help = "with --xyz: include soundings that are not valid"},
    {.kind = OPT_TEXT, .name = "grid", .value = &set.grid, .arg = "FILE",
     .help = "write the average depths of the bins as a grid to FILE (-: standard "
             "output), for leadline plot relief"},
    {.kind = OPT_TEXT, .name = "geotiff", .value = &set.geotiff, .arg = "FILE",
     .help = "write depth, number of soundings and deviation of the bins to FILE, as "
             "three bands of a GeoTIFF"},
};
/* clang-format on */

static const struct opt_program program = {
    .name = "pfminfo",
    .line = "PFM",
    .about = "Shows the contents of a PFM of soundings: header, bins, depths. With "
             "--verify, checks all of it.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

/* Consumers of bins and soundings; NULL if not requested. */
struct takers {
    struct info_check *check;
    struct info_lines *csv, *xyz;
    struct grid *grid;
    struct geotiff *geotiff;
};

/* ---- one bin -------------------------------------------------------------------- */

static void add_bin(const struct pfm_head *h, const struct pfm_bin *bin,
                    struct info_totals *t)
{
    t->bins++;
    t->soundings += bin->soundings;
    if (bin->soundings > t->soundings_max)
        t->soundings_max = bin->soundings;
    if (!pfm_is_null(h, bin->min))
        t->min = fmin(t->min, bin->min);
    if (!pfm_is_null(h, bin->max))
        t->max = fmax(t->max, bin->max);
}

static int give_soundings(struct pfm *p, const struct pfm_bin *bin, struct info *in,
                          struct takers *to)
{
    const struct pfm_sounding *s;
    int64_t before = in->totals.walk.blocks;
    int rc = pfm_chain(p, bin, &in->totals.walk, &s);
    if (!rc && to->check)
        rc = info_check_bin(to->check, bin, s, in->totals.walk.blocks - before);
    if (!rc && to->xyz)
        info_lines_soundings(to->xyz, s, bin->soundings, set.all);
    return rc;
}

static int give_bin(struct pfm *p, const struct pfm_bin *bin, struct info *in,
                    struct takers *to)
{
    int rc = to->check ? info_check_cover(to->check, bin) : 0;
    if (rc || !bin->soundings)
        return rc;
    add_bin(in->head, bin, &in->totals);
    if (to->csv)
        info_lines_bin(to->csv, bin);
    if (to->grid)
        grid_add(to->grid, bin);
    if (to->geotiff)
        geotiff_add(to->geotiff, bin);
    return to->check || to->xyz ? give_soundings(p, bin, in, to) : 0;
}

/* ---- all bins ------------------------------------------------------------------- */

static bool failed(const struct takers *to)
{
    return (to->csv && info_lines_failed(to->csv)) ||
           (to->xyz && info_lines_failed(to->xyz));
}

static int walk(struct pfm *p, struct info *in, struct takers *to)
{
    const struct pfm_head *h = in->head;
    struct pfm_bin bin;
    int rc = 0;
    for (int64_t row = 0; row < h->height && !rc && !failed(to); row++)
        for (int64_t column = 0; column < h->width && !rc; column++) {
            rc = pfm_bin(p, row, column, &bin);
            if (!rc)
                rc = give_bin(p, &bin, in, to);
        }
    if (!rc && to->check)
        rc = info_check_end(to->check, p);
    if (!rc && to->grid && !failed(to))
        grid_end(to->grid);
    if (!rc && to->geotiff && !failed(to))
        geotiff_end(to->geotiff);
    return rc;
}

static int open_takers(struct pfm *p, struct info *in, struct takers *to)
{
    int rc = 0;
    if (set.grid)
        rc = grid_open(&to->grid, set.grid, set.path, in->head);
    if (!rc && set.geotiff)
        rc = geotiff_open(&to->geotiff, set.geotiff, in->head);
    if (!rc && (set.verify || set.json))
        rc = pfm_inputs_read(&in->inputs, set.path);
    if (!rc && set.verify)
        rc = info_check_open(&to->check, in, p);
    if (!rc && set.csv)
        rc = info_lines_open(&to->csv, set.csv, in->head);
    if (!rc && set.xyz)
        rc = info_lines_open(&to->xyz, set.xyz, in->head);
    if (!rc && set.csv)
        info_lines_names(to->csv);
    return rc;
}

/* Closes the consumers: a failed write must be reported even if reading went well. */
static int close_takers(struct takers *to, int rc)
{
    int csv = info_lines_close(&to->csv, rc), xyz = info_lines_close(&to->xyz, rc);
    int grid = grid_close(&to->grid), geotiff = geotiff_close(&to->geotiff);
    info_check_close(&to->check);
    return rc ? rc : csv ? csv : xyz ? xyz : grid ? grid : geotiff;
}

static bool to_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static int outputs_to_stdout(void)
{
    return to_stdout(set.json) + to_stdout(set.csv) + to_stdout(set.xyz) +
           to_stdout(set.grid);
}

static int tell_json(const struct info *in)
{
    struct outfile out;
    int rc = outfile_open(&out, set.json, OUTFILE_STREAM);
    if (!rc)
        info_json(in, out.file); /* outfile_close checks for errors */
    return outfile_close(&out, rc);
}

static int pfminfo_tell(struct pfm *p)
{
    struct info in = {.path = set.path,
                      .head = pfm_head(p),
                      .totals = {.min = INFINITY, .max = -INFINITY},
                      .verified = set.verify};
    struct takers to = {0};
    int rc = open_takers(p, &in, &to);
    if (!rc)
        rc = walk(p, &in, &to);
    rc = close_takers(&to, rc);
    in.cpu_s = (double)clock_cpu_ns() / 1e9;
    if (!rc && set.json)
        rc = tell_json(&in);
    if (!rc && !outputs_to_stdout())
        info_print(&in);
    pfm_inputs_free(&in.inputs);
    return rc;
}

static int check_options(void)
{
    if (outputs_to_stdout() > 1)
        return err_usage("only one of --json, --csv, --xyz and --grid can go to "
                         "standard output");
    if (to_stdout(set.geotiff))
        return err_usage("--geotiff: its rows are not written one after the other, so "
                         "it cannot go to standard output; name a file");
    return set.all && !set.xyz ? err_usage("--all is about what --xyz writes: give "
                                           "both, or neither")
                               : 0;
}

int main(int argc, char **argv)
{
    struct pfm *p = NULL;
    int status;
    if (opt_early(&program, leadline_version, argc, argv, &status))
        return status;
    int rc = opt_parse(&program, argc, argv);
    if (!rc)
        rc = check_options();
    if (!rc)
        rc = pfm_open(&p, set.path);
    if (!rc)
        rc = pfminfo_tell(p);
    pfm_close(&p);
    if (rc)
        err_print(stderr, program.name, err_get());
    return program_end(program.name, (int)err_exit_status(err_get()));
}
