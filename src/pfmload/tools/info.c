#include "pfmload/tools/info.h"
#include "base/format/json.h"
#include "base/plain.h"
#include "base/program.h"
#include <math.h>

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

static void put_totals(struct json *j, const struct info_totals *t)
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
    put_totals(&j, &in->totals);
    put_verified(&j, in);
    json_real(&j, "cpu_s", in->cpu_s);
    json_end_object(&j);
    return json_finish(&j);
}
