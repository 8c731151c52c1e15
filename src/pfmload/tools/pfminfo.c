/* pfminfo: shows the content of a PFM, and checks it. No MPI. */
#include "base/clock.h"
#include "base/err.h"
#include "base/format/outfile.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/program.h"
#include "hydro/geodesy.h"
#include "hydro/pfm.h"
#include "pfmload/tools/grid.h"
#include "pfmload/tools/info.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------- */

/* pfminfo: writes bins and soundings as lines of text, for other programs. No MPI. */

struct info_lines;

/* Bytes beyond any line; and digits of degrees: a tenth of a millimetre. */
enum { LINE = 512, BUFFER = 1 << 18, DEGREES = 9, DEVIATION = 6 };

struct info_lines {
    const struct pfm_head *head;
    struct outfile out;
    int decimals; /* of depths: as many as the stored depth has */
    double step;  /* of an offset, as a fraction of a bin */
    char *at;     /* end of the line so far */
    char line[LINE];
};

/* ---- fields --------------------------------------------------------------------- */

static void put_digits(struct info_lines *l, uint64_t value, int least)
{
    char digits[24];
    int n = 0;
    for (; value || n < least; value /= 10)
        digits[n++] = (char)('0' + value % 10);
    while (n)
        *l->at++ = digits[--n];
}

static void put_int(struct info_lines *l, int64_t value, char end)
{
    put_digits(l, (uint64_t)value, 1);
    *l->at++ = end;
}

/* Prints as printf's %.*f, many times faster; values beyond 64 bits, from a damaged
 * header, are clamped. */
static void put_fixed(struct info_lines *l, double value, int decimals, char end)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double scaled = fmax(-9e18, fmin(value * power[decimals], 9e18));
    int64_t whole = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    uint64_t size = whole < 0 ? (uint64_t)-whole : (uint64_t)whole;
    uint64_t one = (uint64_t)power[decimals];
    if (whole < 0)
        *l->at++ = '-';
    put_digits(l, size / one, 1);
    if (decimals) {
        *l->at++ = '.';
        put_digits(l, size % one, decimals);
    }
    *l->at++ = end;
}

static void put_depth(struct info_lines *l, double m, char end)
{
    if (!pfm_is_null(l->head, m))
        put_fixed(l, m, l->decimals, end);
    else
        *l->at++ = end;
}

static void end_line(struct info_lines *l)
{
    fwrite_unlocked(l->line, 1, (size_t)(l->at - l->line), l->out.file);
    l->at = l->line;
}

/* ---- lines ---------------------------------------------------------------------- */

/* Local. Writes the column names of info_lines_bin, as a line. */
static void info_lines_names(struct info_lines *l)
{
    fputs("row,column,longitude,latitude,soundings,valid,average_filtered_m,"
          "min_filtered_m,max_filtered_m,average_m,min_m,max_m,std_m,validity\n",
          l->out.file);
}

/* Local. Writes a bin with soundings: comma-separated; a null depth is empty, and so is
 * the deviation of a bin without valid soundings. */
static void info_lines_bin(struct info_lines *l, const struct pfm_bin *bin)
{
    const struct pfm_head *h = l->head;
    int64_t row = bin->index / h->width, column = bin->index % h->width;
    put_int(l, row, ',');
    put_int(l, column, ',');
    put_fixed(l, geo_wrap(h->min_x + ((double)column + 0.5) * h->bin_x), DEGREES, ',');
    put_fixed(l, h->min_y + ((double)row + 0.5) * h->bin_y, DEGREES, ',');
    put_int(l, bin->soundings, ',');
    if (bin->valid >= 0)
        put_int(l, bin->valid, ',');
    else
        *l->at++ = ',';
    put_depth(l, bin->average_filtered, ',');
    put_depth(l, bin->min_filtered, ',');
    put_depth(l, bin->max_filtered, ',');
    put_depth(l, bin->average, ',');
    put_depth(l, bin->min, ',');
    put_depth(l, bin->max, ',');
    if (pfm_has_depth(h, bin))
        put_fixed(l, bin->std, DEVIATION, ',');
    else
        *l->at++ = ',';
    put_int(l, bin->validity, '\n');
    end_line(l);
}

/* True as in the summaries of bins. */
static bool is_valid(const struct pfm_head *h, const struct pfm_sounding *s)
{
    return !(s->validity & (PFM_INVAL | PFM_DELETED | PFM_REFERENCE)) &&
           s->depth < h->null_raw;
}

/* Local. Writes each of a bin's n soundings: longitude, latitude, depth downwards,
 * separated by blanks; only valid ones, or all. */
static void info_lines_soundings(struct info_lines *l, const struct pfm_sounding *s,
                                 int64_t n, bool all)
{
    const struct pfm_head *h = l->head;
    double west = n ? h->min_x + (double)(s->bin % h->width) * h->bin_x : 0;
    double south = n ? h->min_y + (double)(s->bin / h->width) * h->bin_y : 0;
    for (int64_t i = 0; i < n; i++) {
        if (!all && !is_valid(h, s + i))
            continue;
        put_fixed(l, geo_wrap(west + s[i].x * l->step * h->bin_x), DEGREES, ' ');
        put_fixed(l, south + s[i].y * l->step * h->bin_y, DEGREES, ' ');
        put_fixed(l, pfm_depth(h, s[i].depth), l->decimals, '\n');
        end_line(l);
    }
}

/* ---- files ---------------------------------------------------------------------- */

/* Local. Begins the file `path`, replacing an old one; "-" is standard output.
 * info_lines_close frees *l. Returns 0, or -errno with a sentence. */
static int info_lines_open(struct info_lines **out, const char *path,
                           const struct pfm_head *h)
{
    struct info_lines *l = *out = mem_of(path, 1, sizeof *l, "writing the file");
    double decimals = ceil(log10(h->depth_scale) - 1e-9);
    if (!l)
        return -ENOMEM;
    l->head = h;
    l->at = l->line;
    l->step = 1 / (double)((INT64_C(1) << h->offset_bits) - 1);
    l->decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : (int)decimals;
    int rc = outfile_open(&l->out, path, OUTFILE_STREAM);
    if (!rc)
        setvbuf(l->out.file, NULL, _IOFBF, BUFFER);
    return rc;
}

/* Local. True if writing has failed: going on is in vain. */
static bool info_lines_failed(const struct info_lines *l)
{
    return ferror_unlocked(l->out.file);
}

/* Local. Closes the file; with `rc` != 0 it is incomplete and removed. Returns `rc`, or
 * -errno with a sentence. */
static int info_lines_close(struct info_lines **l, int rc)
{
    if (*l)
        rc = outfile_close(&(*l)->out, rc);
    free(*l);
    *l = NULL;
    return rc;
}

/* ---- the program ----------------------------------------------------------------- */

static struct {
    const char *path, *json, *csv, *xyz, *grid, *geotiff;
    bool verify, all;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_TEXT, .name = "PFM", .value = &set.path, .required = true,
     .help = "the PFM's handle file",
     .text = "The handle file, _name.pfm_; the data is in _name.pfm.data_ beside "
             "it."},
    {.kind = OPT_FLAG, .name = "verify", .letter = 'v', .value = &set.verify,
     .preset = "no", .help = "walk every chain, compute every bin again from its "
                             "soundings, and check all files of the PFM",
     .text = "Check all of the PFM and print more figures.\n\n"
             "Each pointer in a bin's chain must lead to the start of a "
             "block within the file. No block may be in two chains. A chain must "
             "end where its bin says.\n\n"
             "The number, the deviation and all six depths of each bin, "
             "and its mark for data, must be those of its soundings.\n\n"
             "Each sounding must be of a file that the _.ctl_ lists and "
             "of a line that the _.lin_ lists.\n\n"
             "The coverage map must have a byte for each bin: with the "
             "mark for data where the bin has valid soundings, and without it "
             "where it has no soundings.\n\n"
             "The extremes in the header must be those of all bins and "
             "of the bins that it names. They are not checked if all are zero, as "
             "the PFM library leaves them. Without valid soundings, only the "
             "extremes of numbers are checked.\n\n"
             "The additional figures are the number of blocks, the longest chain, "
             "the links that lead to the next block of the file (these are read "
             "sequentially), the soundings flagged as not valid, and the sum of "
             "all stored depths."},
    {.kind = OPT_TEXT, .name = "json", .value = &set.json, .arg = "FILE",
     .help = "write all figures as JSON to FILE (-: standard output, instead of the "
             "text)",
     .text = "Write all figures as JSON, with the input files and their lines, to "
             "this file. With *-*, standard output has them instead of the text; "
             "this also holds for --csv, --xyz and --grid."},
    {.kind = OPT_TEXT, .name = "csv", .value = &set.csv, .arg = "FILE",
     .help = "write one line per bin with soundings to FILE (-: standard output)",
     .text = "Write a line for each bin with soundings, from the south-west corner "
             "row by row: row, column, longitude and latitude of its centre, "
             "number of soundings and of valid ones, average, least and greatest "
             "depth of valid ones, the same of all, standard deviation, validity. "
             "The first line has the names. A missing depth is empty, and so are "
             "the deviation of a bin without valid soundings and, in version 6, "
             "the number of valid soundings."},
    {.kind = OPT_TEXT, .name = "xyz", .value = &set.xyz, .arg = "FILE",
     .help = "write longitude, latitude and depth of each valid sounding to FILE (-: "
             "standard output)",
     .text = "Write a line for each valid sounding, bin by bin: longitude, "
             "latitude and depth, separated by blanks, as GMT and MB-System read "
             "them. The position is the stored one, usually in 4095ths of a bin."},
    {.kind = OPT_FLAG, .name = "all", .letter = 'a', .value = &set.all, .preset = "no",
     .help = "with --xyz: include soundings that are not valid",
     .text = "With --xyz: include soundings marked invalid, deleted or of reference, "
             "and those without depth."},
    {.kind = OPT_TEXT, .name = "grid", .value = &set.grid, .arg = "FILE",
     .help = "write the average depths of the bins as a grid to FILE (-: standard "
             "output), for leadline plot relief",
     .text = "Write the bins' average depths of valid soundings as JSON with the "
             "schema leadline-pfm-grid/1, for *leadline plot relief* and other "
             "programs. The array *depths_m* has a row for each row of cells, from "
             "south to north, with *columns* depths from west to east; null is no "
             "depth. A cell is a bin or, in large grids, the mean of a square of "
             "*bins_of_a_side* bins on each side, so that no side has more than "
             "1000 cells. *west* and *south* are the degrees of the south-west "
             "corner, *cell_x* and *cell_y* the degrees of a cell's sides, and "
             "*cell_x_m* and *cell_y_m* their metres on the ground, in the middle "
             "of the grid."},
    {.kind = OPT_TEXT, .name = "geotiff", .value = &set.geotiff, .arg = "FILE",
     .help = "write depth, number of soundings and deviation of the bins to FILE, as "
             "three bands of a GeoTIFF",
     .text = "Write the bins as a GeoTIFF for QGIS, GDAL and other geographic "
             "programs. Its three bands are the average depth of valid soundings "
             "(metres, downwards), the number of all soundings, and the standard "
             "deviation of valid ones. A pixel is a bin, north is up, and "
             "coordinates are degrees on WGS 84. Missing values are \"nan\", "
             "declared as no data. The file is a BigTIFF without compression, 12 "
             "bytes for each bin. It cannot go to standard output."},
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

static int pfminfo_check_options(void)
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
        rc = pfminfo_check_options();
    if (!rc)
        rc = pfm_open(&p, set.path);
    if (!rc)
        rc = pfminfo_tell(p);
    pfm_close(&p);
    if (rc)
        err_print(stderr, program.name, err_get());
    return program_end(program.name, (int)err_exit_status(err_get()));
}
