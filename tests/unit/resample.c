/* ranks: 1 */
/* Parts of a resampling: known weights and pixels, whose sums come from a program of
 * its own in 64-bit numbers (and from GDAL's Lanczos for k = 3); rows that strips need,
 * also of images of more than 2^31 bytes; heads of images. */
#include "base/rng.h"
#include "outcore/resample/kernel.h"
#include "tap.h"

static struct image_made made = {.image = {.width = 64, .height = 48, .bits = 16}};
static uint8_t *file;

static struct resample_how how_of(int s, int k, double shift, enum weights_edge edge,
                                  int bits)
{
    struct weights_axis a = {
        .s = s, .k = k, .shift = shift, .normalize = true, .edge = edge};
    struct resample_how how = {.x = a, .y = a, .in = made.image};
    how.x.n = made.image.width;
    how.y.n = made.image.height;
    how.out = (struct image){.width = 64 * s, .height = 48 * s, .bits = bits};
    how.out.kind = bits == 32 ? IMAGE_FLOAT : IMAGE_UNSIGNED;
    weights_prepare(&how.x);
    weights_prepare(&how.y);
    image_settle(&how.out, 1, NULL);
    return how;
}

/* Resamples everything in one tile. */
static struct resample_counts resample_all(const struct resample_how *how, void *out)
{
    struct resample_counts counts = {0};
    struct resample_tile t = {.in = file + IMAGE_HEAD,
                              .in_stride = how->in.row_bytes,
                              .out = out,
                              .out_stride = how->out.row_bytes,
                              .X1 = how->out.width,
                              .Y1 = how->out.height};
    int64_t room = resample_room(how, how->out.width, how->out.height);
    void *memory = aligned_alloc(64, (size_t)(room / 64 + 1) * 64);
    resample_tile(how, &t, memory, &counts);
    free(memory);
    return counts;
}

static double pixel(const void *context, int64_t x, int64_t y)
{
    (void)context;
    return resample_pixel(&made.image, file + image_row_at(&made.image, y) + 2 * x);
}

/* ---- pixels ---------------------------------------------------------------------- */

static void test_weights(void)
{
    static const double k3[] = {0.030112285, -0.133274636, 0.892770774,
                                0.271010568, -0.067997263, 0.007378271};
    struct weights_axis a = {
        .n = 100, .s = 1, .k = 3, .shift = 0.25, .normalize = true};
    double worst = 0;
    weights_prepare(&a);
    struct weights_of o = weights_of(&a, 50);
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs(o.w[i] - k3[i]));
    tap_ok(o.n == 6 && o.first == 48 && worst < 1e-9, "weights of k 3 at 1/4");
    struct weights_span s = weights_inside(&a);
    tap_ok(s.from == 2 && s.to == 97, "where all taps are within the image");
}

static void test_known(void)
{
    static const struct {
        int s, k;
        enum weights_edge edge;
        double shift, first, last, sum;
    } known[] = {{1, 2, EDGE_RENORM, .25, 50500.510784, 72614.717994, 101875754.7068},
                 {1, 4, EDGE_RENORM, .25, 54584.636748, 75338.619287, 101872556.0089},
                 {2, 3, EDGE_RENORM, 0, 39238.606644, 74644.723865, 407343326.7655},
                 {4, 3, EDGE_RENORM, 0, 36476.084389, 79422.512213, 1629373279.9953},
                 {1, 0, EDGE_RENORM, .25, 46343, 63441, 101853959}};
    float *out = malloc(256 * 192 * sizeof *out);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct resample_how how =
            how_of(known[i].s, known[i].k, known[i].shift, known[i].edge, 32);
        int64_t n = how.out.width * how.out.height;
        double exact = 0, worst = 0;
        resample_all(&how, out);
        for (int64_t j = 0; j < n; j++) {
            double x = weights_reference(&how.x, &how.y, j % how.out.width,
                                         j / how.out.width, pixel, NULL);
            exact += x;
            worst = fmax(worst, fabs(x - (double)out[j]));
        }
        tap_ok(fabs((double)out[0] - known[i].first) < 0.0655 &&
                   fabs((double)out[n - 1] - known[i].last) < 0.0655 &&
                   fabs(exact - known[i].sum) < 0.01 && worst < 0.0655,
               "known pixels, scale %d, k %d", known[i].s, known[i].k);
    }
    free(out);
}

static void test_zero_edge(void)
{
    float *out = malloc(128 * 96 * sizeof *out);
    struct resample_how how = how_of(2, 3, 0, EDGE_ZERO, 32);
    int64_t n = 0;
    for (int flat = 0; flat < 2; flat++) {
        how.flat = flat;
        resample_all(&how, out);
        for (int64_t i = 0; i < 128 * 96; i++)
            n += out[i] != 0;
    }
    tap_ok(n == 2 * 10148, "pixels that lack support are 0");
    free(out);
}

/* 65535 is no overflow. */
static void test_saturated(void)
{
    uint16_t *out = malloc(64 * 48 * sizeof *out);
    uint8_t *saved = malloc(IMAGE_HEAD + 64 * 48 * 2);
    memcpy(saved, file, IMAGE_HEAD + 64 * 48 * 2);
    memset(file + IMAGE_HEAD, 0xff, 64 * 48 * 2);
    struct resample_how how = how_of(1, 0, 0, EDGE_RENORM, 16);
    struct resample_counts none = resample_all(&how, out);
    tap_ok(!none.saturated && out[77] == 65535, "the largest value is kept");
    how.out.bits = 8;
    struct resample_counts all = resample_all(&how, out);
    tap_ok(all.saturated == 64 * 48 && *(uint8_t *)out == 255, "and 8 bits saturate");
    memcpy(file, saved, IMAGE_HEAD + 64 * 48 * 2);
    free(saved);
    free(out);
}

/* ---- bytes ----------------------------------------------------------------------- */

static void test_large(void)
{
    struct bands b = {.tile = 256, .reads = true, .keeps = true};
    b.how.x = b.how.y = (struct weights_axis){.n = 100000, .s = 2, .k = 3};
    weights_prepare(&b.how.x);
    weights_prepare(&b.how.y);
    b.how.in = (struct image){.width = 100000, .height = 100000, .bits = 16};
    b.how.out = (struct image){
        .width = 200000, .height = 200000, .bits = 32, .kind = IMAGE_FLOAT};
    image_settle(&b.how.in, 1, NULL);
    image_settle(&b.how.out, 1, NULL);
    struct bands_count one = bands_expect(&b, 0, 1), sum = {0};
    for (int64_t p = 0; p < 7; p++) {
        struct bands_count c = bands_expect(&b, p, 7);
        sum.writes += c.writes;
        sum.write_bytes += c.write_bytes;
        sum.read_bytes += c.read_bytes;
    }
    tap_ok(one.read_bytes == INT64_C(20000000000) && one.reads == 782 &&
               one.write_bytes == INT64_C(160000000000),
           "each row of 100,000 x 100,000 pixels is read once");
    tap_ok(sum.writes == 782 && sum.write_bytes == one.write_bytes &&
               sum.read_bytes == one.read_bytes + INT64_C(6) * 6 * 200000,
           "seven bands read the six rows at each seam twice");
}

static void test_no_new_rows(void)
{
    struct bands b = {.tile = 1, .reads = true, .keeps = true};
    b.how = how_of(4, 3, 0, EDGE_RENORM, 32);
    struct bands_count c = bands_expect(&b, 0, 1);
    tap_ok(c.writes == 192 && c.reads < 49 && c.read_bytes == 48 * 128,
           "strips of a row: each row is read once");
    struct weights_span s = bands_fresh(&b, 191, 192, 48);
    tap_ok(s.from == s.to, "and the last strip needs none");
    s = bands_fresh(&b, 0, 1, 10);
    tap_ok(s.from == s.to, "nor does one whose rows are far behind");
}

static void test_heads(void)
{
    struct image m;
    uint8_t head[IMAGE_HEAD];
    int64_t bytes = IMAGE_HEAD + 64 * 48 * 2;
    image_head(&made.image, head);
    tap_ok(!image_parse(&m, head, bytes, "x") && m.width == 64 && m.height == 48 &&
               m.bits == 16 && m.row_bytes == 128,
           "a head says what the image is");
    tap_ok(image_parse(&m, head, bytes - 1, "x") &&
               strstr(err_get()->text, "cut short"),
           "a file that is too short");
    err_clear();
    memset(head + 16, 0x7f, 8);
    tap_ok(image_parse(&m, head, bytes, "x"), "a height that no file has");
    err_clear();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    image_settle(&made.image, 1, NULL);
    made.key = rng_key(1, RNG_IMAGE);
    file = malloc((size_t)image_bytes(&made.image));
    image_make(&made, 0, image_bytes(&made.image), file);
    tap_ok(pixel(NULL, 0, 0) == 46343 && pixel(NULL, 3, 0) == 62944, "the image made");
    test_weights();
    test_known();
    test_zero_edge();
    test_saturated();
    test_large();
    test_no_new_rows();
    test_heads();
    free(file);
    return tap_end();
}
