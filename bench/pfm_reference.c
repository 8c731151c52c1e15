/* Loads soundings into a PFM with the PFM library, for pfmload-reference, which
 * compiles this together with it:
 *
 *     pfm_reference each|cached OUT BIN_M FILE...
 *
 * Soundings are read from GSF files by this project's own code, placed by the library's
 * formula, to the side and then forwards, and kept in memory before the library gets
 * them. The last line on standard output is JSON: soundings, and processor seconds to
 * read and place them, to make the PFM and add them ("each" one by one, "cached"
 * through the library's cache, which has all the memory it wants), and to open it again
 * and recompute its bins. */
#include "hydro/gsf.h"
#include "pfm.h" /* the library's */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The library's, though its header does not say so: degrees and metres. */
void pfm_newgp(double lat, double lon, double azimuth, double metres, double *to_lat,
               double *to_lon);

struct sounding {
    double lat, lon;
    float depth;
    unsigned ping;
    unsigned short file, beam;
    unsigned validity;
};

struct soundings {
    struct sounding *all;
    size_t n, room;
};

static void fail(const char *why)
{
    fprintf(stderr, "pfm_reference: %s\n", why);
    exit(1);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- what is loaded ------------------------------------------------------------- */

static void take(struct soundings *s, const struct sounding *one)
{
    if (s->n == s->room) {
        s->room = 2 * s->room + 4096;
        s->all = realloc(s->all, s->room * sizeof *s->all);
        if (!s->all)
            fail("no memory");
    }
    s->all[s->n++] = *one;
}

static void take_ping(struct soundings *s, const struct gsf_ping *p, int file)
{
    if (p->ignored || !p->placed || !p->headed)
        return;
    for (int i = 0; i < p->beams; i++) {
        struct sounding one = {.depth = (float)p->depth[i],
                               .ping = (unsigned)p->number,
                               .file = (unsigned short)file,
                               .beam = (unsigned short)(i + 1)};
        if (p->flag[i] & GSF_BEAM_IGNORE)
            one.validity = PFM_MANUALLY_INVAL;
        if (p->flag[i] == GSF_BEAM_NULL || p->depth[i] == GSF_NULL_DEPTH)
            continue;
        pfm_newgp(p->lat, p->lon, fmod(p->heading + (p->across[i] < 0 ? 270 : 90), 360),
                  fabs(p->across[i]), &one.lat, &one.lon);
        if (p->along[i] != 0)
            pfm_newgp(one.lat, one.lon,
                      fmod(p->heading + (p->along[i] < 0 ? 180 : 0), 360),
                      fabs(p->along[i]), &one.lat, &one.lon);
        take(s, &one);
    }
}

static void read_files(struct soundings *s, char **path, int n)
{
    for (int i = 0; i < n; i++) {
        struct gsf *g;
        struct gsf_ping ping;
        int rc = gsf_open(&g, path[i]);
        if (!rc)
            while ((rc = gsf_next(g, &ping)) == 1)
                take_ping(s, &ping, i);
        if (rc)
            fail("a file cannot be read");
        gsf_close(&g);
    }
}

/* ---- the library ---------------------------------------------------------------- */

static void describe(PFM_OPEN_ARGS *a, const struct soundings *s, const char *out,
                     double bin_m)
{
    double south = 90, north = -90, west = 180, east = -180, low = 1e9, high = -1e9;
    for (size_t i = 0; i < s->n; i++) {
        const struct sounding *p = &s->all[i];
        south = fmin(south, p->lat), north = fmax(north, p->lat);
        west = fmin(west, p->lon), east = fmax(east, p->lon);
        low = fmin(low, p->depth), high = fmax(high, p->depth);
    }
    memset(a, 0, sizeof *a);
    snprintf(a->list_path, sizeof a->list_path, "%s", out);
    strcpy(a->image_path, "NONE");
    strcpy(a->target_path, "NONE");
    a->head.bin_size_xy = bin_m;
    const double margin = 1e-6; /* degrees: the header has nine digits */
    a->head.mbr.min_x = west - margin, a->head.mbr.max_x = east + margin;
    a->head.mbr.min_y = south - margin, a->head.mbr.max_y = north + margin;
    a->head.max_input_files = 1023, a->head.max_input_lines = 4095;
    a->head.max_input_pings = 1 << 20, a->head.max_input_beams = 1023;
    a->offset = (float)(-low + 1);
    a->max_depth = (float)(high + 1);
    a->scale = 100;
    a->checkpoint = 0;
}

static void name_files(NV_INT32 handle, char **path, int n)
{
    for (int i = 0; i < n; i++)
        if (write_list_file(handle, path[i], PFM_GSF_DATA) < 0 ||
            write_line_file(handle, path[i]) < 0)
            fail(pfm_error_str(pfm_error));
}

static void add(NV_INT32 handle, BIN_HEADER *head, const struct sounding *p,
                bool cached)
{
    DEPTH_RECORD record = {.file_number = p->file,
                           .line_number = p->file,
                           .ping_number = p->ping,
                           .beam_number = p->beam,
                           .validity = p->validity};
    record.xyz.x = p->lon;
    record.xyz.y = p->lat;
    record.xyz.z = p->depth;
    NV_F64_COORD2 xy = {p->lon, p->lat};
    compute_index_ptr(xy, &record.coord, head);
    if ((cached ? add_cached_depth_record : add_depth_record_index)(handle, &record))
        fail(pfm_error_str(pfm_error));
}

/* Returns the soundings of all bins. */
static long long recompute(NV_INT32 handle, const BIN_HEADER *head)
{
    long long n = 0;
    BIN_RECORD bin;
    NV_I32_COORD2 at;
    for (at.y = 0; at.y < head->bin_height; at.y++)
        for (at.x = 0; at.x < head->bin_width; at.x++) {
            if (read_bin_record_index(handle, at, &bin))
                fail(pfm_error_str(pfm_error));
            if (bin.num_soundings && recompute_bin_values_index(handle, at, &bin, 0))
                fail(pfm_error_str(pfm_error));
            n += bin.num_soundings;
        }
    return n;
}

int main(int argc, char **argv)
{
    struct soundings s = {0};
    PFM_OPEN_ARGS args;
    if (argc < 5)
        fail("too few words");
    bool cached = !strcmp(argv[1], "cached");
    double before = seconds();
    read_files(&s, argv + 4, argc - 4);
    double read = seconds() - before;
    describe(&args, &s, argv[2], atof(argv[3]));
    set_cache_size_max(2000000000);
    double begun = seconds();
    NV_INT32 handle = (cached ? open_cached_pfm_file : open_pfm_file)(&args);
    if (handle < 0)
        fail(pfm_error_str(pfm_error));
    name_files(handle, argv + 4, argc - 4);
    for (size_t i = 0; i < s.n; i++)
        add(handle, &args.head, &s.all[i], cached);
    (cached ? close_cached_pfm_file : close_pfm_file)(handle);
    double added = seconds();
    if ((handle = open_existing_pfm_file(&args)) < 0)
        fail(pfm_error_str(pfm_error));
    long long found = recompute(handle, &args.head);
    write_bin_header(handle, &args.head, NVFalse);
    close_pfm_file(handle);
    printf("\n{\"soundings\": %lld, \"read_s\": %.3f, \"add_s\": %.3f, "
           "\"recompute_s\": %.3f}\n",
           found, read, added - begun, seconds() - added);
    return found != (long long)s.n;
}
