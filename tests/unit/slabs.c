/* A row of elements as slabs of an array, compared with counting them one by one. */
#include "tap.h"

#include "io/engines/pieces.h"

/* Returns the row-major position of element i of a slab. */
static int64_t position(int ndims, const int64_t *dims, const struct slab *s, int64_t i)
{
    int64_t index[IO_SHAPE_DIMS], at = 0;

    for (int d = ndims - 1; d >= 0; d--) {
        index[d] = s->start[d] + i % s->count[d];
        i /= s->count[d];
    }
    for (int d = 0; d < ndims; d++)
        at = at * dims[d] + index[d];
    return i ? -1 : at;
}

static bool inside(int ndims, const int64_t *dims, const struct slab *s)
{
    for (int d = 0; d < ndims; d++)
        if (s->start[d] < 0 || s->count[d] < 1 || s->start[d] + s->count[d] > dims[d])
            return false;
    return true;
}

/* True if each element of the row comes once, in order, and no other. */
static bool is_row(int ndims, const int64_t *dims, int64_t at, int64_t n)
{
    struct slab s[SLABS_MOST];
    int count = slabs_of(ndims, dims, at, n, s);
    int64_t next = at;

    for (int i = 0; i < count; i++) {
        int64_t size = 1;
        for (int d = 0; d < ndims; d++)
            size *= s[i].count[d];
        if (!inside(ndims, dims, &s[i]))
            return false;
        for (int64_t k = 0; k < size; k++)
            if (position(ndims, dims, &s[i], k) != next++)
                return false;
    }
    return next == at + n && count <= 2 * ndims - 1;
}

static int64_t product(int ndims, const int64_t *dims)
{
    int64_t all = 1;

    for (int d = 0; d < ndims; d++)
        all *= dims[d];
    return all;
}

static void test_every_row_of(int ndims, const int64_t *dims)
{
    int64_t all = product(ndims, dims), tried = 0, wrong = 0;

    for (int64_t at = 0; at <= all; at++)
        for (int64_t n = 0; n <= all - at; n++, tried++)
            wrong += !is_row(ndims, dims, at, n);
    tap_ok(tried && !wrong, "%d dimensions, %lld elements: %lld of %lld rows are wrong",
           ndims, (long long)all, (long long)wrong, (long long)tried);
}

static int count(int ndims, const int64_t *dims, int64_t at, int64_t n)
{
    struct slab s[SLABS_MOST];

    return slabs_of(ndims, dims, at, n, s);
}

static void test_counts(void)
{
    const int64_t dims[] = {4, 5, 6, 7};

    tap_ok(count(4, dims, 0, 0) == 0 && count(4, dims, 840, 0) == 0,
           "no elements are no slab");
    tap_ok(count(4, dims, 0, 840) == 1 && count(4, dims, 210, 420) == 1 &&
               count(4, dims, 42, 42) == 1 && count(4, dims, 8, 3) == 1,
           "the whole, whole rows of any kind and a part of a row are one slab");
    tap_ok(count(4, dims, 41, 2) == 2 && count(4, dims, 1, 838) == 7,
           "two elements may be two slabs, and no row is more than seven");
}

/* This tests only the arithmetic: the array has 2^60 elements. */
static void test_large(void)
{
    const int64_t m = INT64_C(1) << 30, dims[] = {m, m};
    struct slab s[SLABS_MOST];
    int n = slabs_of(2, dims, 3 * m + m - 1, 5 * m + 2, s);

    tap_ok(n == 3 && s[0].start[0] == 3 && s[0].start[1] == m - 1 &&
               s[0].count[0] == 1 && s[0].count[1] == 1 && s[1].start[0] == 4 &&
               s[1].start[1] == 0 && s[1].count[0] == 5 && s[1].count[1] == m &&
               s[2].start[0] == 9 && s[2].count[0] == 1 && s[2].count[1] == 1,
           "rows of 2^30 elements");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_every_row_of(1, (int64_t[]){9});
    test_every_row_of(2, (int64_t[]){1, 7});
    test_every_row_of(2, (int64_t[]){7, 1});
    test_every_row_of(2, (int64_t[]){5, 6});
    test_every_row_of(3, (int64_t[]){3, 4, 5});
    test_every_row_of(3, (int64_t[]){4, 1, 6});
    test_every_row_of(4, (int64_t[]){2, 3, 2, 5});
    test_every_row_of(4, (int64_t[]){3, 2, 4, 1});
    test_counts();
    test_large();
    return tap_end();
}
