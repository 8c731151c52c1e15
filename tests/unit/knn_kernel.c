/* ranks: 1 */
/* Each usable kernel compared with float64: every number of queries up to two blocks,
 * components and rows that do not fill registers, at odd addresses and with gaps
 * between them. And compared with known answers. */
#include "base/buf.h"
#include "base/rng.h"
#include "outcore/data/records.h"
#include "outcore/knn/kernel.h"
#include "tap.h"

enum { MOST_ROWS = 100, MOST_QUERIES = 19, K = 5 };

static void *room_of(int64_t bytes)
{
    void *room = NULL;
    if (buf_alloc(&room, bytes, "a test"))
        exit(1);
    return room;
}

/* The data of a scan; rows are `gap` bytes apart, at `odd`. */
struct scene {
    int64_t dim, rows, queries, gap, odd;
};

static struct nearest find(const struct kernel *k, const struct scene *s,
                           const float *x, const float *q)
{
    int64_t stride = s->dim * 4 + s->gap;
    struct nearest to;
    struct kernel_queries packed = {s->queries, s->dim, NULL};
    char *rows = room_of(stride * s->rows + s->odd + 1);
    float *room = room_of(kernel_room(k, s->dim));
    packed.packed = room_of(kernel_memory(s->queries, s->dim));
    if (nearest_open(&to, s->queries, K))
        exit(1);
    memset(rows, 0xff, (size_t)(stride * s->rows + s->odd)); /* gaps contain NaN */
    for (int64_t v = 0; v < s->rows; v++)
        memcpy(rows + s->odd + v * stride, x + v * s->dim, (size_t)s->dim * 4);
    kernel_pack(k, q, &packed);
    nearest_begin(&to, s->queries);
    k->scan(&(struct kernel_rows){rows + s->odd, s->rows, stride, 1000}, &packed, &to,
            room);
    nearest_sort(&to);
    buf_free(rows);
    buf_free(room);
    buf_free(packed.packed);
    return to;
}

static int right(const struct scene *s, const struct nearest *to, const float *x,
                 const float *q)
{
    for (int64_t i = 0; i < s->queries; i++) {
        double before = -1;
        for (int64_t j = 0; j < K && j < s->rows; j++) {
            const struct neighbour *n = to->list + i * K + j;
            double least = INFINITY;
            for (int64_t v = 0; v < s->rows; v++) {
                double d = kernel_exact(x + v * s->dim, q + i * s->dim, s->dim);
                if (d > before && d < least)
                    least = d;
            }
            if (n->id < 1000 || fabs((double)n->d2 - least) > 1e-5 * least)
                return 0;
            before = kernel_exact(x + (int64_t)(n->id - 1000) * s->dim, q + i * s->dim,
                                  s->dim);
        }
    }
    return 1;
}

static void test_scenes(const struct kernel *k, int64_t dim)
{
    static float x[MOST_ROWS * 700], q[MOST_QUERIES * 700];
    int wrong = 0, n = 0;
    vectors_make(rng_key(3, RNG_VECTORS), dim, 0, MOST_ROWS, x);
    vectors_make(rng_key(3, RNG_QUERIES), dim, 0, MOST_QUERIES, q);
    for (int64_t queries = 1; queries <= MOST_QUERIES; queries++, n++) {
        struct scene s = {dim, 1 + n * 37 % MOST_ROWS, queries, n % 3 * 4, n % 4};
        struct nearest to = find(k, &s, x, q);
        wrong += !right(&s, &to, x, q) || to.nans;
        nearest_close(&to);
    }
    tap_ok(!wrong, "%s: %d components, 1 to %d queries", k->name, (int)dim, n);
}

/* The result does not depend on the place of a vector. */
static void test_same_bits(const struct kernel *k)
{
    static float x[MOST_ROWS * 33], q[33];
    int wrong = 0;
    for (int v = 0; v < MOST_ROWS; v++)
        vectors_make(rng_key(4, RNG_VECTORS), 33, 0, 1, x + v * 33);
    vectors_make(rng_key(4, RNG_QUERIES), 33, 0, 1, q);
    for (int64_t rows = 1; rows <= MOST_ROWS; rows++) {
        struct scene s = {33, rows, 1, 0, 0};
        struct nearest to = find(k, &s, x, q);
        for (int64_t j = 0; j < K && j < rows; j++)
            wrong += to.list[j].id != 1000 + (uint64_t)j ||
                     memcmp(&to.list[j].d2, &to.list[0].d2, sizeof(float)) != 0;
        nearest_close(&to);
    }
    tap_ok(!wrong, "%s: equal vectors are equally far, lower numbers first", k->name);
}

static void test_nan(const struct kernel *k)
{
    static float x[MOST_ROWS * 8], q[16];
    struct scene s = {8, MOST_ROWS, 2, 0, 0};
    int found = 0;
    vectors_make(rng_key(5, RNG_VECTORS), 8, 0, MOST_ROWS, x);
    vectors_make(rng_key(5, RNG_QUERIES), 8, 0, 2, q);
    for (int v = 0; v < MOST_ROWS; v++)
        if (v != 17 && v != 98)
            x[v * 8 + v % 8] = NAN;
    x[98 * 8] = INFINITY;
    struct nearest to = find(k, &s, x, q);
    for (int i = 0; i < 2; i++)
        found += to.list[i * K].id == 1017 && to.list[i * K + 1].id == 1098 &&
                 to.list[i * K + 2].id == NEAREST_NONE;
    tap_ok(found == 2 && to.nans == MOST_ROWS - 2,
           "%s: a vector with NaN is no neighbour; %d are counted", k->name,
           (int)to.nans);
    nearest_close(&to);
}

/* FAISS IndexFlatL2 and float64 find the same. */
static void test_known(const struct kernel *k)
{
    enum { N = 100000, DIM = 32, QUERIES = 4 };
    static const uint64_t ids[QUERIES][K] = {{76378, 47173, 50280, 67116, 69193},
                                             {59953, 57534, 81521, 46247, 62761},
                                             {13619, 68056, 91407, 23224, 36644},
                                             {41809, 844, 83208, 75295, 33013}};
    static float q[QUERIES * DIM];
    struct scene s = {DIM, N, QUERIES, 0, 0};
    float *x = room_of(N * DIM * (int64_t)sizeof *x);
    int found = 0;
    vectors_make(rng_key(1, RNG_VECTORS), DIM, 0, N, x);
    vectors_make(rng_key(1, RNG_QUERIES), DIM, 0, QUERIES, q);
    struct nearest to = find(k, &s, x, q);
    for (int i = 0; i < QUERIES * K; i++)
        found += to.list[i].id == 1000 + ids[i / K][i % K];
    tap_ok(found == QUERIES * K && fabs((double)to.list[0].d2 - 1.476768311) < 1e-5,
           "%s: of 100,000 vectors the known ones", k->name);
    nearest_close(&to);
    buf_free(x);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_ok(kernel_best()->usable(), "the best here is %s", kernel_best()->name);
    for (int i = 0; kernel_number(i); i++) {
        const struct kernel *k = kernel_number(i);
        if (!k->usable()) {
            tap_skip("this processor has no %s", k->name);
            continue;
        }
        static const int64_t dims[] = {1, 2, 3, 4, 7, 32, 61, 256, 257, 700};
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
            test_scenes(k, dims[d]);
        test_same_bits(k);
        test_nan(k);
        test_known(k);
    }
    return tap_end();
}
