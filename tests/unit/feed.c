/* Each beam of a GSF file, and each sounding of a PFM, on its way to a new PFM. mpi:
 * each. */
#include "tap.h"

#include "hydro/gsf_write.h"
#include "hydro/pfm_make.h"
#include "hydro/pfm_pack.h"
#include "hydro/pfm_side.h"
#include "local_run.h"
#include "pfmload/input/beams.h"
#include "pfmload/input/feed.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static char path[TAP_PATH];

/* ---- writing -------------------------------------------------------------------- */

enum { BEAMS = 2100, PINGS = 200 };

static double depth[BEAMS], across[BEAMS], along[BEAMS];
static uint8_t flag[BEAMS];
static struct gsf_writer *writer;

static void begin_file(void)
{
    const struct gsf_write_array four = {4, 100, 100};
    const struct gsf_write_form form = {3, 9, false, false, four, four, four};
    unlink(path);
    gsf_write_open(&writer, path, &form);
}

/* Adds a ping with the first `beams` of the arrays. */
static void add_ping(double lat, double lon, double heading, int beams, unsigned flags)
{
    struct gsf_ping p = {.lat = lat,
                         .lon = lon,
                         .heading = heading,
                         .flags = flags,
                         .beams = beams,
                         .depth = depth,
                         .across = across,
                         .along = along,
                         .flag = flag};
    if (gsf_write_ping(writer, &p))
        tap_ok(0, "the test can write its file: %s", err_get()->text);
}

/* Adds a single sounding directly under the ship. */
static void add_single(double lat, double lon)
{
    depth[0] = 10;
    across[0] = along[0] = flag[0] = 0;
    add_ping(lat, lon, 0, 1, 0);
}

static void end_file(void)
{
    if (gsf_write_close(&writer, true))
        tap_ok(0, "the test can write its file: %s", err_get()->text);
}

/* ---- feeding -------------------------------------------------------------------- */

/* Soundings that the sink received since feed_built. */
static struct {
    struct pfm_sounding s[2 * PINGS * 100];
    int64_t n;
    int calls, fail_at; /* number of the call that fails; 0: none */
    uint64_t hash;
} got;

static struct run run;
static struct reader reader = {.run = &run};
static struct pfm_head head;
static struct feed_options options;
static struct feed_counts counts;

static int take(void *context, const struct pfm_sounding *s, int64_t n)
{
    int *calls = context;
    if (++*calls == got.fail_at)
        return err_set(-ENOSPC, NULL, -1, "no more");
    for (int64_t i = 0; i < n; i++)
        got.hash += feed_hash(&s[i], 1);
    memcpy(got.s + got.n, s, (size_t)n * sizeof *s);
    got.n += n;
    return 0;
}

/* Feeds the file at `path` as files first, first + 1 ... */
static int feed_built(int64_t first, int files)
{
    struct feed *f;
    got.n = got.calls = 0;
    got.hash = 0;
    local_run(&run);
    err_clear();
    int rc = feed_open(&f, &head, &options);
    for (int i = 0; i < files && !rc; i++)
        rc = feed_file(f, first + i, path, take, &got.calls);
    if (f)
        counts = *feed_counts(f);
    feed_close(&f);
    return rc;
}

static const struct pfm_form usual = {.version = 7,
                                      .record_length = 6,
                                      .bin_m = 10,
                                      .west = -88,
                                      .south = 30,
                                      .east = -87.99,
                                      .north = 30.01,
                                      .depth_min = 0,
                                      .depth_max = 100,
                                      .files = 1,
                                      .pings = 1,
                                      .beams = 1};

static void make_head(const struct pfm_form *form)
{
    options = (struct feed_options){
        .how = GEO_EXACT, .swath = SWATH_DEFAULTS, .reader = &reader};
    if (pfm_head_make(&head, form))
        tap_ok(0, "the test can make a head: %s", err_get()->text);
}

/* ---- beams that are loaded ------------------------------------------------------ */

static void test_flags(void)
{
    static const struct {
        uint8_t flag;
        double depth;
        int validity; /* -1: not loaded */
    } beams[] = {{0, 10, 0},
                 {0x01, 10, -1},
                 {0x05, 11.11, PFM_MANUALLY_INVAL},
                 {0x09, 12.5, PFM_FILTER_INVAL},
                 {0x21, 13, PFM_MANUALLY_INVAL},
                 {0x06, 14, 0},
                 {0, 0, -1},
                 {0x05, 0, -1},
                 {0x10, 99.99, 0}};
    make_head(&usual);
    for (int i = 0; i < COUNT(beams); i++) {
        flag[i] = beams[i].flag;
        depth[i] = beams[i].depth;
        across[i] = (i - 4) * 20;
        along[i] = i;
    }
    begin_file();
    add_ping(30.005, -87.995, 30, COUNT(beams), 0);
    end_file();
    options.line_shift = 3;
    bool fine = !feed_built(7, 1) && got.n == 6 && got.calls == 1;
    for (int i = 0, k = 0; i < COUNT(beams) && fine; i++) {
        const struct pfm_sounding *s = &got.s[k];
        if (beams[i].validity < 0)
            continue;
        fine = s->validity == (uint32_t)beams[i].validity && s->beam == i + 1 &&
               s->depth == lround(beams[i].depth * 100) && s->file == 7 &&
               s->line == 10 && s->ping == 1;
        k++;
    }
    tap_ok(fine, "beams that are null are left out, others keep their flags");
    tap_ok(counts.beams == 9 && counts.out[GSF_OUT_FLAG] == 2 &&
               counts.out[GSF_OUT_DEPTH] == 1 && counts.soundings == 6 &&
               counts.manual == 2 && counts.filtered == 1 && !counts.cut &&
               counts.files == 1 && counts.pings == 1 && !counts.out[GSF_OUT_AREA],
           "and are counted");
    struct stat st;
    const struct phase_act *a = &run.phase->act[ACT_READ];
    tap_ok(!stat(path, &st) && a->bytes == st.st_size && a->ns > 0 && a->calls > 0,
           "as are bytes and time of reading");
}

static void test_pings(void)
{
    make_head(&usual);
    begin_file();
    add_single(30.001, -87.999);
    add_ping(30.001, -87.999, 0, 1, GSF_PING_IGNORE);
    add_ping(GSF_NULL_LAT, -87.999, 0, 1, 0);
    across[1] = 5;
    flag[1] = flag[2] = 0;
    depth[1] = depth[2] = 20;
    across[2] = along[1] = along[2] = 0;
    add_ping(30.002, -87.998, GSF_NULL_HEADING, 3, 0);
    across[2] = 1;
    add_ping(30.003, -87.998, GSF_NULL_HEADING, 0, 0);
    add_ping(30.003, -87.998, 90, 2, 0);
    end_file();
    tap_ok(!feed_built(0, 2) && got.n == 10 && got.calls == 6,
           "pings that are ignored, at no place, or empty give no soundings");
    const struct pfm_sounding *s = got.s;
    tap_ok(s[0].ping == 1 && s[1].ping == 4 && s[1].beam == 1 && s[2].ping == 4 &&
               s[2].beam == 3 && s[2].bin == s[1].bin && s[3].ping == 6 &&
               s[5].file == 1 && s[5].ping == 1 && s[5].line == 1,
           "numbers are those of the file; without a heading, beams aside are lost");
    tap_ok(counts.pings == 12 && counts.out[GSF_OUT_IGNORED] == 2 &&
               counts.out[GSF_OUT_POSITION] == 2 && counts.beams == 16 &&
               counts.out[GSF_OUT_HEADING] == 2 && counts.files == 2,
           "all that is counted");
}

/* ---- places --------------------------------------------------------------------- */

/* Returns the bin of a single sounding; -1: none. */
static int64_t bin_at(double lat, double lon)
{
    begin_file();
    add_single(lat, lon);
    end_file();
    if (feed_built(0, 1))
        tap_diag("%s", err_get()->text);
    return got.n == 1 ? got.s[0].bin : -1;
}

static void test_edges(void)
{
    make_head(&usual);
    const double step = 2e-7, north = head.max_y, east = head.max_x;
    const int64_t w = head.width, h = head.height;
    tap_ok(bin_at(30, -88) == 0 && !got.s[0].x && !got.s[0].y,
           "the south-western corner is in the first bin");
    tap_ok(bin_at(30 - step, -88) == -1 && counts.out[GSF_OUT_AREA] == 1 &&
               !got.calls && bin_at(30, -88 - step) == -1,
           "a step to the south or west of it is outside");
    tap_ok(bin_at(north - step, east - step) == w * h - 1 &&
               bin_at(north + step, east - step) == -1 &&
               bin_at(north - step, east + step) == -1,
           "and so is a step beyond the last");
    tap_ok(bin_at(30 + 1.5 * head.bin_y, -88 + 2.5 * head.bin_x) == w + 2 &&
               abs(got.s[0].x - 2048) < 20 && abs(got.s[0].y - 2048) < 20,
           "the middle of a bin is the middle of a bin");
}

static void test_180(void)
{
    struct pfm_form form = usual;
    form.west = 179.99;
    form.east = 180.01;
    make_head(&form);
    int64_t west = bin_at(30.005, 179.9999999), east = bin_at(30.005, -179.9999999);
    int64_t column = (int64_t)floor(0.01 / head.bin_x);
    tap_ok(west % head.width == column && east - west >= 0 && east - west <= 1 &&
               bin_at(30.005, -179.9801) == -1 &&
               bin_at(30.005, -179.9901) / head.width == west / head.width,
           "a grid across 180 degrees");
    begin_file();
    for (int i = 0; i < 100; i++) {
        depth[i] = 50;
        across[i] = (i - 50) * 4;
        along[i] = flag[i] = 0;
    }
    add_ping(30.005, 180, 0, 100, 0);
    end_file();
    bool rising = !feed_built(0, 1) && got.n == 100;
    for (int i = 1; i < 100 && rising; i++)
        rising = got.s[i].bin >= got.s[i - 1].bin && got.s[i].bin <= got.s[0].bin + 40;
    tap_ok(rising && got.s[99].bin > got.s[0].bin + 35, "and a swath across it");
}

/* ---- values out of range -------------------------------------------------------- */

static void refused(int64_t first, int code, const char *part, const char *what)
{
    int rc = feed_built(first, 1);
    const struct err *e = err_get();
    bool fine = rc == code && e->code == code && strstr(e->text, part) &&
                !strcmp(e->file, path);
    tap_ok(fine, "%s is refused", what);
    if (!fine)
        tap_diag("%d (expected %d): %s", rc, code, e->text);
}

static void test_unfit(void)
{
    struct pfm_form form = usual;
    form.depth_max = 10; /* and one more, for "no depth": 11 bits */
    make_head(&form);
    begin_file();
    add_single(30.001, -87.999);
    int64_t second = 0;
    depth[0] = 20.48;
    add_ping(30.001, -87.999, 0, 1, 0);
    end_file();
    refused(0, -ERANGE, "ping 2: a sounding is not within", "a depth of too many bits");
    second = err_get()->offset;
    tap_ok(second > 100 && got.n == 1, "at offset %lld, after what was before it",
           (long long)second);
    begin_file();
    depth[0] = -0.02;
    add_ping(30.001, -87.999, 0, 1, 0);
    end_file();
    refused(0, -ERANGE, "ping 1: a sounding is not within", "one above the highest");
    begin_file();
    for (int i = 0; i < BEAMS; i++)
        depth[i] = i + 1 < BEAMS ? 0 : 10;
    memset(flag, 0, sizeof flag);
    memset(across, 0, sizeof across);
    memset(along, 0, sizeof along);
    add_ping(30.001, -87.999, 0, BEAMS, 0);
    end_file();
    refused(0, -ERANGE, "ping 1: the beam", "a beam of too many bits");
    refused(70000, -ERANGE, "line 70000", "a line of too many bits");
    refused(-1, -ERANGE, "file -1", "a negative number");
    char *end = path + strlen(path);
    snprintf(end, 8, ".none");
    refused(0, -ENOENT, "cannot be opened", "a file that is not there");
    *end = 0;
}

static void test_sink_fails(void)
{
    make_head(&usual);
    begin_file();
    for (int i = 0; i < 5; i++)
        add_single(30.001, -87.999);
    end_file();
    got.fail_at = 3;
    tap_ok(feed_built(0, 2) == -ENOSPC && got.n == 2 && got.calls == 3 &&
               !strcmp(err_get()->text, "no more"),
           "a sink that fails ends the feeding");
    got.fail_at = 0;
}

/* ---- the filter ----------------------------------------------------------------- */

static void write_survey(void)
{
    begin_file();
    for (int i = 0; i < PINGS; i++) {
        for (int k = 0; k < 100; k++) {
            bool spike = (i * 100 + k) % 997 == 500;
            depth[k] = spike ? 15 : 30 + 0.01 * ((i * 7 + k * 13) % 10);
            across[k] = k - 50;
            along[k] = 0;
            flag[k] = (uint8_t)((i + k) % 50 ? 0 : 5);
        }
        add_ping(30.001 + i * 1e-5, -87.995, 0, 100, i % 40 == 7);
    }
    end_file();
}

static void test_filter(void)
{
    static struct pfm_sounding plain[PINGS * 100];
    make_head(&usual);
    write_survey();
    bool fine = !feed_built(0, 1);
    int64_t n = got.n, cut = 0, spikes = 0, wrong = 0;
    uint64_t hash = got.hash;
    memcpy(plain, got.s, (size_t)n * sizeof *plain);
    options.filter = true;
    fine = fine && !feed_built(0, 1) && got.n == n;
    for (int64_t i = 0; i < n && fine; i++) {
        struct pfm_sounding s = got.s[i];
        bool is_cut = s.validity & PFM_MODIFIED, spike = s.depth == 1500;
        cut += is_cut;
        spikes += spike && !plain[i].validity;
        wrong += is_cut != (spike && !plain[i].validity);
        if (is_cut && s.validity == (PFM_FILTER_INVAL | PFM_MODIFIED))
            s.validity = plain[i].validity;
        fine = !memcmp(&s, &plain[i], sizeof s);
    }
    tap_ok(fine && hash == got.hash,
           "the filter changes nothing but the validity, and no fingerprint");
    tap_ok(spikes > 10 && !wrong && counts.cut == cut && counts.filtered == cut,
           "it cuts %lld of %lld false depths, and %lld others", (long long)cut,
           (long long)spikes, (long long)wrong);
    tap_ok(!feed_built(0, 2) && got.n == 2 * n && counts.cut == 2 * cut &&
               counts.pings == 2 * PINGS && got.s[n].file == 1 && got.s[n].ping == 1,
           "the next file begins anew");
    options.swath.sigma = -1;
    tap_ok(feed_built(0, 1) < 0 && err_get()->code,
           "a filter that cannot be is refused");
}

/* ---- an existing PFM ------------------------------------------------------------ */

static int by_bin(const void *a, const void *b)
{
    const struct pfm_sounding *p = a, *q = b;
    if (p->bin != q->bin)
        return p->bin < q->bin ? -1 : 1;
    if (p->ping != q->ping)
        return p->ping < q->ping ? -1 : 1;
    return p->beam < q->beam ? -1 : p->beam > q->beam;
}

static void save(const char *handle, const char *suffix, const void *data,
                 int64_t bytes)
{
    char name[PFM_PATH];
    FILE *f = pfm_path(name, handle, suffix) ? NULL : fopen(name, "w");
    if (!f || fwrite(data, 1, (size_t)bytes, f) != (size_t)bytes || fclose(f))
        tap_ok(0, "the test can write %s", name);
}

/* Writes a PFM of the soundings, with the blocks of bins one after the other. */
static void write_pfm(const char *handle)
{
    int64_t bins = head.width * head.height, at = 0, length = head.record_length;
    int64_t bin_bytes = head.header_bytes + bins * head.bin_bytes;
    uint8_t *bin_file = calloc(1, (size_t)bin_bytes);
    uint8_t *ndx = calloc((size_t)got.n + 2, (size_t)head.block_bytes);
    qsort(got.s, (size_t)got.n, sizeof *got.s, by_bin);
    if (pfm_head_text(&head, NULL, 0, (char *)bin_file))
        tap_ok(0, "the test can write a header");
    at = head.block_bytes;
    for (int64_t i = 0, n; i < got.n; i += n) {
        struct pfm_bin bin = {.index = got.s[i].bin, .first = at};
        for (n = 0; i + n < got.n && got.s[i + n].bin == bin.index; n++)
            ;
        bin.soundings = n;
        for (int64_t k = 0; k < n; k++) {
            if (k && k % length == 0) {
                pfm_put_next(&head, ndx + at, at + head.block_bytes);
                at += head.block_bytes;
            }
            pfm_put_soundings(&head, ndx + at, k % length, &got.s[i + k], 1);
        }
        pfm_recompute(&head, &got.s[i], n, &bin);
        bin.last = at;
        at += head.block_bytes;
        pfm_put_bin(&head, bin_file + head.header_bytes + bin.index * head.bin_bytes,
                    &bin);
    }
    char folder[TAP_PATH + 8];
    snprintf(folder, sizeof folder, "%s.data", handle);
    mkdir(folder, 0700);
    save(handle, "bin", bin_file, bin_bytes);
    save(handle, "ndx", ndx, at);
    if (pfm_handle_write(handle, &head, handle))
        tap_ok(0, "the test can write a handle");
    free(bin_file);
    free(ndx);
}

static void remove_pfm(const char *handle)
{
    char name[PFM_PATH];
    for (int i = 0; i < 2; i++)
        if (!pfm_path(name, handle, i ? "ndx" : "bin"))
            unlink(name);
    snprintf(name, sizeof name, "%s.data", handle);
    rmdir(name);
    unlink(handle);
}

/* Feeds in two bands of rows; *first is the number of soundings of the first. */
static int feed_bands(struct pfm *p, int64_t *first)
{
    struct feed *f;
    got.n = got.calls = 0;
    got.hash = 0;
    err_clear();
    int rc = feed_open(&f, &head, &options);
    if (!rc)
        rc = feed_pfm(f, p, 0, head.height / 4, take, &got.calls);
    *first = got.n;
    if (!rc)
        rc = feed_pfm(f, p, head.height / 4, head.height, take, &got.calls);
    counts = *feed_counts(f);
    feed_close(&f);
    return rc;
}

static void test_pfm(void)
{
    char handle[TAP_PATH];
    struct pfm *p = NULL;
    tap_path(handle, "there.pfm");
    make_head(&usual);
    write_survey();
    bool fine = !feed_built(0, 1);
    int64_t n = got.n, first, manual = counts.manual;
    uint64_t hash = got.hash;
    write_pfm(handle);
    fine = fine && !pfm_open(&p, handle) && !feed_bands(p, &first);
    tap_ok(fine && got.n == n && got.hash == hash && first > 0 && first < n,
           "soundings of a PFM, in two bands of rows: the same as went into it (%s)",
           err_get()->text);
    for (int64_t i = 1; i < got.n; i++)
        fine = fine && by_bin(&got.s[i - 1], &got.s[i]) < 0;
    tap_ok(fine && counts.soundings == n && counts.manual == manual && !counts.files,
           "bin by bin, and counted");
    head.beam_bits = 5;
    tap_ok(p && tap_refused(feed_bands(p, &first), -ERANGE, "the beam"),
           "soundings that do not fit are refused");
    head.width++;
    tap_ok(p && tap_refused(feed_bands(p, &first), -EINVAL, "grid"),
           "another grid is refused");
    pfm_close(&p);
    remove_pfm(handle);
}

/* ---- fingerprints --------------------------------------------------------------- */

static void test_hash(void)
{
    const struct pfm_sounding s = {100, 2, 3, 4000, 1, 5, 6, 7, 8};
    struct pfm_sounding v[8] = {s, s, s, s, s, s, s, s}, t = s, a = s, b = s;
    v[0].bin++, v[1].file++, v[2].ping++, v[3].depth++;
    v[4].validity ^= PFM_MANUALLY_INVAL, v[5].beam++, v[6].x++, v[7].y++;
    bool differ = true;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k <= i; k++)
            differ = differ && feed_hash(&v[i], 1) != feed_hash(k < i ? &v[k] : &s, 1);
    tap_ok(differ, "each field changes the fingerprint");
    t.line = 9;
    t.validity |= PFM_FILTER_INVAL | PFM_MODIFIED;
    tap_ok(feed_hash(&t, 1) == feed_hash(&s, 1),
           "but for the line, and what filters change");
    a.x = 70, b.y = 80;
    uint64_t sum = feed_hash(&a, 1) + feed_hash(&b, 1);
    a.y = 80, b.y = s.y;
    tap_ok(sum != feed_hash(&a, 1) + feed_hash(&b, 1),
           "values that change places between two soundings change the sum");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(path, "feed.gsf");
    test_flags();
    test_pings();
    test_edges();
    test_180();
    test_unfit();
    test_sink_fails();
    test_filter();
    test_pfm();
    test_hash();
    reader_free(&reader);
    phase_close(&run.phase);
    unlink(path);
    return tap_end();
}
