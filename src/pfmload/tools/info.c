#include "pfmload/tools/info.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/program.h"
#include "base/units.h"
#include "hydro/pfm_make.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- text ----------------------------------------------------------------------- */

static void print_head(const struct pfm_head *h)
{
    char shown[sizeof h->version_text];
    printf("version          %s\n", plain(shown, sizeof shown, h->version_text));
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

static void print_totals(const struct info_totals *t)
{
    printf("bins with data   %lld\n", (long long)t->bins);
    printf("soundings        %lld, at most %lld in a bin\n", (long long)t->soundings,
           (long long)t->soundings_max);
    if (t->min <= t->max)
        printf("depth range      %.2f to %.2f m\n", t->min, t->max);
}

static double depth_sum_m(const struct info *in)
{
    const struct info_totals *t = &in->totals;
    return (double)t->raw_sum / in->head->depth_scale -
           in->head->depth_offset * (double)t->soundings;
}

static void print_verified(const struct info *in)
{
    const struct info_totals *t = &in->totals;
    printf("input files      %lld, %lld lines\n", (long long)in->inputs.files,
           (long long)in->inputs.lines);
    printf("blocks           %lld in chains of at most %lld\n",
           (long long)t->walk.blocks, (long long)t->blocks_max);
    printf("links            %lld, %lld of them to the next block\n",
           (long long)t->walk.links, (long long)t->walk.in_order);
    printf("not valid        %lld soundings\n", (long long)t->invalid);
    printf("depth sum        %lld, %.2f m\n", (long long)t->raw_sum, depth_sum_m(in));
    printf("verified         all chains, all bins, input files, coverage map\n");
}

void info_print(const struct info *in)
{
    print_head(in->head);
    print_totals(&in->totals);
    if (in->verified)
        print_verified(in);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void put_grid(struct json *j, const struct pfm_head *h)
{
    json_object(j, "grid");
    json_int(j, "width", h->width);
    json_int(j, "height", h->height);
    json_real(j, "bin_m", h->bin_m);
    json_real(j, "bin_x_degrees", h->bin_x);
    json_real(j, "bin_y_degrees", h->bin_y);
    json_real(j, "west", h->min_x);
    json_real(j, "south", h->min_y);
    json_real(j, "east", h->max_x);
    json_real(j, "north", h->max_y);
    json_end_object(j);
}

static void put_records(struct json *j, const struct pfm_head *h)
{
    json_object(j, "records");
    json_int(j, "soundings_per_block", h->record_length);
    json_int(j, "sounding_bits", h->sounding_bits);
    json_int(j, "block_bytes", h->block_bytes);
    json_int(j, "bin_bytes", h->bin_bytes);
    json_real(j, "depth_scale", h->depth_scale);
    json_real(j, "depth_offset_m", h->depth_offset);
    json_real(j, "null_depth_m", h->null_depth);
    json_end_object(j);
}

static void put_inputs(struct json *j, const struct pfm_inputs *in)
{
    json_array(j, "inputs");
    for (int64_t i = 0; i < in->files; i++) {
        json_object_flat(j, NULL);
        json_text(j, "file", in->file[i].path);
        json_int(j, "type", in->file[i].type);
        json_bool(j, "deleted", in->file[i].deleted);
        json_end_object(j);
    }
    json_end_array(j);
    json_array(j, "lines");
    for (int64_t i = 0; i < in->lines; i++)
        json_text(j, NULL, in->line[i]);
    json_end_array(j);
}

static void info_put_totals(struct json *j, const struct info_totals *t)
{
    bool depths = t->min <= t->max;
    json_object(j, "totals");
    json_int(j, "bins_with_data", t->bins);
    json_int(j, "soundings", t->soundings);
    json_int(j, "soundings_per_bin_max", t->soundings_max);
    json_real(j, "depth_min_m", depths ? t->min : NAN); /* written as null */
    json_real(j, "depth_max_m", depths ? t->max : NAN);
    json_end_object(j);
}

static void put_verified(struct json *j, const struct info *in)
{
    const struct info_totals *t = &in->totals;
    if (!in->verified) {
        json_null(j, "verified");
        return;
    }
    json_object(j, "verified");
    json_int(j, "blocks", t->walk.blocks);
    json_int(j, "blocks_per_chain_max", t->blocks_max);
    json_int(j, "links", t->walk.links);
    json_int(j, "links_to_next_block", t->walk.in_order);
    json_int(j, "not_valid", t->invalid);
    json_int(j, "depth_sum_stored", t->raw_sum);
    json_real(j, "depth_sum_m", depth_sum_m(in));
    json_end_object(j);
}

int info_json(const struct info *in, FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "program", "pfminfo");
    json_text(&j, "leadline", leadline_version);
    json_text(&j, "file", in->path);
    json_text(&j, "version", in->head->version_text);
    put_grid(&j, in->head);
    put_records(&j, in->head);
    put_inputs(&j, &in->inputs);
    info_put_totals(&j, &in->totals);
    put_verified(&j, in);
    json_real(&j, "cpu_s", in->cpu_s);
    json_end_object(&j);
    return json_finish(&j);
}

/* ---- checks ---------------------------------------------------------------------- */

struct info_check;

struct info_check {
    struct info *in;
    const struct pfm_head *head;
    char cover_path[PFM_PATH];
    FILE *cover;
};

/* ---- the coverage map ----------------------------------------------------------- */

static int open_cover(struct info_check *c)
{
    const struct pfm_head *h = c->head;
    int64_t at = pfm_coverage_at(h), bytes = at + h->width * h->height;
    struct stat st;
    int rc = pfm_path(c->cover_path, c->in->path, h->version >= 7 ? "cvg" : "bin");
    if (rc)
        return rc;
    c->cover = fopen(c->cover_path, "re");
    if (!c->cover || fstat(fileno(c->cover), &st) || fseeko(c->cover, at, SEEK_SET))
        return err_set(-errno, c->cover_path, -1,
                       "this part of the PFM cannot be opened: %s", strerror(errno));
    if (st.st_size != bytes)
        return err_set(-EBADMSG, c->cover_path, -1,
                       "the file has %lld bytes, and with a coverage map of %lld x "
                       "%lld bins it would have %lld",
                       (long long)st.st_size, (long long)h->width, (long long)h->height,
                       (long long)bytes);
    return 0;
}

int info_check_cover(struct info_check *c, const struct pfm_bin *bin)
{
    int byte = getc_unlocked(c->cover);
    if (byte == EOF)
        return err_set(-EIO, c->cover_path, pfm_coverage_at(c->head) + bin->index,
                       "the coverage map cannot be read");
    if (pfm_coverage_fits((uint8_t)byte, bin))
        return 0;
    return err_set(
        -EBADMSG, c->cover_path, pfm_coverage_at(c->head) + bin->index,
        "the coverage map says that the bin in row %lld, column %lld has %s, "
        "and it has %lld sounding%s",
        (long long)(bin->index / c->head->width),
        (long long)(bin->index % c->head->width),
        byte & PFM_COVERED_DATA ? "data" : "none", (long long)bin->soundings,
        units_s(bin->soundings));
}

/* ---- one bin -------------------------------------------------------------------- */

/* True if a stored depth differs. Stored depths are rounded, and were floats before. */
static bool differ(double stored, double expected, double step)
{
    return fabs(stored - expected) > step * 0.501 + fabs(expected) * 1e-6;
}

static const char *info_compare(const struct pfm_head *h, const struct pfm_bin *is,
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
    double largest = fmax(fabs(should->min), fabs(should->max));
    if (fabs(is->std - should->std) > 1 / h->std_scale + 1e-7 * largest)
        return "standard deviation";
    if ((is->validity ^ should->validity) & PFM_DATA)
        return "mark that it has data";
    return NULL;
}

/* Checks that the numbers of file and line are in the lists of inputs. */
static int check_numbers(struct info_check *c, const struct pfm_bin *bin, uint32_t file,
                         uint32_t line)
{
    const struct pfm_inputs *in = &c->in->inputs;
    bool bad_file = file >= in->files;
    if (!bad_file && line < in->lines)
        return 0;
    return err_set(-EBADMSG, c->in->path, -1,
                   "a sounding of the bin in row %lld, column %lld has %s number %lld, "
                   "and the PFM's %s lists %lld of them, from 0 on",
                   (long long)(bin->index / c->head->width),
                   (long long)(bin->index % c->head->width), bad_file ? "file" : "line",
                   (long long)(bad_file ? file : line), bad_file ? ".ctl" : ".lin",
                   (long long)(bad_file ? in->files : in->lines));
}

int info_check_bin(struct info_check *c, const struct pfm_bin *bin,
                   const struct pfm_sounding *s, int64_t blocks)
{
    struct info_totals *t = &c->in->totals;
    struct pfm_bin should = *bin;
    uint32_t file = 0, line = 0;
    for (int64_t i = 0; i < bin->soundings; i++) {
        t->raw_sum += s[i].depth;
        t->invalid += (s[i].validity & PFM_INVAL) != 0;
        file = s[i].file > file ? s[i].file : file;
        line = s[i].line > line ? s[i].line : line;
    }
    t->blocks_max = blocks > t->blocks_max ? blocks : t->blocks_max;
    pfm_extremes_add(&t->extremes, bin);
    pfm_recompute(c->head, s, bin->soundings, &should);
    const char *what = info_compare(c->head, bin, &should);
    if (what && !t->wrong++)
        snprintf(t->first_wrong, sizeof t->first_wrong,
                 "the %s of the bin in row %lld, column %lld is not that of its %lld "
                 "sounding%s",
                 what, (long long)(bin->index / c->head->width),
                 (long long)(bin->index % c->head->width), (long long)bin->soundings,
                 units_s(bin->soundings));
    return check_numbers(c, bin, file, line);
}

/* ---- all bins ------------------------------------------------------------------- */

/* Indices of extremes: first of depths, then of numbers of soundings, then
 * of deviations. */
enum { COUNTS = 4, DEVIATIONS = 6, EXTREMES = 8 };

static double of_bin(const struct pfm_bin *bin, int i)
{
    const double of[EXTREMES] = {bin->min,
                                 bin->max,
                                 bin->min_filtered,
                                 bin->max_filtered,
                                 (double)bin->soundings,
                                 (double)bin->soundings,
                                 bin->std,
                                 bin->std};
    return of[i];
}

/* Checks that an extreme in the header is that of all bins, and that of the bin it
 * names; it names none for standard deviations. */
static int check_extreme(struct info_check *c, struct pfm *p, int i,
                         const struct pfm_extreme *is, const struct pfm_extreme *should)
{
    static const char *const name[EXTREMES] = {"least depth",
                                               "greatest depth",
                                               "least filtered depth",
                                               "greatest filtered depth",
                                               "least number of soundings of a bin",
                                               "greatest number of soundings of a bin",
                                               "least standard deviation",
                                               "greatest standard deviation"};
    const struct pfm_head *h = c->head;
    double step = i < COUNTS       ? 1 / h->depth_scale
                  : i < DEVIATIONS ? 1
                                   : 2 / h->std_scale + 2e-6;
    struct pfm_bin bin = {0};
    bool there = is->bin >= 0;
    int rc = there ? pfm_bin(p, is->bin / h->width, is->bin % h->width, &bin) : 0;
    if (rc || (there && !differ(is->value, should->value, step) &&
               (i >= DEVIATIONS || !differ(of_bin(&bin, i), should->value, step))))
        return rc;
    return err_set(-EBADMSG, c->in->path, -1,
                   "the %s is %.*f (row %lld, column %lld), and the PFM's header says "
                   "%.*f (row %lld, column %lld)",
                   name[i],
                   i < COUNTS       ? 2
                   : i < DEVIATIONS ? 0
                                    : 6,
                   should->value, (long long)(should->bin / h->width),
                   (long long)(should->bin % h->width),
                   i < COUNTS       ? 2
                   : i < DEVIATIONS ? 0
                                    : 6,
                   is->value, (long long)(is->bin / h->width),
                   (long long)(is->bin % h->width));
}

/* Checks the header's extremes. The PFM library leaves them all zero. Without a valid
 * sounding, depths and deviations have none. */
static int check_extremes(struct info_check *c, struct pfm *p)
{
    const struct pfm_extremes *e = pfm_extremes(p), *all = &c->in->totals.extremes;
    const struct pfm_extreme *is[EXTREMES] = {
        &e->min,       &e->max,       &e->min_filtered, &e->max_filtered,
        &e->min_count, &e->max_count, &e->min_std,      &e->max_std};
    const struct pfm_extreme *should[EXTREMES] = {
        &all->min,       &all->max,       &all->min_filtered, &all->max_filtered,
        &all->min_count, &all->max_count, &all->min_std,      &all->max_std};
    bool there = false;
    int rc = 0;
    for (int i = 0; i < EXTREMES; i++)
        there |= is[i]->value != 0 || is[i]->bin != 0;
    for (int i = 0; i < EXTREMES && there && !rc; i++)
        if (all->filled || (i >= COUNTS && i < DEVIATIONS))
            rc = check_extreme(c, p, i, is[i], should[i]);
    return rc;
}

int info_check_end(struct info_check *c, struct pfm *p)
{
    const struct info_totals *t = &c->in->totals;
    if (t->wrong)
        return err_set(-EBADMSG, c->in->path, -1, "%lld of %lld bins are wrong; %s",
                       (long long)t->wrong, (long long)t->bins, t->first_wrong);
    return check_extremes(c, p);
}

int info_check_open(struct info_check **out, struct info *in, struct pfm *p)
{
    struct info_check *c = *out =
        mem_of(in->path, 1, sizeof *c, "a bit for each block");
    in->totals.walk.used =
        mem_of(in->path, 1, pfm_blocks(p) / 8 + 1, "a bit for each block");
    if (!c || !in->totals.walk.used)
        return -ENOMEM;
    c->in = in;
    c->head = in->head;
    return open_cover(c);
}

void info_check_close(struct info_check **c)
{
    if (*c) {
        free((*c)->in->totals.walk.used);
        (*c)->in->totals.walk.used = NULL;
        if ((*c)->cover)
            fclose((*c)->cover);
    }
    free(*c);
    *c = NULL;
}
