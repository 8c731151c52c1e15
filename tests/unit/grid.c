/* ranks: 1 */
/* The block-cyclic arithmetic compared with counting every element. */
#include "madbench/grid.h"
#include "base/units.h"
#include "tap.h"

#include <limits.h>

/* True if the grid is valid and as square as possible. */
static int shape_good(int ranks)
{
    int rows, cols;
    grid_shape(ranks, &rows, &cols);
    if (rows < 1 || rows > cols || rows * cols != ranks)
        return 0;
    for (int r = rows + 1; (int64_t)r * r <= ranks; r++)
        if (ranks % r == 0)
            return 0;
    return 1;
}

static void test_shape(void)
{
    int good = 1, rows, cols;
    for (int ranks = 1; ranks <= 3000; ranks++)
        good = good && shape_good(ranks);
    tap_ok(good, "grids of 1 to 3000 ranks are the most square ones");
    grid_shape(12, &rows, &cols);
    tap_ok(rows == 3 && cols == 4, "12 ranks form 3 x 4");
    grid_shape(7, &rows, &cols);
    tap_ok(rows == 1 && cols == 7, "7 ranks form 1 x 7");
    grid_shape(INT_MAX, &rows, &cols);
    tap_ok(rows == 1 && cols == INT_MAX, "2^31 - 1 ranks, a prime, form one row");
}

/* True if every global index has one owner, and comes back from it. */
static int index_good(const struct grid *g)
{
    int64_t rows = 0, cols = 0;
    for (int64_t p = 0; p < g->npix; p++) {
        if (grid_owner_row(g, p) == g->row) {
            rows++;
            if (grid_global_row(g, grid_local_row(g, p)) != p)
                return 0;
        }
        if (grid_owner_col(g, p) == g->col) {
            cols++;
            if (grid_global_col(g, grid_local_col(g, p)) != p)
                return 0;
        }
    }
    return rows == g->local_rows && cols == g->local_cols;
}

/* True if the shares tile the matrix, the largest is the largest, and each finds its
 * elements. */
static int shares_good(int64_t npix, int64_t block, int ranks)
{
    int64_t total = 0, most = 0, padded = 0;
    struct grid g;
    for (int rank = 0; rank < ranks; rank++) {
        if (grid_init(&g, npix, block, ranks, rank) != 0 || !index_good(&g))
            return 0;
        if (grid_share_bytes(&g) != grid_share_bytes_of(&g, rank))
            return 0;
        if (g.local_rows < 1 || g.local_cols < 1)
            return 0;
        if (grid_owner(&g, grid_global_row(&g, 0), grid_global_col(&g, 0)) != rank)
            return 0;
        total += grid_share_elements(&g);
        padded += units_round_up(grid_share_bytes(&g), 96);
        most = grid_share_bytes(&g) > most ? grid_share_bytes(&g) : most;
    }
    return total == npix * npix && most == grid_share_bytes_max(&g) &&
           grid_shares_bytes(&g, 96) == padded;
}

static void test_shares(void)
{
    int good = 1, tried = 0;
    for (int ranks = 1; ranks <= 13; ranks++) {
        for (int64_t npix = 1; npix <= 40; npix += 3) {
            for (int64_t block = 1; block <= npix; block += 2) {
                if (grid_check(npix, block, ranks) != 0)
                    continue;
                tried++;
                good = good && shares_good(npix, block, ranks);
            }
        }
    }
    err_clear();
    tap_ok(good && tried > 500, "%d matrices: shares tile them, indices come back",
           tried);
}

static void test_large(void)
{
    struct grid g;
    int rc = grid_init(&g, 100000, 64, 4, 3);
    tap_ok(rc == 0 && grid_share_bytes(&g) == g.local_rows * g.local_cols * 8 &&
               grid_share_bytes_max(&g) > (INT64_C(16) << 30),
           "a share beyond 16 GiB is counted right");
    rc = grid_init(&g, GRID_NPIX_MAX, 64, 1, 0);
    tap_ok(rc == 0 && grid_share_bytes(&g) == INT64_C(8000000000000000000),
           "the largest matrix, 8e18 bytes, does not overflow");
    rc = grid_init(&g, 100000, 1, 2000000000, 0);
    tap_ok(rc == 0 && grid_shares_bytes(&g, 1) == INT64_C(80000000000) &&
               grid_shares_bytes(&g, 4096) == INT64_C(8192000000000),
           "the shares of two billion ranks are summed without counting them");
    rc = grid_check(1000, 1, 1999999999);
    tap_ok(rc != 0 && strstr(err_get()->text, "or 1000000 ranks"),
           "nor are ranks counted down to those that would do");
    err_clear();
}

/* True if a check refused, with all of these in its sentence. */
static int refused(int rc, const char *a, const char *b, const char *c)
{
    const char *text = err_get()->text;
    int good = rc != 0 && err_get()->usage && strstr(text, a) && strstr(text, b) &&
               strstr(text, c);
    if (!good)
        tap_diag("%s", text);
    err_clear();
    return good;
}

static void test_check(void)
{
    tap_ok(grid_check(100, 33, 12) == 0 && grid_check(193, 64, 12) == 0 &&
               grid_check(100, 64, 4) == 0,
           "what the advice names would do");
    tap_ok(refused(grid_check(100, 64, 12), "blocks of at most 33",
                   "at least 193 pixels", "4 ranks"),
           "a grid column without a block is refused, naming what would do");
    tap_ok(refused(grid_check(3, 1, 5), "5 pixels", "4 ranks", "1 x 5"),
           "more columns than pixels are refused");
    tap_ok(refused(grid_check(0, 1, 1), "1 to", "pixels", "0"),
           "no pixels are refused");
    tap_ok(refused(grid_check(9, 0, 1), "block size", "1 to", "0"),
           "blocks of 0 are refused");
}

static void test_default(void)
{
    int good = grid_block_default(1000, 4) == 64 && grid_block_default(100, 12) == 33;
    for (int ranks = 1; ranks <= 64; ranks++)
        for (int64_t npix = ranks; npix <= 300; npix++)
            good =
                good && grid_check(npix, grid_block_default(npix, ranks), ranks) == 0;
    tap_ok(good, "the default block is 64 or what the grid needs");
}

static void test_scalapack(void)
{
    tap_ok(grid_check_scalapack(46340, 64, 1) == 0, "46340^2 elements fit one rank");
    tap_ok(refused(grid_check_scalapack(46341, 64, 1), "at least 2 ranks", "I/O mode",
                   "46341"),
           "46341^2 do not, and 2 ranks are named");
    tap_ok(grid_check_scalapack(46341, 64, 2) == 0, "2 ranks hold them");
    tap_ok(refused(grid_check_scalapack(GRID_NPIX_MAX, 64, 16), "ranks", "I/O mode",
                   "32-bit"),
           "the largest matrix is refused without looking for ever");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_shape();
    test_shares();
    test_large();
    test_check();
    test_default();
    test_scalapack();
    return tap_end();
}
