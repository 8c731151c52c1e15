/* The one property of a layout: the slots of all blocks tile every file. */
#include "tap.h"

#include "layout/layout.h"

static const enum layout_order orders[] = {LAYOUT_UNIQUE, LAYOUT_RANK_MAJOR,
                                           LAYOUT_MATRIX, LAYOUT_INTERLEAVED};
#define ORDERS 4

/* Counts how often each slot of each file was named; false: one is out of place. */
static bool count_slots(const struct layout *l, int *count)
{
    int64_t slots = (layout_file_bytes(l) - l->start) / l->slot_bytes;

    for (int64_t r = 0; r < l->ranks; r++)
        for (int64_t m = 0; m < l->mats; m++)
            for (int64_t b = 0; b < l->blks; b++) {
                struct extent e = layout_at(l, r, m, b);
                int64_t slot = (e.offset - l->start) / l->slot_bytes;
                if (e.bytes != l->slot_bytes || e.file < 0 ||
                    e.file >= layout_files(l) || e.offset < l->start ||
                    (e.offset - l->start) % l->slot_bytes || slot >= slots)
                    return false;
                count[e.file * slots + slot]++;
            }
    return true;
}

static bool tiles(const struct layout *l)
{
    int64_t per_file = (layout_file_bytes(l) - l->start) / l->slot_bytes;
    int64_t n = layout_files(l) * per_file;
    bool good = n == l->ranks * l->mats * l->blks &&
                layout_file_bytes(l) == l->start + per_file * l->slot_bytes;
    int *count = calloc((size_t)n, sizeof *count);

    good = good && count && count_slots(l, count);
    for (int64_t i = 0; good && i < n; i++)
        good = count[i] == 1;
    free(count);
    return good;
}

static void test_tiling(void)
{
    int tried = 0, bad = 0;

    srand(20071126);
    for (int i = 0; i < 2000; i++) {
        struct layout l = {.order = orders[rand() % ORDERS],
                           .ranks = 1 + rand() % 9,
                           .mats = 1 + rand() % 9,
                           .blks = 1 + rand() % 9,
                           .slot_bytes = 1 + rand() % 100000,
                           .start = rand() % 3 ? rand() % 5000 : 0};
        tried++;
        if (layout_check(&l) == 0 && tiles(&l))
            continue;
        if (!bad++)
            tap_diag("order %s, ranks %d, mats %d, blks %d, slot %d, start %d",
                     layout_text(l.order), (int)l.ranks, (int)l.mats, (int)l.blks,
                     (int)l.slot_bytes, (int)l.start);
    }
    tap_ok(bad == 0, "%d random layouts: slots tile every file, no gap, no overlap",
           tried);
}

/* A gang of G ranks sees matrices G times as wide, NBIN/G of them. The bytes of a
 * rank's region must be the same in both views. */
static bool same_region(enum layout_order order, int ranks, int mats, int gang,
                        int64_t slot)
{
    struct layout alone = {order, ranks, mats, 1, slot, 512};
    struct layout ganged = {order, ranks, mats / gang, 1, slot * gang, 512};
    bool good = layout_file_bytes(&alone) == layout_file_bytes(&ganged) &&
                layout_files(&alone) == layout_files(&ganged) && tiles(&ganged);

    for (int r = 0; r < ranks; r++)
        for (int m = 0; m < mats; m++) {
            struct extent a = layout_at(&alone, r, m, 0);
            struct extent g = layout_at(&ganged, r, m / gang, 0);
            good = good && a.file == g.file && a.offset == g.offset + (m % gang) * slot;
        }
    return good;
}

static void test_gangs(void)
{
    int bad = 0;

    srand(7);
    for (int i = 0; i < 300; i++) {
        int gang = 1 + rand() % 6, mats = gang * (1 + rand() % 5);
        int ranks = gang * (1 + rand() % 4);
        int64_t slot = 1 + rand() % 100000;
        bad += !same_region(LAYOUT_UNIQUE, ranks, mats, gang, slot);
        bad += !same_region(LAYOUT_RANK_MAJOR, ranks, mats, gang, slot);
    }
    tap_ok(bad == 0,
           "gangs: wide slots cover the same bytes of the same rank's region");
}

/* True if the plan is right: a rank's blocks in the order of its loops, and the owner
 * of each. */
static bool plan_is(const struct layout *l)
{
    struct ldad_plan p = layout_plan(l);
    struct ldad_map m;
    bool good = !ldad_map_make(&m, &p) &&
                ldad_plan_tiles(&p, l->start, layout_file_bytes(l)) == LDAD_YES;

    for (int64_t r = 0; good && r < p.ranks; r++) {
        struct ldad d = ldad_plan_rank(&p, r);
        for (int64_t i = 0; i < l->mats * l->blks; i++) {
            struct extent e = layout_at(l, r, i / l->blks, i % l->blks);
            int64_t at;
            good = good && ldad_chunk(&d, i) == e.offset && d.size == e.bytes &&
                   ldad_map_lands(&m, r, e.offset, e.bytes, &at) &&
                   at == i * l->slot_bytes;
        }
    }
    return good;
}

static void test_plans(void)
{
    int bad = 0;

    srand(2003);
    err_clear();
    for (int i = 0; i < 1000; i++) {
        struct layout l = {orders[rand() % ORDERS], 1 + rand() % 9,
                           1 + rand() % 9,          1 + rand() % 9,
                           1 + rand() % 100000,     rand() % 3 ? rand() % 5000 : 0};
        bad += !plan_is(&l);
    }
    tap_ok(bad == 0, "as descriptors: each block is where the layout says");
}

/* A small case is written out, so that two mistakes cannot cancel out. */
static void test_order(enum layout_order order, const char *digits, int64_t expected)
{
    struct layout l = {order, 5, 7, 3, 10, 1};

    tap_ok(layout_at(&l, 2, 4, 1).offset == 1 + 10 * expected,
           "%s: rank 2, matrix 4, block 1 is slot %d", digits, (int)expected);
    tap_ok(!strcmp(layout_text(order), digits), "%s: is called so", digits);
    tap_ok(layout_files(&l) == (order == LAYOUT_UNIQUE ? 5 : 1), "%s: files", digits);
}

/* Dimensions of an array: a block's slot is its row-major position. */
static void test_digits(enum layout_order order)
{
    struct layout l = {order, 5, 7, 3, 10, 0};
    struct layout_digit d[LAYOUT_DIGITS];
    int n = layout_digits(&l, d);
    int64_t slot = 0;

    for (int i = 0; i < n; i++) {
        int64_t value = !strcmp(d[i].name, "rank")  ? 2
                        : !strcmp(d[i].name, "mat") ? 4
                                                    : 1;
        slot = slot * d[i].count + value;
    }
    tap_ok(n == (order == LAYOUT_UNIQUE ? 2 : 3) &&
               10 * slot == layout_at(&l, 2, 4, 1).offset,
           "%s: its digits are the dimensions of an array", layout_text(order));
}

static void refused(struct layout l, int code, const char *what)
{
    err_clear();
    tap_ok(layout_check(&l) == code && err_get()->code, "%s is refused", what);
}

static void test_check(void)
{
    const int64_t huge = INT64_C(1) << 40;

    refused((struct layout){LAYOUT_MATRIX, 0, 1, 1, 1, 0}, -EINVAL, "no rank");
    refused((struct layout){LAYOUT_MATRIX, 1, -1, 1, 1, 0}, -EINVAL,
            "a negative digit");
    refused((struct layout){LAYOUT_MATRIX, 1, 1, 1, 0, 0}, -EINVAL, "an empty slot");
    refused((struct layout){LAYOUT_MATRIX, 1, 1, 1, 1, -1}, -EINVAL,
            "a negative start");
    refused((struct layout){LAYOUT_MATRIX, huge, 1, 1, huge, 0}, -EOVERFLOW,
            "a file beyond 2^63");
    refused((struct layout){LAYOUT_MATRIX, 1, 1, 1, INT64_MAX, 1}, -EOVERFLOW,
            "a start that pushes the end beyond 2^63");
    err_clear();
    struct layout l = {LAYOUT_RANK_MAJOR, 64, 1024, 16, INT64_C(17) << 30, 0};
    tap_ok(layout_check(&l) == 0 &&
               layout_at(&l, 63, 1023, 15).offset ==
                   (INT64_C(64) * 1024 * 16 - 1) * (INT64_C(17) << 30),
           "offsets beyond 2^32 and 2^50 are exact");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_tiling();
    test_gangs();
    test_plans();
    test_order(LAYOUT_UNIQUE, "mat,blk", 4 * 3 + 1);
    test_order(LAYOUT_RANK_MAJOR, "rank,mat,blk", (2 * 7 + 4) * 3 + 1);
    test_order(LAYOUT_MATRIX, "mat,rank,blk", (4 * 5 + 2) * 3 + 1);
    test_order(LAYOUT_INTERLEAVED, "mat,blk,rank", (4 * 3 + 1) * 5 + 2);
    for (int order = LAYOUT_UNIQUE; order <= LAYOUT_INTERLEAVED; order++)
        test_digits(order);
    test_check();
    return tap_end();
}
