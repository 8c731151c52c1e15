/* gsfinfo: shows the content of files of multibeam soundings (GSF). No MPI. */
#include "base/clock.h"
#include "base/err.h"
#include "base/format/json.h"
#include "base/opt.h"
#include "base/plain.h"
#include "base/program.h"
#include "base/units.h"
#include "hydro/geodesy.h"
#include "hydro/gsf_out.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct opt_rest files;
    bool json, records, timing, truncated;
} set;

/* clang-format off */
static struct opt table[] = {
    {.kind = OPT_REST, .name = "FILE", .value = &set.files, .required = true,
     .help = "one or more GSF files"},
    {.kind = OPT_FLAG, .name = "records", .letter = 'r', .value = &set.records,
     .preset = "no", .help = "also show the records of each type and the beams by "
                             "flag",
     .text = "Three more lines for each file: the records of each type; the beams "
             "of each flag, in pings that are not ignored; and the beams that "
             "*pfmload*(1) could load, and could not, by reason. Flag 0x01 is a "
             "beam without detection, 0x05 one edited by hand, 0x09 one edited by "
             "a filter."},
    {.kind = OPT_FLAG, .name = "truncated", .value = &set.truncated, .preset = "no",
     .help = "show files that are cut short up to their last complete record",
     .text = "Also show files that are cut short, up to their last complete "
             "record, and mark them."},
    {.kind = OPT_FLAG, .name = "json", .letter = 'j', .value = &set.json,
     .preset = "no", .help = "print everything as JSON",
     .text = "Print all figures as JSON, with all digits, the number of "
             "single-beam pings, the sum of the valid depths, the subrecords of "
             "pings by number and the verified checksums. The loadable beams "
             "(*loadable*) and those of each reason (*left_out*, named as in "
             "*pfmload*(1)) add up to all beams."},
    {.kind = OPT_FLAG, .name = "timing", .letter = 't', .value = &set.timing,
     .preset = "no", .help = "also show the decoding speed in bytes and beams per "
                             "second of processor time",
     .text = "Also print the processor time of reading, in bytes and in beams per "
             "second. JSON always has it, as *cpu_s*."},
};
/* clang-format on */

static const struct opt_program program = {
    .name = "gsfinfo",
    .line = "FILE...",
    .about = "Reads files of multibeam soundings (GSF) and shows their contents: "
             "records, pings, beams, bounds, depths, flags.",
    .table = table,
    .n = sizeof table / sizeof table[0],
};

/* Totals. Every beam counts as one of: ignored with its ping, null, flagged, valid. And
 * it can be loaded, or is in `out`. */
struct summary {
    int64_t files, cut_files, bytes, pings, single_pings, ignored_pings, unplaced_pings;
    int64_t beams, ignored, null, flagged, valid;
    int64_t out[GSF_OUTS];        /* beams that cannot be loaded, by reason */
    int64_t beams_min, beams_max; /* of a ping */
    int64_t flag[256];            /* beams by flag, in pings that are not ignored */
    double depth_min, depth_max, depth_sum; /* of valid beams, m */
    int64_t time_min, time_max;             /* of pings, s since 1970, UTC */
    struct geo_box box;                     /* of positions of pings that are
                                             * not ignored */
    struct gsf_counts counts;
};

/* ---- counting ------------------------------------------------------------------- */

/* Adds a ping's depths without branches, so that the loop is vectorised. */
static void add_depths(struct summary *s, const struct gsf_ping *p)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    int valid = 0, null = 0;
#pragma omp simd reduction(+ : sum, valid, null) reduction(min : low)                  \
    reduction(max : high)
    for (int i = 0; i < p->beams; i++) {
        double z = p->depth[i];
        int there = z != GSF_NULL_DEPTH, good = there & !(p->flag[i] & GSF_BEAM_IGNORE);
        double lowest = good ? z : INFINITY, highest = good ? z : -INFINITY;
        null += !there;
        valid += good;
        sum += good ? z : 0;
        low = lowest < low ? lowest : low;
        high = highest > high ? highest : high;
    }
    s->null += null;
    s->valid += valid;
    s->flagged += p->beams - null - valid;
    s->depth_sum += sum;
    s->depth_min = fmin(s->depth_min, low);
    s->depth_max = fmax(s->depth_max, high);
}

static void add_reasons(struct summary *s, const struct gsf_ping *p)
{
    enum gsf_out why = gsf_why_ping_out(p);
    s->out[why] += why ? p->beams : 0;
    for (int i = 0; !why && i < p->beams; i++)
        s->out[gsf_why_beam_out(p, i)]++;
}

static void add_ping(struct summary *s, const struct gsf_ping *p)
{
    bool first = !s->pings++;
    s->beams += p->beams;
    s->beams_min = first || p->beams < s->beams_min ? p->beams : s->beams_min;
    s->beams_max = first || p->beams > s->beams_max ? p->beams : s->beams_max;
    s->time_min = first || p->time_s < s->time_min ? p->time_s : s->time_min;
    s->time_max = first || p->time_s > s->time_max ? p->time_s : s->time_max;
    s->single_pings += p->single;
    s->unplaced_pings += !p->placed;
    if (set.records)
        add_reasons(s, p);
    if (p->ignored) {
        s->ignored_pings++;
        s->ignored += p->beams;
        return;
    }
    if (p->placed)
        geo_box_add(&s->box, (struct geo_point){p->lat, p->lon});
    add_depths(s, p);
    for (int i = 0; set.records && i < p->beams; i++)
        s->flag[p->flag[i]]++;
}

static void gsfinfo_start(struct summary *s)
{
    *s = (struct summary){.depth_min = INFINITY, .depth_max = -INFINITY};
}

/* Reads a file. Returns 0, or -errno with a sentence; *s has the totals before
 * the failure. */
static int read_file(const char *path, struct summary *s, char version[8])
{
    struct gsf *g;
    struct gsf_ping p;
    gsfinfo_start(s);
    int rc = gsf_open(&g, path);
    if (rc)
        return rc;
    if (set.truncated)
        gsf_take_cut(g);
    while ((rc = gsf_next(g, &p)) == 1)
        add_ping(s, &p);
    s->files = 1;
    s->cut_files = gsf_cut(g) >= 0;
    s->bytes = gsf_bytes(g);
    s->counts = *gsf_counts(g);
    snprintf(version, 8, "%s", gsf_version(g));
    gsf_close(&g);
    return rc;
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t higher(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds the totals of another file. */
static void gsfinfo_join(struct summary *all, const struct summary *s)
{
    const int64_t *from = (const int64_t *)&s->counts;
    int64_t *to = (int64_t *)&all->counts;
    if (s->pings) {
        bool first = !all->pings;
        all->beams_min = first ? s->beams_min : lower(all->beams_min, s->beams_min);
        all->beams_max = first ? s->beams_max : higher(all->beams_max, s->beams_max);
        all->time_min = first ? s->time_min : lower(all->time_min, s->time_min);
        all->time_max = first ? s->time_max : higher(all->time_max, s->time_max);
    }
    all->files += s->files;
    all->cut_files += s->cut_files;
    all->bytes += s->bytes;
    all->pings += s->pings;
    all->single_pings += s->single_pings;
    all->ignored_pings += s->ignored_pings;
    all->unplaced_pings += s->unplaced_pings;
    all->beams += s->beams;
    all->ignored += s->ignored;
    all->null += s->null;
    all->flagged += s->flagged;
    all->valid += s->valid;
    all->depth_sum += s->depth_sum;
    all->depth_min = fmin(all->depth_min, s->depth_min);
    all->depth_max = fmax(all->depth_max, s->depth_max);
    geo_box_join(&all->box, &s->box);
    for (int i = 0; i < 256; i++)
        all->flag[i] += s->flag[i];
    for (int i = 0; i < GSF_OUTS; i++)
        all->out[i] += s->out[i];
    for (size_t i = 0; i < sizeof s->counts / sizeof *from; i++)
        to[i] += from[i];
}

/* ---- text ----------------------------------------------------------------------- */

static void gsfinfo_print_head(int width)
{
    printf("%-*s  %7s %9s %9s %11s %11s %9s %9s  %-20s  %-20s  %s\n", width, "file",
           "version", "size", "pings", "beams", "valid", "min [m]", "max [m]",
           "first ping [UTC]", "last ping [UTC]", "west, south, east, north [degrees]");
}

/* Formats the time of a ping, in UTC; "-" without pings. */
static const char *gsfinfo_date(const struct summary *s, int64_t time_s,
                                char text[CLOCK_UTC_SIZE])
{
    return s->pings ? clock_date(time_s * 1000000000, text) : "-";
}

static void print_line(int width, const char *name, const char *version,
                       const struct summary *s)
{
    char bytes[16], shown[PLAIN_PATH], first[CLOCK_UTC_SIZE], last[CLOCK_UTC_SIZE];
    printf("%-*s  %7s %9s %9lld %11lld %11lld", width, plain(shown, sizeof shown, name),
           version, units_bytes(bytes, s->bytes), (long long)s->pings,
           (long long)s->beams, (long long)s->valid);
    if (s->valid)
        printf(" %9.2f %9.2f", s->depth_min, s->depth_max);
    else
        printf(" %9s %9s", "-", "-");
    printf("  %-20s  %-20s", gsfinfo_date(s, s->time_min, first),
           gsfinfo_date(s, s->time_max, last));
    if (s->box.n)
        printf("  %.7f, %.7f, %.7f, %.7f", geo_box_west(&s->box), s->box.south,
               geo_wrap(geo_box_east(&s->box)), s->box.north);
    printf("%s\n", !s->cut_files ? ""
                   : version[0]  ? "  cut short"
                                 : "  some cut short");
}

static void print_records(const struct summary *s)
{
    char why[800];
    printf("  records:");
    for (int i = 0; i < GSF_RECORDS; i++)
        if (s->counts.records[i])
            printf(" %s %lld", gsf_record_text(i), (long long)s->counts.records[i]);
    printf("\n  beams: %lld valid, %lld flagged, %lld null, %lld of ignored pings; by "
           "flag:",
           (long long)s->valid, (long long)s->flagged, (long long)s->null,
           (long long)s->ignored);
    for (int i = 0; i < 256; i++)
        if (s->flag[i])
            printf(" 0x%02x %lld", (unsigned)i, (long long)s->flag[i]);
    gsf_out_tell(s->out, why, sizeof why);
    printf("\n  of %lld beam%s %lld can be loaded; left out: %s\n", (long long)s->beams,
           units_s(s->beams), (long long)(s->beams - gsf_out_sum(s->out)), why);
}

static void print_summary(int width, const char *name, const char *version,
                          const struct summary *s)
{
    print_line(width, name, version, s);
    if (set.records)
        print_records(s);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void put_records(struct json *j, const struct summary *s)
{
    char id[8];
    json_object_flat(j, "records");
    for (int i = 0; i < GSF_RECORDS; i++)
        if (s->counts.records[i])
            json_int(j, gsf_record_text(i), s->counts.records[i]);
    json_end_object(j);
    json_object_flat(j, "subrecords");
    for (int i = 0; i < 256; i++) {
        snprintf(id, sizeof id, "%d", i);
        if (s->counts.subrecords[i])
            json_int(j, id, s->counts.subrecords[i]);
    }
    json_end_object(j);
    json_int(j, "checksums", s->counts.checksums);
}

static void put_flags(struct json *j, const struct summary *s)
{
    char flag[8];
    json_object_flat(j, "flags");
    for (int i = 0; i < 256; i++) {
        snprintf(flag, sizeof flag, "0x%02x", (unsigned)i);
        if (s->flag[i])
            json_int(j, flag, s->flag[i]);
    }
    json_end_object(j);
}

static void put_reasons(struct json *j, const struct summary *s)
{
    json_int(j, "loadable", s->beams - gsf_out_sum(s->out));
    json_object_flat(j, "left_out");
    for (int i = GSF_IN + 1; i < GSF_OUTS; i++)
        if (i != GSF_OUT_AREA)
            json_int(j, gsf_out_name(i), s->out[i]);
    json_end_object(j);
}

static void put_beams(struct json *j, const struct summary *s)
{
    json_int(j, "pings", s->pings);
    json_int(j, "single_beam_pings", s->single_pings);
    json_int(j, "ignored_pings", s->ignored_pings);
    json_int(j, "unplaced_pings", s->unplaced_pings);
    json_int(j, "beams", s->beams);
    json_int(j, "ignored_beams", s->ignored);
    json_int(j, "null_depth", s->null);
    json_int(j, "flagged", s->flagged);
    json_int(j, "valid", s->valid);
    json_int(j, "beams_per_ping_min", s->beams_min);
    json_int(j, "beams_per_ping_max", s->beams_max);
}

/* Writes times in seconds since 1970, and as text; null without pings. */
static void put_times(struct json *j, const struct summary *s)
{
    char first[CLOCK_UTC_SIZE], last[CLOCK_UTC_SIZE];
    json_int(j, "first_s", s->time_min);
    json_int(j, "last_s", s->time_max);
    json_text(j, "first_utc", s->pings ? gsfinfo_date(s, s->time_min, first) : NULL);
    json_text(j, "last_utc", s->pings ? gsfinfo_date(s, s->time_max, last) : NULL);
}

/* Writes measures; missing ones are null: json_real writes NaN as null. */
static void put_measures(struct json *j, const struct summary *s)
{
    json_real(j, "depth_min_m", s->valid ? s->depth_min : NAN);
    json_real(j, "depth_max_m", s->valid ? s->depth_max : NAN);
    json_real(j, "depth_sum_m", s->depth_sum);
    json_real(j, "west", s->box.n ? geo_box_west(&s->box) : NAN);
    json_real(j, "south", s->box.n ? s->box.south : NAN);
    json_real(j, "east", s->box.n ? geo_wrap(geo_box_east(&s->box)) : NAN);
    json_real(j, "north", s->box.n ? s->box.north : NAN);
}

static void put_summary(struct json *j, const char *key, const char *path,
                        const char *version, const struct summary *s)
{
    json_object(j, key);
    if (path)
        json_text(j, "file", path);
    else
        json_int(j, "files", s->files);
    if (version)
        json_text(j, "version", version);
    json_int(j, "bytes", s->bytes);
    json_int(j, "cut_short", s->cut_files);
    put_records(j, s);
    put_beams(j, s);
    put_reasons(j, s);
    put_times(j, s);
    put_flags(j, s);
    put_measures(j, s);
    json_end_object(j);
}

/* ---- all files ------------------------------------------------------------------ */

/* Reports a file that cannot be read on stderr; the tables leave it out. */
static int say_failure(void)
{
    fflush(stdout);
    err_print(stderr, program.name, err_get());
    err_clear();
    return EXIT_FAILED;
}

static int widest(void)
{
    int width = 5;
    for (int i = 0; i < set.files.n; i++)
        width = (int)higher(width, (int64_t)strlen(set.files.item[i]));
    return width;
}

static void print_timing(const struct summary *all, int64_t ns)
{
    double s = (double)ns / 1e9;
    printf("processor time: %.3f s, %.2f GB/s, %.1f million beams/s\n", s,
           (double)all->bytes / 1e9 / s, (double)all->beams / 1e6 / s);
}

static int gsfinfo_tell(struct json *j)
{
    struct summary one, all;
    char version[8];
    int status = EXIT_GOOD, width = widest();
    int64_t ns = 0;
    gsfinfo_start(&all);
    for (int i = 0; i < set.files.n; i++) {
        const char *path = set.files.item[i];
        int64_t before = clock_cpu_ns();
        int rc = read_file(path, &one, version);
        ns += clock_cpu_ns() - before;
        if (rc) {
            status = say_failure();
            continue;
        }
        gsfinfo_join(&all, &one);
        if (j)
            put_summary(j, NULL, path, version, &one);
        else
            print_summary(width, path, version, &one);
    }
    if (j) {
        json_end_array(j);
        put_summary(j, "total", NULL, NULL, &all);
        json_real(j, "cpu_s", (double)ns / 1e9);
        return status;
    }
    if (set.files.n > 1)
        print_summary(width, "total", "", &all);
    if (set.timing)
        print_timing(&all, ns);
    return status;
}

static int tell_json(void)
{
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "program", program.name);
    json_text(&j, "leadline", leadline_version);
    json_array(&j, "files");
    int status = gsfinfo_tell(&j);
    json_end_object(&j);
    json_finish(&j); /* errors are checked at the program's end */
    return status;
}

int main(int argc, char **argv)
{
    int status;
    if (opt_early(&program, leadline_version, argc, argv, &status))
        return status;
    if (opt_parse(&program, argc, argv)) {
        err_print(stderr, program.name, err_get());
        return EXIT_USAGE;
    }
    if (set.json)
        set.records = true;
    if (!set.json)
        gsfinfo_print_head(widest());
    return program_end(program.name, set.json ? tell_json() : gsfinfo_tell(NULL));
}
