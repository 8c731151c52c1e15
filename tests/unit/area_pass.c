/* The area filter leaves a PFM as filtering its soundings in memory and packing them
 * anew would, however its rows are shared out and its chains lie. */
#include "tap.h"

#include "hydro/pfm.h"
#include "hydro/pfm_pack.h"
#include "pfmload/area/area_pass.h"

static uint64_t state;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(state >> 33) % n;
}

/* ---- a survey in memory, and as a PFM ------------------------------------------- */

struct survey {
    struct pfm_head head;
    int64_t bins, blocks;
    int64_t *first; /* number of each bin's first sounding, and one more */
    int64_t *place; /* place of each block in the .ndx, in blocks */
    struct pfm_sounding *s;
};

/* Both files of a PFM, and counts of what was done to them. */
struct image {
    int64_t bytes[2];
    uint8_t *data[2];
    int64_t requests[2][2]; /* number of reads and writes of each */
    int64_t moved[2][2];    /* bytes of these */
    /* requests outside the file; number of the one that fails, from 1 */
    int outside, fail_at;
    struct area_pass *meanwhile; /* applied after the first read of blocks */
    struct pfm_extremes *extremes;
    uint8_t *coverage;
};

static struct pfm_head head_of(double version, int64_t width, int64_t height)
{
    struct pfm_head h;
    struct pfm_form form = {.version = version,
                            .record_length = 6,
                            .bin_m = 5,
                            .east = (double)width * 5 / 111320,
                            .north = (double)height * 5 / 110575,
                            .depth_min = 0,
                            .depth_max = 300,
                            .files = 3,
                            .pings = 5000,
                            .beams = 400};
    if (pfm_head_make(&h, &form))
        tap_diag("no head: %s", err_get()->text);
    return h;
}

/* Makes a slope with a cliff; some bins are empty, and one in `rare` soundings is
 * false. */
static struct pfm_sounding sounding(const struct pfm_head *h, int64_t bin, int64_t rare)
{
    int64_t row = bin / h->width, column = bin % h->width;
    double z = 100 + 20 * sin((double)row / 30) + (column > 20 ? 15 : 0);
    z += (double)(below(1000) + below(1000) - 1000) / 2000;
    if (rare && !below(rare))
        z *= 0.5 + (double)below(1000) / 1000;
    uint32_t validity = below(50) ? 0 : PFM_MANUALLY_INVAL;
    validity |= below(200) ? 0 : PFM_DELETED;
    return (struct pfm_sounding){.bin = bin,
                                 .file = (uint32_t)below(3),
                                 .ping = (uint32_t)below(5000) + 1,
                                 .beam = (uint16_t)(below(400) + 1),
                                 .depth = below(300)
                                              ? (uint32_t)lround(z * h->depth_scale)
                                              : (uint32_t)h->null_raw,
                                 .validity = validity,
                                 .x = (uint16_t)below(4096),
                                 .y = (uint16_t)below(4096)};
}

/* Places blocks in the order of bins, or anywhere; no chain continues at byte 0. */
static void place_blocks(struct survey *v, int scattered)
{
    v->place = malloc((size_t)v->blocks * sizeof *v->place);
    for (int64_t i = 0; i < v->blocks; i++)
        v->place[i] = i;
    for (int64_t i = v->blocks - 1; i > 1 && scattered; i--) {
        int64_t j = 1 + below(i), other = v->place[i];
        v->place[i] = v->place[j];
        v->place[j] = other;
    }
}

static void survey_make(struct survey *v, double version, int64_t width, int64_t height,
                        int64_t rare, int scattered)
{
    state = 1;
    *v = (struct survey){.head = head_of(version, width, height)};
    v->bins = v->head.width * v->head.height;
    v->first = calloc((size_t)v->bins + 1, sizeof *v->first);
    v->s = malloc((size_t)v->bins * 13 * sizeof *v->s);
    for (int64_t i = 0; i < v->bins; i++) {
        int64_t n = below(6) ? below(14) : 0;
        for (int64_t j = 0; j < n; j++)
            v->s[v->first[i] + j] = sounding(&v->head, i, rare);
        v->first[i + 1] = v->first[i] + n;
        v->blocks += (n + 5) / 6;
    }
    place_blocks(v, scattered);
}

static void survey_free(struct survey *v)
{
    free(v->first);
    free(v->place);
    free(v->s);
}

static void image_make(struct image *m, const struct survey *v)
{
    const struct pfm_head *h = &v->head;
    int64_t block = 0, size = h->block_bytes;
    *m = (struct image){
        .bytes = {h->header_bytes + v->bins * h->bin_bytes, v->blocks * size}};
    for (int i = 0; i < 2; i++)
        m->data[i] = calloc(1, (size_t)m->bytes[i]);
    for (int64_t i = 0; i < v->bins; i++) {
        int64_t n = v->first[i + 1] - v->first[i];
        const struct pfm_sounding *s = v->s + v->first[i];
        struct pfm_sums sums = {0};
        struct pfm_bin bin = {0};
        if (!n)
            continue;
        for (int64_t j = 0; j < n; j++) {
            uint8_t *to = m->data[AREA_NDX] + v->place[block + j / 6] * size;
            pfm_put_soundings(h, to, j % 6, &s[j], 1);
            if (j % 6 == 5 && j + 1 < n)
                pfm_put_next(h, to, v->place[block + j / 6 + 1] * size);
            pfm_sums_add(h, &sums, &s[j], 1);
        }
        pfm_sums_bin(h, &sums, &bin);
        bin.first = v->place[block] * size;
        block += (n + 5) / 6;
        bin.last = v->place[block - 1] * size;
        pfm_put_bin(h, m->data[AREA_BIN] + h->header_bytes + i * h->bin_bytes, &bin);
    }
}

static void image_free(struct image *m)
{
    free(m->data[0]);
    free(m->data[1]);
}

static int same(const struct image *a, const struct image *b)
{
    return !memcmp(a->data[0], b->data[0], (size_t)a->bytes[0]) &&
           !memcmp(a->data[1], b->data[1], (size_t)a->bytes[1]);
}

/* ---- expected results ----------------------------------------------------------- */

static struct pfm_bin bin_of(const struct survey *v, const struct image *m, int64_t i)
{
    const struct pfm_head *h = &v->head;
    struct pfm_bin bin;
    pfm_get_bin(h, m->data[AREA_BIN] + h->header_bytes + i * h->bin_bytes, &bin);
    bin.index = i;
    return bin;
}

static struct area_cell cell_of(const struct survey *v, const struct image *m,
                                int64_t i)
{
    struct pfm_bin bin = bin_of(v, m, i);
    return (struct area_cell){bin.validity & PFM_DATA ? 1 : 0, bin.average_filtered,
                              bin.std};
}

/* Filters the soundings of a survey whose PFM is `m`. Returns how many it cut. */
static int64_t filter(struct survey *v, const struct image *m,
                      const struct area_rule *rule)
{
    int64_t width = v->head.width, height = v->head.height, cut = 0;
    struct area_cell *cell = malloc((size_t)v->bins * sizeof *cell);
    for (int64_t i = 0; i < v->bins; i++)
        cell[i] = cell_of(v, m, i);
    for (int64_t i = 0; i < v->bins; i++) {
        int64_t row = i / width;
        struct area_cell *at = cell + row * width;
        const struct area_cell *around[3] = {row ? at - width : NULL, at,
                                             row + 1 < height ? at + width : NULL};
        struct area_limits l = area_decide(rule, around, width, i % width);
        int64_t before = cut;
        for (int64_t j = v->first[i]; j < v->first[i + 1]; j++) {
            struct pfm_sounding *s = &v->s[j];
            if (s->validity & (PFM_INVAL | PFM_DELETED) ||
                s->depth >= v->head.null_raw ||
                !area_cuts(&l, pfm_depth(&v->head, s->depth)))
                continue;
            s->validity |= PFM_FILTER_INVAL | 32;
            cut++;
        }
        if (cut > before && rule->order == AREA_RASTER) {
            struct image now;
            image_make(&now, v);
            cell[i] = cell_of(v, &now, i);
            image_free(&now);
        }
    }
    free(cell);
    return cut;
}

/* ---- passes --------------------------------------------------------------------- */

static int transfer(struct image *m, int way, enum area_file file, int64_t offset,
                    int64_t bytes)
{
    m->requests[file][way]++;
    m->moved[file][way] += bytes;
    m->outside += bytes <= 0 || offset < 0 || offset + bytes > m->bytes[file];
    if (m->fail_at && !--m->fail_at)
        return err_set(-EIO, "x.pfm", offset, "the disk is tired");
    return m->outside ? -ENXIO : 0;
}

static int read_some(void *context, enum area_file file, int64_t offset, int64_t bytes,
                     void *to)
{
    struct image *m = context;
    struct area_pass *p = m->meanwhile;
    int rc = transfer(m, 0, file, offset, bytes);
    if (!rc)
        memcpy(to, m->data[file] + offset, (size_t)bytes);
    if (rc || file == AREA_BIN || !p)
        return rc;
    m->meanwhile = NULL;
    return area_pass_apply(p, NULL, NULL);
}

static int write_some(void *context, enum area_file file, int64_t offset, int64_t bytes,
                      const void *from)
{
    struct image *m = context;
    int rc = transfer(m, 1, file, offset, bytes);
    if (!rc)
        memcpy(m->data[file] + offset, from, (size_t)bytes);
    return rc;
}

enum { BANDS = 8 };
static struct area_pass *band[BANDS];

static int open_bands(const struct survey *v, struct image *m,
                      const struct area_rule *rule, int n)
{
    struct area_io io = {read_some, write_some, m};
    int rc = 0;
    memset(band, 0, sizeof band);
    for (int i = 0; i < n && !rc; i++)
        rc = area_pass_open(&band[i], &v->head, "x.pfm", m->bytes[AREA_NDX],
                            v->head.height * i / n, v->head.height * (i + 1) / n, rule,
                            &io);
    return rc;
}

static int64_t close_bands(void)
{
    int64_t cut = 0;
    for (int i = 0; i < BANDS; i++) {
        cut += band[i] ? area_pass_counts(band[i])->cut : 0;
        area_pass_close(&band[i]);
    }
    return cut;
}

/* Applies the filter in n bands, with `back` the last one first. Returns the number of
 * soundings cut, or -errno. */
static int64_t apply(const struct survey *v, struct image *m,
                     const struct area_rule *rule, int n, int back)
{
    int rc = open_bands(v, m, rule, n);
    for (int i = 0; i < n && !rc; i++) {
        int j = back ? n - 1 - i : i;
        int64_t before = v->head.height * j / n * v->head.width;
        struct pfm_extremes e = {0};
        rc = area_pass_apply(band[j], &e, m->coverage ? m->coverage + before : NULL);
        if (m->extremes)
            pfm_extremes_join(m->extremes, &e);
    }
    int64_t cut = close_bands();
    return rc ? rc : cut;
}

static const struct area_rule jacobi = {.sigma = 3, .slope = 1, .bin_m = 5},
                              raster = {.sigma = 3,
                                        .slope = 1,
                                        .bin_m = 5,
                                        .order = AREA_RASTER};

/* ---- tests ---------------------------------------------------------------------- */

static void test_bands(double version, int64_t width, int64_t height, int scattered)
{
    static const int splits[] = {1, 2, 3, 7};
    struct survey v;
    struct image before, right;
    int equal = 1, counted = 1, inside = 1;
    survey_make(&v, version, width, height, 60, scattered);
    image_make(&before, &v);
    int64_t cut = filter(&v, &before, &jacobi);
    image_make(&right, &v);
    survey_free(&v);
    survey_make(&v, version, width, height, 60, scattered);
    for (int i = 0; i < 8; i++) {
        struct image m;
        image_make(&m, &v);
        counted = counted && apply(&v, &m, &jacobi, splits[i / 2], i % 2) == cut;
        equal = equal && same(&m, &right);
        inside = inside && !m.outside;
        image_free(&m);
    }
    tap_ok(cut > 100 && !same(&before, &right),
           "version %.2f, %lld bins, chains %s: "
           "%lld soundings are to be cut",
           version, (long long)v.bins, scattered ? "scattered" : "in order",
           (long long)cut);
    tap_ok(equal && counted && inside,
           "1, 2, 3 and 7 bands, in either order, leave the same two files");
    image_free(&before);
    image_free(&right);
    survey_free(&v);
}

/* Filters another band after a pass has read a window with its blocks. */
static void test_meanwhile(void)
{
    struct survey v;
    struct image m, right;
    survey_make(&v, 7, 60, 50, 60, 1);
    image_make(&m, &v);
    filter(&v, &m, &jacobi);
    image_make(&right, &v);
    int rc = open_bands(&v, &m, &jacobi, 2);
    m.meanwhile = band[1];
    if (!rc)
        rc = area_pass_apply(band[0], NULL, NULL);
    tap_ok(!rc && !m.meanwhile && same(&m, &right),
           "what another band writes meanwhile is not written over");
    close_bands();
    image_free(&m);
    image_free(&right);
    survey_free(&v);
}

static void test_raster(void)
{
    struct survey v;
    struct image m, right, two;
    survey_make(&v, 6.4, 40, 30, 60, 0);
    image_make(&m, &v);
    image_make(&two, &v);
    apply(&v, &two, &jacobi, 1, 0);
    apply(&v, &m, &raster, 1, 0);
    struct image before;
    image_make(&before, &v);
    int64_t cut = filter(&v, &before, &raster);
    image_make(&right, &v);
    tap_ok(cut && same(&m, &right),
           "raster order, in which later bins see earlier ones "
           "filtered");
    tap_ok(!same(&m, &two), "makes a difference to two passes");
    int64_t rc = apply(&v, &m, &raster, 2, 0);
    tap_ok(rc == -EINVAL && err_get()->code, "and is for all rows at once");
    err_clear();
    image_free(&m);
    image_free(&two);
    image_free(&before);
    image_free(&right);
    survey_free(&v);
}

/* Filters again with the summaries left by the time before, until nothing is cut. */
static void test_again(void)
{
    struct survey v;
    struct image m, right;
    int64_t cut, rounds = 0;
    int equal = 1;
    survey_make(&v, 7, 60, 50, 60, 0);
    image_make(&m, &v);
    do {
        struct image now;
        image_make(&now, &v);
        cut = filter(&v, &now, &jacobi);
        image_make(&right, &v);
        equal = equal && apply(&v, &m, &jacobi, 3, 0) == cut && same(&m, &right);
        image_free(&now);
        image_free(&right);
    } while (cut && ++rounds < 20 && equal);
    tap_ok(equal && !cut && rounds, "again and again, %lld times, until nothing is cut",
           (long long)rounds);
    memset(m.requests, 0, sizeof m.requests);
    cut = apply(&v, &m, &jacobi, 1, 0);
    tap_ok(!cut && !m.requests[AREA_BIN][1] && !m.requests[AREA_NDX][1],
           "then nothing is written");
    image_free(&m);
    survey_free(&v);
}

static void test_summaries(void)
{
    struct survey v;
    struct image m;
    struct pfm_extremes found = {0}, e = {0};
    int right = 1;
    survey_make(&v, 7, 60, 50, 10, 0);
    image_make(&m, &v);
    m.extremes = &found;
    m.coverage = malloc((size_t)v.bins);
    apply(&v, &m, &jacobi, 3, 0);
    for (int64_t i = 0; i < v.bins; i++) {
        struct pfm_bin bin = bin_of(&v, &m, i);
        if (bin.soundings)
            pfm_extremes_add(&e, &bin);
        right = right && m.coverage[i] == pfm_coverage(&bin);
    }
    tap_ok(right, "the coverage map is that of what is left");
    tap_ok(!memcmp(&e, &found, sizeof e) && e.filled < e.bins, "so are the extremes");
    free(m.coverage);
    image_free(&m);
    survey_free(&v);
}

/* Rows and windows are transferred in one request, and windows only once. */
static void test_requests(void)
{
    struct survey v;
    struct image m;
    survey_make(&v, 7, 300, 200, 60, 0);
    image_make(&m, &v);
    int64_t cut = apply(&v, &m, &jacobi, 1, 0),
            pages = m.bytes[AREA_NDX] / AREA_PAGE_BYTES + 1,
            chunks = m.bytes[AREA_BIN] / AREA_ROWS_BYTES + 1;
    tap_ok(cut > 1000 && m.requests[AREA_NDX][0] <= pages &&
               m.requests[AREA_NDX][1] <= pages && m.requests[AREA_BIN][0] <= chunks &&
               m.requests[AREA_BIN][1] <= chunks &&
               m.moved[AREA_BIN][0] == v.bins * v.head.bin_bytes,
           "%lld soundings are cut with %lld reads and %lld writes of %lld bytes",
           (long long)cut, (long long)(m.requests[0][0] + m.requests[1][0]),
           (long long)(m.requests[0][1] + m.requests[1][1]),
           (long long)(m.bytes[0] + m.bytes[1]));
    image_free(&m);
    survey_free(&v);
}

static void test_failures(void)
{
    struct survey v;
    struct image m;
    int said = 1, at = 1;
    survey_make(&v, 7, 60, 50, 60, 0);
    for (;; at++) {
        image_make(&m, &v);
        m.fail_at = at;
        int64_t rc = apply(&v, &m, &jacobi, 2, 0);
        image_free(&m);
        if (rc >= 0)
            break;
        said = said && rc == -EIO && err_get()->code == -EIO;
        err_clear();
    }
    tap_ok(said && at > 6, "each of %d requests may fail", at - 1);
    image_make(&m, &v);
    m.bytes[AREA_NDX] /= 2;
    int64_t rc = apply(&v, &m, &jacobi, 1, 0);
    tap_ok(rc == -EBADMSG && err_get()->offset >= 0 && !m.outside,
           "a chain that leads out of the file is said: %s", err_get()->text);
    err_clear();
    m.bytes[AREA_NDX] *= 2;
    image_free(&m);
    survey_free(&v);
}

static void test_small(void)
{
    int right = 1;
    for (int width = 1; width < 5; width++)
        for (int height = 1; height < 9; height++) {
            struct survey v;
            struct image m, before, after;
            survey_make(&v, 7, width, height, 3, 0);
            image_make(&m, &v);
            image_make(&before, &v);
            right =
                right && apply(&v, &m, &jacobi, 7, 0) == filter(&v, &before, &jacobi);
            image_make(&after, &v);
            right = right && same(&m, &after) && !m.outside;
            image_free(&m);
            image_free(&before);
            image_free(&after);
            survey_free(&v);
        }
    tap_ok(right, "small grids, and more bands than rows");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_bands(7, 60, 50, 0);
    test_bands(6.4, 60, 50, 1);
    test_bands(7, 600, 400, 0);
    test_bands(7, 300, 300, 1);
    test_meanwhile();
    test_raster();
    test_again();
    test_summaries();
    test_requests();
    test_failures();
    test_small();
    return tap_end();
}
