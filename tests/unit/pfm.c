/* A PFM from its parts: bits both ways, statistics from sums, the head and places in
 * its grid, the small files; and all of it together as pfm.h reads it. Known values
 * come from a real file of NAVO's library (tests/data/pfm). */
#include "tap.h"

#include "hydro/gsf.h"
#include "hydro/pfm.h"
#include "hydro/pfm_make.h"
#include "hydro/pfm_pack.h"
#include "hydro/pfm_side.h"

static const struct pfm_form real_form = {
    7, 6, 25, -76.3512001, 37.962955, -76.2885285, 38.0040681, 0, 100, 1, 132, 1};

static uint64_t seed = 1;

/* Draws from 0 to 2^bits - 1, now and then one of the ends. */
static uint64_t any(int64_t bits)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t most = (UINT64_C(1) << bits) - 1, r = seed >> 20;
    return r % 8 == 0 ? most : r % 8 == 1 ? 0 : (seed >> 11) & most;
}

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(any(40) % (uint64_t)(high - low + 1));
}

/* ---- bits ----------------------------------------------------------------------- */

static struct pfm_head any_head(int64_t length)
{
    struct pfm_head h;
    pfm_head_make(&h, &real_form);
    h.record_length = length;
    h.version = between(0, 1) ? 7 : 6.4;
    h.depth_bits = between(1, 32);
    h.file_bits = between(1, 32);
    h.line_bits = between(1, 16);
    h.ping_bits = between(1, 32);
    h.beam_bits = between(1, 16);
    h.offset_bits = between(1, 16);
    h.validity_bits = between(1, 32);
    h.attribute_bits = between(0, 3) * 21;
    h.bin_attribute_bits = between(0, 3) * 33;
    h.horizontal_bits = between(0, 1) * 9;
    h.pointer_bits = between(1, 56);
    h.count_bits = between(1, 31);
    h.std_bits = between(1, 40);
    pfm_head_derive(&h, NULL);
    return h;
}

static struct pfm_sounding any_sounding(const struct pfm_head *h)
{
    return (struct pfm_sounding){.bin = 7,
                                 .file = (uint32_t)any(h->file_bits),
                                 .line = (uint16_t)any(h->line_bits),
                                 .ping = (uint32_t)any(h->ping_bits),
                                 .beam = (uint16_t)any(h->beam_bits),
                                 .depth = (uint32_t)any(h->depth_bits),
                                 .x = (uint16_t)any(h->offset_bits),
                                 .y = (uint16_t)any(h->offset_bits),
                                 .validity = (uint32_t)any(h->validity_bits)};
}

static bool same(const struct pfm_sounding *a, const struct pfm_sounding *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* True if soundings come back from any order, with the pointer behind them, and bytes
 * around the block stay the same: the block is at the very end of its memory. */
static bool block_comes_back(const struct pfm_head *h)
{
    struct pfm_sounding in[12], out = {.bin = 7};
    int64_t n = h->record_length, next = (int64_t)any(h->pointer_bits);
    uint8_t *block = calloc(1, (size_t)h->block_bytes);
    bool good = block != NULL;
    int64_t first = between(0, n - 1);
    for (int64_t i = 0; i < n; i++)
        in[i] = any_sounding(h);
    for (int64_t i = 0; i < n && good; i++)
        pfm_put_soundings(h, block, (first + i) % n, &in[(first + i) % n], 1);
    if (good)
        pfm_put_next(h, block, next);
    for (int64_t i = 0; i < n && good; i++) {
        pfm_get_soundings(h, block, i, &out, 1, 7);
        good = same(&in[i], &out) && !pfm_unfit(h, &out);
    }
    good = good && pfm_get_next(h, block) == next;
    free(block);
    return good;
}

static bool copies_are_the_same(const struct pfm_head *h)
{
    enum { N = 30 };
    int64_t at = between(0, 9), from = between(0, 9), n = between(0, N - 10);
    size_t bytes = (size_t)(h->sounding_bits * (N + 1) / 8 + 1);
    uint8_t *row = calloc(1, bytes), *copy = calloc(1, bytes);
    struct pfm_sounding in[N], out = {.bin = 7};
    bool good = row && copy;
    for (int64_t i = 0; i < N && good; i++) {
        in[i] = any_sounding(h);
        pfm_put_soundings(h, row, i, &in[i], 1);
        if (i < at)
            pfm_put_soundings(h, copy, i, &in[i], 1);
    }
    if (good)
        pfm_copy_soundings(h, copy, at, row, from, n);
    for (int64_t i = 0; i < at + n && good; i++) {
        pfm_get_soundings(h, copy, i, &out, 1, 7);
        good = same(&in[i < at ? i : from + i - at], &out);
    }
    int64_t used = (h->sounding_bits * (at + n) + 7) / 8;
    for (size_t i = (size_t)used; i < bytes && good; i++)
        good = !copy[i];
    free(row);
    free(copy);
    return good;
}

static bool bin_comes_back(const struct pfm_head *h)
{
    uint8_t *record = malloc((size_t)h->bin_bytes), again[4096];
    struct pfm_bin in = {.soundings = 1 + (int64_t)any(h->count_bits) / 2}, out = in;
    if (!record)
        return false;
    in.std = (double)any(h->std_bits) / h->std_scale;
    double *z[] = {&in.average_filtered, &in.min_filtered, &in.max_filtered,
                   &in.average,          &in.min,          &in.max};
    for (int i = 0; i < 6; i++)
        *z[i] = pfm_depth(h, (uint32_t)any(h->depth_bits));
    in.valid = h->version >= 7 ? (int64_t)any(h->count_bits) : -1;
    in.validity = (uint32_t)any(h->validity_bits);
    in.first = (int64_t)any(h->pointer_bits);
    in.last = (int64_t)any(h->pointer_bits);
    pfm_put_bin(h, record, &in);
    pfm_get_bin(h, record, &out);
    pfm_put_bin(h, again, &out);
    bool good = !memcmp(record, again, (size_t)h->bin_bytes) &&
                !memcmp(&in, &out, sizeof in) && !pfm_bin_unfit(h, &in);
    in.std = 1e300;
    pfm_put_bin(h, record, &in);
    pfm_get_bin(h, record, &out);
    good = good && out.std * h->std_scale > ldexp(1, (int)h->std_bits) - 1.5 &&
           out.soundings == in.soundings && out.last == in.last;
    free(record);
    return good;
}

static void test_bits(void)
{
    const int64_t lengths[] = {1, 6, 12};
    for (int i = 0; i < 3; i++) {
        int blocks = 0, copies = 0, bins = 0;
        for (int j = 0; j < 2000; j++) {
            struct pfm_head h = any_head(lengths[i]);
            blocks += block_comes_back(&h);
            copies += copies_are_the_same(&h);
            bins += bin_comes_back(&h);
        }
        tap_ok(blocks == 2000, "%d of 2000 blocks of %d soundings come back", blocks,
               (int)lengths[i]);
        tap_ok(copies == 2000 && bins == 2000,
               "so do %d copies of packed soundings and %d bins", copies, bins);
    }
}

static void test_unfit(void)
{
    struct pfm_head h;
    pfm_head_make(&h, &real_form);
    const struct {
        struct pfm_sounding s;
        const char *what;
    } cases[] = {
        {{.file = 1 << 11}, "file"},          {{.line = 1 << 13}, "line"},
        {{.ping = 1 << 25}, "ping"},          {{.beam = 1 << 11}, "beam"},
        {{.depth = 1 << 14}, "depth"},        {{.x = 1 << 12}, "place in the bin"},
        {{.y = 1 << 12}, "place in the bin"}, {{.validity = 1 << 23}, "validity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *what = pfm_unfit(&h, &cases[i].s);
        tap_ok(what && !strcmp(what, cases[i].what), "too large: %s", what);
    }
    struct pfm_bin many = {.soundings = 1 << 24}, far = {.last = INT64_C(1) << 38};
    tap_ok(pfm_bin_unfit(&h, &many) && !strcmp(pfm_bin_unfit(&h, &far), "pointer"),
           "too large for a bin: %s", pfm_bin_unfit(&h, &many));
}

/* ---- sums ----------------------------------------------------------------------- */

enum { MANY = 300 };

/* Computes by the definition, in long double and two passes. */
static struct pfm_bin by_definition(const struct pfm_head *h,
                                    const struct pfm_sounding *s, int n)
{
    struct pfm_bin b = {.soundings = n, .min = 1e9, .min_filtered = 1e9, .max = -1e9};
    long double sum = 0, good = 0, spread = 0;
    int all = 0;
    b.max_filtered = -1e9;
    for (int i = 0; i < n; i++) {
        double z = pfm_depth(h, s[i].depth);
        b.validity |= s[i].validity;
        if (s[i].validity & (PFM_DELETED | PFM_REFERENCE) || s[i].depth >= h->null_raw)
            continue;
        all++;
        sum += z;
        b.min = fmin(b.min, z);
        b.max = fmax(b.max, z);
        if (s[i].validity & PFM_INVAL)
            continue;
        b.valid++;
        good += z;
        b.min_filtered = fmin(b.min_filtered, z);
        b.max_filtered = fmax(b.max_filtered, z);
    }
    for (int i = 0; i < n; i++)
        if (!(s[i].validity & (PFM_DELETED | PFM_REFERENCE | PFM_INVAL)) &&
            s[i].depth < h->null_raw) {
            long double d = pfm_depth(h, s[i].depth) - good / b.valid;
            spread += d * d;
        }
    b.std = b.valid > 1 ? sqrt((double)(spread / (b.valid - 1))) : 0;
    b.average = all ? (double)(sum / all) : h->null_depth;
    b.average_filtered = b.valid ? (double)(good / b.valid) : h->null_depth;
    b.min = all ? b.min : h->null_depth;
    b.max = all ? b.max : h->null_depth;
    b.min_filtered = b.valid ? b.min_filtered : h->null_depth;
    b.max_filtered = b.valid ? b.max_filtered : h->null_depth;
    b.validity = b.valid ? b.validity | PFM_DATA : b.validity & ~PFM_DATA;
    return b;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static bool agree(const struct pfm_bin *a, const struct pfm_bin *b)
{
    return a->soundings == b->soundings && a->valid == b->valid &&
           a->validity == b->validity && near(a->std, b->std) && near(a->min, b->min) &&
           near(a->max, b->max) && near(a->min_filtered, b->min_filtered) &&
           near(a->max_filtered, b->max_filtered) && near(a->average, b->average) &&
           near(a->average_filtered, b->average_filtered);
}

static int fill(const struct pfm_head *h, struct pfm_sounding *s)
{
    static const uint32_t marks[] = {
        0, 0, 0, 0, PFM_MANUALLY_INVAL, PFM_FILTER_INVAL, PFM_DELETED, PFM_REFERENCE};
    int n = (int)between(0, MANY), kinds = (int)between(1, 8);
    uint32_t from = (uint32_t)between(0, h->null_raw);
    for (int i = 0; i < n; i++)
        s[i] = (struct pfm_sounding){.depth = from + (uint32_t)any(10),
                                     .validity = marks[7 - between(0, kinds - 1)] |
                                                 (uint32_t)any(1) << 5};
    return n;
}

static void test_sums(void)
{
    static struct pfm_sounding s[MANY];
    struct pfm_form form = real_form;
    struct pfm_head h;
    int right = 0, equal = 0, recomputed = 0;
    form.depth_min = -3.5;
    form.depth_max = 11000;
    pfm_head_make(&h, &form);
    for (int trial = 0; trial < 500; trial++) {
        int n = fill(&h, s);
        struct pfm_sums sums = {0}, back = {0};
        struct pfm_bin bin = {0}, turned = {0}, again = {.soundings = n};
        struct pfm_bin should = by_definition(&h, s, n);
        for (int i = 0; i < n; i++)
            pfm_sums_add(&h, &sums, s + i, 1);
        for (int i = n; i-- > 0;)
            pfm_sums_add(&h, &back, s + i, 1);
        pfm_sums_bin(&h, &sums, &bin);
        pfm_sums_bin(&h, &back, &turned);
        pfm_recompute(&h, s, n, &again);
        right += agree(&bin, &should);
        equal += !memcmp(&bin, &turned, sizeof bin);
        recomputed += !memcmp(&bin, &again, sizeof bin);
    }
    tap_ok(right == 500, "%d of 500 bins are as defined", right);
    tap_ok(equal == 500, "%d are the same the other way round", equal);
    tap_ok(recomputed == 500, "%d are so from pfm_recompute", recomputed);
}

/* Depths differ by a step in 4e9: doubles would lose the difference. */
static void test_exact(void)
{
    struct pfm_head h;
    struct pfm_sums sums = {0};
    struct pfm_bin bin = {0};
    pfm_head_make(&h, &real_form);
    h.null_raw = UINT32_MAX;
    for (int i = 0; i < 2000; i++)
        pfm_sums_add(&h, &sums,
                     &(struct pfm_sounding){.depth = 4000000000u + (uint32_t)(i % 2)},
                     1);
    pfm_sums_bin(&h, &sums, &bin);
    double expected = sqrt(500. / 1999) / h.depth_scale;
    tap_ok(fabs(bin.std / expected - 1) < 1e-12, "a deviation of %.9g is exact",
           bin.std);
}

/* ---- head and grid -------------------------------------------------------------- */

static bool says(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

/* Lines of headers that the library wrote. */
static void test_header(void)
{
    static const char *const lines[] = {"[RECORD LENGTH] = 6",
                                        "[DATE] = Fri Nov 20 08:54:44 2026",
                                        "[MIN Y] = 37.962955000",
                                        "[MIN X] = -76.351200100",
                                        "[MAX Y] = 38.004172803",
                                        "[MAX X] = -76.288310328",
                                        "[BIN SIZE XY] = 25.000000000000000",
                                        "[X BIN SIZE] = 0.000284569104736",
                                        "[Y BIN SIZE] = 0.000225233895684",
                                        "[BIN WIDTH] = 221",
                                        "[BIN HEIGHT] = 183",
                                        "[MIN FILTERED COORD] = 0,0",
                                        "[COUNT BITS] = 24",
                                        "[STD BITS] = 32",
                                        "[STD SCALE] = 1000000.000000",
                                        "[DEPTH BITS] = 14",
                                        "[DEPTH SCALE] = 100.000000",
                                        "[DEPTH OFFSET] = 0.000000",
                                        "[RECORD POINTER BITS] = 38",
                                        "[FILE NUMBER BITS] = 11",
                                        "[LINE NUMBER BITS] = 13",
                                        "[PING NUMBER BITS] = 25",
                                        "[BEAM NUMBER BITS] = 11",
                                        "[OFFSET BITS] = 12",
                                        "[VALIDITY BITS] = 23",
                                        "[POINT] = 38.004068100,-76.351200100",
                                        "[POINT] = 38.004068100,-76.288528500",
                                        "[PROJECTION PARAMETER 1] = 0.000",
                                        "[PROJECTION PARAMETER 15] = 0.000000000000",
                                        "[BIN ATTRIBUTE NULL 19] = 0.000000",
                                        "[NDX ATTRIBUTE 0] = ",
                                        "[COVERAGE MAP ADDRESS] = 0",
                                        "[VERTICAL ERROR BITS] = 0",
                                        "[NULL DEPTH] = 101.000000"};
    static char text[PFM_HEADER_BYTES];
    struct pfm_head h, back = {0};
    int missing = 0;
    int rc = pfm_head_make(&h, &real_form);
    if (!rc)
        rc = pfm_head_text(&h, NULL, 1795164884, text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!says(text, lines[i])) {
            tap_diag("missing: %s", lines[i]);
            missing++;
        }
    tap_ok(!rc && !missing, "the header is the library's (%d lines are not)", missing);
    tap_ok(h.sounding_bits == 121 && h.block_bytes == 96 && h.bin_bytes == 33,
           "records are as large as its");
    rc = pfm_head_parse(&back, text, "text");
    back.edge_x = h.edge_x;
    back.edge_y = h.edge_y;
    tap_ok(!rc && !strcmp(back.version_text, h.version_text) && back.bin_x == h.bin_x &&
               back.bin_y == h.bin_y && back.min_x == h.min_x &&
               back.min_y == h.min_y && back.null_raw == h.null_raw &&
               back.width == h.width,
           "the header that is read back has the same grid (%s)", err_get()->text);
    struct pfm_form other = {7,
                             6,
                             100,
                             167.4759172 - 0.06,
                             8.7115166 - 0.06,
                             167.4765838 + 0.06,
                             8.773204,
                             0,
                             6000,
                             1,
                             1,
                             1};
    rc = pfm_head_make(&h, &other);
    tap_ok(!rc && h.width == 133 && h.height == 135 && h.depth_bits == 20 &&
               fabs(h.bin_x - 0.000908731938011) < 1e-15 &&
               fabs(h.bin_y - 0.000904159847817) < 1e-15 &&
               fabs(h.max_x - 167.536778548) < 1e-9,
           "another grid is the library's, %.15f by %.15f degrees", h.bin_x, h.bin_y);
}

static void test_versions(void)
{
    static char text[PFM_HEADER_BYTES];
    char line[80];
    struct pfm_form form = real_form;
    struct pfm_head h;
    form.version = 6.4;
    int rc = pfm_head_make(&h, &form);
    if (!rc)
        rc = pfm_head_text(&h, NULL, 0, text);
    snprintf(line, sizeof line, "[COVERAGE MAP ADDRESS] = %d",
             PFM_HEADER_BYTES + 221 * 183 * 30);
    tap_ok(!rc && h.bin_bytes == 30 && strstr(text, "library V6.40") &&
               says(text, line),
           "version 6.40 has no number of valid soundings, and its map in the .bin");
    form = real_form;
    form.depth_min = -12.3;
    form.depth_max = 80.915;
    form.files = 5000;
    form.pings = INT64_C(1) << 31;
    form.beams = 65535;
    rc = pfm_head_make(&h, &form);
    tap_ok(!rc && h.depth_offset == 13 && h.depth_bits == 14 &&
               h.null_raw >> h.depth_bits == 0 && h.line_bits == 13 &&
               h.file_bits == 13 && h.ping_bits == 32 && h.beam_bits == 16,
           "fields are as wide as what comes into them");
}

static void test_refusals(void)
{
    const struct {
        struct pfm_form change; /* members that are not 0 */
        const char *part;
    } cases[] = {
        {{.version = 5}, "only 6.40 and 7.00"},
        {{.record_length = -1}, "soundings cannot be"},
        {{.record_length = 1001}, "soundings cannot be"},
        {{.bin_m = -25}, "bins of -25 m"},
        {{.bin_m = NAN}, "bins of nan m"},
        {{.bin_m = 0.009}, "bins of 0.009 m"},
        {{.bin_m = 0.01, .east = -70}, "larger bins"},
        {{.south = -90, .north = -89.9999999999}, "no sides in degrees"},
        {{.east = -77}, "no area"},
        {{.north = 37}, "no area"},
        {{.north = NAN}, "no area"},
        {{.depth_max = -1}, "depths from"},
        {{.files = 65536}, "65535 lines"},
        {{.pings = INT64_C(1) << 32}, "2^32"},
        {{.beams = 65536}, "2^16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pfm_form form = real_form;
        struct pfm_head h;
        const double *from = &cases[i].change.bin_m;
        if (cases[i].change.version != 0)
            form.version = cases[i].change.version;
        if (cases[i].change.record_length)
            form.record_length = cases[i].change.record_length;
        for (int j = 0; j < 7; j++)
            if (from[j] != 0)
                (&form.bin_m)[j] = from[j];
        form.files += cases[i].change.files;
        form.pings += cases[i].change.pings;
        form.beams += cases[i].change.beams;
        err_clear();
        int rc = pfm_head_make(&h, &form);
        tap_ok(rc && strstr(err_get()->text, cases[i].part), "refused: %s",
               err_get()->text);
    }
    err_clear();
}

/* True for every place in the grid, and for none outside. */
static bool place(const struct pfm_head *h, struct geo_point p, struct pfm_sounding *s)
{
    struct pfm_place at;
    pfm_places(h, &p, 1, &at);
    return pfm_put_place(h, &at, s);
}

static void test_places(void)
{
    struct pfm_form form = real_form;
    struct pfm_head h;
    struct pfm_sounding s;
    int wrong = 0, outside = 0;
    form.west = 179.9;
    form.east = 180.2;
    form.south = -17.1;
    form.north = -16.9;
    pfm_head_make(&h, &form);
    for (int i = 0; i < 10000; i++) {
        double x = 179.9 + 0.3 * (double)any(20) / 1048575;
        double y = -17.1 + 0.2 * (double)any(20) / 1048575;
        if (!place(&h, (struct geo_point){y, geo_wrap(x)}, &s)) {
            outside++;
            continue;
        }
        double px =
            h.min_x + (double)(s.bin % h.width) * h.bin_x + s.x * h.bin_x / 4095;
        double py =
            h.min_y + (double)(s.bin / h.width) * h.bin_y + s.y * h.bin_y / 4095;
        wrong += fabs(px - x) > h.bin_x / 8000 || fabs(py - y) > h.bin_y / 8000;
    }
    tap_ok(!wrong && !outside, "places across 180 degrees (%d wrong, %d outside)",
           wrong, outside);
    const struct geo_point none[] = {{-17, 179.89}, {-17, -179.79}, {-16.89, 180},
                                     {-17.11, 180}, {-17, 0},       {NAN, 180}};
    for (int i = 0; i < 6; i++)
        outside += !place(&h, none[i], &s);
    tap_ok(outside == 6, "%d of 6 places outside are outside", outside);
}

/* ---- the library's own file ----------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
    const struct pfm_sounding *s = a, *t = b;
    if (s->bin != t->bin)
        return s->bin < t->bin ? -1 : 1;
    return s->ping < t->ping ? -1 : s->ping > t->ping;
}

static const char *data(char path[TAP_PATH], const char *name)
{
    const char *top = getenv("top_srcdir");
    snprintf(path, TAP_PATH, "%s/tests/data/%s", top ? top : ".", name);
    return path;
}

static size_t get_file(const char *path, void *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static int load(const struct pfm_head *h, struct pfm_sounding *s, int room)
{
    char path[TAP_PATH];
    struct gsf *g;
    struct gsf_ping p;
    int n = 0, ping = 0;
    int rc = gsf_open(&g, data(path, "gsf/6_184_1440.mb121"));
    while (!rc && n < room && gsf_next(g, &p) == 1) {
        struct geo_point at;
        geo_beams(GEO_SURVEY, (struct geo_point){p.lat, p.lon}, p.heading, 1, p.across,
                  p.along, &at);
        s[n] = (struct pfm_sounding){
            .ping = (uint32_t)++ping,
            .beam = 1,
            .depth = (uint32_t)lroundf((float)p.depth[0] * (float)h->depth_scale)};
        rc = place(h, at, &s[n++]) ? 0 : -1;
    }
    gsf_close(&g);
    return rc ? rc : n;
}

/* Reads its .ndx, byte by byte. */
static void test_real_blocks(void)
{
    static struct pfm_sounding s[200];
    static uint8_t blocks[200 * 96], real[200 * 96 + 1];
    char path[TAP_PATH];
    struct pfm_head h;
    int64_t used = -1;
    pfm_head_make(&h, &real_form);
    int n = load(&h, s, 200);
    if (n > 0)
        qsort(s, (size_t)n, sizeof *s, in_order);
    for (int i = 0, at = 0; i < n; i++, at++) {
        at = i && s[i].bin == s[i - 1].bin ? at : 0;
        used += !at;
        pfm_put_soundings(&h, blocks + used * h.block_bytes, at, &s[i], 1);
    }
    size_t bytes =
        get_file(data(path, "pfm/r6.pfm.data/r6.pfm.ndx"), real, sizeof real);
    tap_ok(n == 132 && bytes == (size_t)((used + 1) * h.block_bytes) &&
               !memcmp(blocks, real, bytes),
           "%d soundings of a real file make the library's %zu bytes of blocks", n,
           bytes);
}

/* Reads its lists of inputs, and writes them again. */
static void test_real_lists(void)
{
    static const char *const suffix[] = {"ctl", "lin"};
    char handle[TAP_PATH], path[PFM_PATH], copy[TAP_PATH], is[1000], was[1000];
    struct pfm_inputs in = {0};
    struct pfm_head h;
    int same_bytes = 0;
    pfm_head_make(&h, &real_form);
    int rc = pfm_inputs_read(&in, data(handle, "pfm/r6.pfm"));
    tap_path(copy, "list");
    for (int i = 0; i < 2 && !rc; i++) {
        rc = i ? pfm_lin_write(copy, &in) : pfm_ctl_write(copy, &h, "r6.pfm", &in);
        rc = rc ? rc : pfm_path(path, handle, suffix[i]);
        size_t n = rc ? 0 : get_file(path, was, sizeof was);
        same_bytes += n && n == get_file(copy, is, sizeof is) && !memcmp(is, was, n);
    }
    tap_ok(!rc && same_bytes == 2 && in.files == 1 && in.lines == 1,
           "its lists of inputs are read and written (%s)", err_get()->text);
    unlink(copy);
    pfm_inputs_free(&in);
}

/* ---- a whole PFM ---------------------------------------------------------------- */

static int put_file(const char *path, const void *a, size_t na, const void *b,
                    size_t nb)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return -1;
    bool good = fwrite(a, 1, na, f) == na && fwrite(b, 1, nb, f) == nb;
    return fclose(f) || !good ? -1 : 0;
}

struct made {
    struct pfm_head head;
    struct pfm_sounding *s; /* in order of bins */
    int n;
    uint8_t *bins, *blocks, *coverage;
    int64_t block_bytes;
    struct pfm_extremes extremes;
};

/* Makes a bin of soundings `first` to before `end`: consecutive blocks. */
static void make_bin(struct made *m, int first, int end)
{
    const struct pfm_head *h = &m->head;
    struct pfm_sums sums = {0};
    struct pfm_bin bin = {.index = m->s[first].bin, .first = m->block_bytes};
    for (int i = first; i < end; i++) {
        int64_t at = (i - first) % h->record_length;
        if (i > first && !at)
            pfm_put_next(h, m->blocks + bin.last, m->block_bytes);
        if (!at) {
            bin.last = m->block_bytes;
            m->block_bytes += h->block_bytes;
        }
        pfm_put_soundings(h, m->blocks + bin.last, at, &m->s[i], 1);
        pfm_sums_add(h, &sums, &m->s[i], 1);
    }
    pfm_sums_bin(h, &sums, &bin);
    pfm_put_bin(h, m->bins + bin.index * h->bin_bytes, &bin);
    m->coverage[bin.index] = pfm_coverage(&bin);
    pfm_extremes_add(&m->extremes, &bin);
}

static int make(struct made *m, double version, int64_t length)
{
    struct pfm_form form = {version, length, 1000, 7, 54, 7.2, 54.1, -2, 60, 1, 1, 1};
    int rc = pfm_head_make(&m->head, &form);
    int64_t cells = m->head.width * m->head.height;
    m->n = 3000;
    m->s = calloc((size_t)m->n, sizeof *m->s);
    m->bins = calloc((size_t)cells, (size_t)m->head.bin_bytes);
    m->blocks = calloc((size_t)m->n, (size_t)m->head.block_bytes);
    m->coverage = calloc((size_t)cells, 1);
    if (rc || !m->s || !m->bins || !m->blocks || !m->coverage)
        return -1;
    for (int i = 0; i < m->n; i++) {
        struct pfm_sounding *s = &m->s[i];
        struct geo_point p = {54 + 0.1 * (double)any(20) / 1048575,
                              7 + 0.2 * (double)any(20) / 1048575};
        *s = (struct pfm_sounding){.ping = (uint32_t)i + 1, .beam = 5};
        s->depth = (uint32_t)between(0, m->head.null_raw);
        s->validity = any(3) ? 0 : PFM_FILTER_INVAL;
        if (!place(&m->head, p, s))
            return -1;
    }
    qsort(m->s, (size_t)m->n, sizeof *m->s, in_order);
    for (int i = 0, first = 0; i < m->n; i++)
        if (i + 1 == m->n || m->s[i + 1].bin != m->s[first].bin) {
            make_bin(m, first, i + 1);
            first = i + 1;
        }
    return 0;
}

static int save(const struct made *m, const char *handle)
{
    static char text[PFM_HEADER_BYTES];
    const struct pfm_head *h = &m->head;
    struct pfm_inputs in = {0};
    char path[PFM_PATH];
    int64_t cells = h->width * h->height;
    snprintf(path, sizeof path, "%s.data", handle);
    int rc = mkdir(path, 0777);
    if (!rc)
        rc = pfm_head_text(h, &m->extremes, 1, text);
    if (!rc)
        rc = pfm_path(path, handle, "bin");
    if (!rc)
        rc = put_file(path, text, sizeof text, m->bins, (size_t)(cells * h->bin_bytes));
    if (!rc)
        rc = pfm_path(path, handle, "ndx");
    if (!rc)
        rc = put_file(path, "", 0, m->blocks, (size_t)m->block_bytes);
    if (!rc)
        rc = pfm_handle_write(handle, h, handle);
    for (int i = 0; i < 3 && !rc; i++)
        rc = pfm_inputs_add(&in, i % 2 ? "survey 1/a b.gsf" : "c.gsf", PFM_GSF);
    if (!rc)
        in.file[2].deleted = true;
    if (!rc)
        rc = pfm_path(path, handle, "ctl");
    if (!rc)
        rc = pfm_ctl_write(path, h, handle, &in);
    if (!rc)
        rc = pfm_path(path, handle, "lin");
    if (!rc)
        rc = pfm_lin_write(path, &in);
    if (!rc)
        rc = pfm_path(path, handle, "cvg");
    if (!rc)
        rc = pfm_cvg_write(path, h, m->coverage);
    pfm_inputs_free(&in);
    return rc;
}

static void unmake(struct made *m, const char *handle)
{
    static const char *const suffix[] = {"bin", "ndx", "ctl", "lin", "cvg"};
    char path[PFM_PATH];
    for (int i = 0; i < 5; i++)
        if (!pfm_path(path, handle, suffix[i]))
            unlink(path);
    snprintf(path, sizeof path, "%s.data", handle);
    rmdir(path);
    unlink(handle);
    free(m->s);
    free(m->bins);
    free(m->blocks);
    free(m->coverage);
}

/* All soundings come back in order, and every bin has the right statistics. */
static int read_all(const struct made *m, const char *handle)
{
    static uint8_t used[10000];
    struct pfm *p;
    struct pfm_walk walk = {.used = used};
    int n = 0, wrong = 0;
    memset(used, 0, sizeof used);
    int rc = pfm_open(&p, handle);
    for (int64_t i = 0; !rc && i < m->head.width * m->head.height; i++) {
        const struct pfm_sounding *s;
        struct pfm_bin bin, should;
        rc = pfm_bin(p, i / m->head.width, i % m->head.width, &bin);
        rc = rc ? rc : pfm_chain(p, &bin, &walk, &s);
        for (int64_t j = 0; j < bin.soundings && !rc; j++, n++)
            wrong += n >= m->n || !same(&s[j], &m->s[n]);
        should = bin;
        if (!rc && bin.soundings) {
            pfm_recompute(&m->head, s, bin.soundings, &should);
            wrong += fabs(should.std - bin.std) > 1e-6 || should.min != bin.min ||
                     fabs(should.average - bin.average) > 0.00501 ||
                     should.validity != bin.validity;
        }
        pfm_empty_bin(&m->head, &should);
        should.index = i;
        if (!rc && !bin.soundings)
            wrong += memcmp(&bin, &should, sizeof bin) != 0;
    }
    pfm_close(&p);
    return rc || n != m->n ? -1 : wrong;
}

static void check_inputs(const char *handle)
{
    struct pfm_inputs in = {0};
    int rc = pfm_inputs_read(&in, handle);
    tap_ok(!rc && in.files == 3 && in.lines == 3 &&
               !strcmp(in.file[1].path, "survey 1/a b.gsf") &&
               !strcmp(in.line[1], "a b.gsf-000") && in.file[2].deleted &&
               !in.file[0].deleted && in.file[0].type == PFM_GSF,
           "its list of input files comes back (%s)", err_get()->text);
    pfm_inputs_free(&in);
}

static void check_coverage(const struct made *m, const char *handle)
{
    static uint8_t all[PFM_COVERAGE_HEADER + 10000];
    char path[PFM_PATH];
    size_t n = pfm_path(path, handle, "cvg") ? 0 : get_file(path, all, sizeof all);
    size_t cells = (size_t)(m->head.width * m->head.height);
    tap_ok(n == PFM_COVERAGE_HEADER + cells && !memcmp(all, "PFM Software", 12) &&
               !memcmp(all + PFM_COVERAGE_HEADER, m->coverage, cells) &&
               memchr(m->coverage, 0x90, cells),
           "so does its coverage map");
}

static void test_whole(double version, int64_t length)
{
    struct made m = {0};
    char handle[TAP_PATH];
    tap_path(handle, "a.pfm");
    int rc = make(&m, version, length);
    if (!rc)
        rc = save(&m, handle);
    int wrong = rc ? -1 : read_all(&m, handle);
    tap_ok(!rc && !wrong, "a PFM %.2f with blocks of %d is read back (%d wrong; %s)",
           version, (int)length, wrong, err_get()->text);
    check_inputs(handle);
    check_coverage(&m, handle);
    unmake(&m, handle);
}

static void test_extremes(void)
{
    struct pfm_extremes e = {0}, rest = {0};
    const struct pfm_bin bins[] = {
        {.index = 9, .soundings = 1, .min = 4, .max = 5, .validity = PFM_DATA},
        {.index = 3, .soundings = 2, .min = -1, .max = 5, .validity = PFM_DATA},
        {.index = 1, .soundings = 7, .min = 101, .max = 101},
        {.index = 2, .min = -9, .max = 900}};
    pfm_extremes_add(&e, &bins[0]);
    for (int i = 1; i < 4; i++)
        pfm_extremes_add(&rest, &bins[i]);
    pfm_extremes_join(&e, &rest);
    tap_ok(e.bins == 3 && e.filled == 2 && e.min.value == -1 && e.min.bin == 3 &&
               e.max.value == 5 && e.max.bin == 3 && e.max_count.value == 7 &&
               e.min_count.bin == 9,
           "extremes of bins: the first of equal ones, and of valid depths only");
}

static void test_bad_lists(void)
{
    static const char *const lists[] = {
        "",
        "something\n\n\n\n\n",
        "PFM I/O library V7.00\nb\nn\nNONE\n",
        "PFM I/O library V7.00\nb\nn\nNONE\nNONE\n+ 00001 02 a\n",
        "PFM I/O library V7.00\nb\nn\nNONE\nNONE\n+ 00000 02\n",
        "PFM I/O library V7.00\nb\nn\nNONE\nNONE\n* 00000 02 a\n"};
    char handle[TAP_PATH], folder[PFM_PATH], path[PFM_PATH];
    tap_path(handle, "b.pfm");
    snprintf(folder, sizeof folder, "%s.data", handle);
    if (mkdir(folder, 0777) || pfm_path(path, handle, "ctl"))
        abort();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct pfm_inputs in = {0};
        put_file(path, lists[i], strlen(lists[i]), "", 0);
        err_clear();
        int rc = pfm_inputs_read(&in, handle);
        tap_ok(rc && err_get()->text[0], "refused: %s", err_get()->text);
        pfm_inputs_free(&in);
    }
    unlink(path);
    rmdir(folder);
    struct pfm_inputs in = {0};
    err_clear();
    tap_ok(pfm_inputs_add(&in, "a\nb", PFM_GSF) && err_get()->text[0], "refused: %s",
           err_get()->text);
    err_clear();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_bits();
    test_unfit();
    test_sums();
    test_exact();
    test_header();
    test_versions();
    test_refusals();
    test_places();
    test_real_blocks();
    test_real_lists();
    test_whole(7, 6);
    test_whole(6.4, 1);
    test_whole(7, 12);
    test_extremes();
    test_bad_lists();
    return tap_end();
}
