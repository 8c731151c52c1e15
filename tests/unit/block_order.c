/* ranks: 1 */
/* The order and places of blocks, how often they repeat, and the versions that reads
 * expect: compared with tables, for which the program itself has no memory. */
#include "base/rng.h"
#include "block/order.h"
#include "tap.h"

enum { BLOCKS = 300, FILES = 3, WORKERS = 3, BLOCK = 4096, ALL = BLOCKS * FILES };

static struct order order_of(enum order_pattern pattern, int64_t files, int mixed,
                             uint64_t seed)
{
    struct order o = {.layout = {.order = LAYOUT_INTERLEAVED,
                                 .ranks = WORKERS,
                                 .mats = 1,
                                 .blks = BLOCKS,
                                 .slot_bytes = BLOCK},
                      .files = files,
                      .block = BLOCK,
                      .cycle = 1,
                      .pattern = pattern,
                      .mixed = mixed};
    zipf_prepare(&o.zipf, BLOCKS, 1.2);
    order_begin(&o, seed);
    return o;
}

/* ---- Zipf ------------------------------------------------------------------------ */

enum { KINDS = 50, DRAWS = 200000 };

/* Chi-square of draws against the exact probabilities; with 49 degrees of freedom it
 * exceeds 100 once in fifty thousand times. */
static double chi_square(double theta, uint64_t seed)
{
    struct zipf z;
    int64_t count[KINDS + 1] = {0};
    double sum = 0, chi = 0;
    zipf_prepare(&z, KINDS, theta);
    for (uint64_t i = 0; i < DRAWS; i++) {
        int64_t k = zipf_at(&z, rng_key(seed, 1), i);
        if (k < 1 || k > KINDS)
            return INFINITY;
        count[k]++;
    }
    for (int k = 1; k <= KINDS; k++)
        sum += pow(k, -theta);
    for (int k = 1; k <= KINDS; k++) {
        double due = DRAWS * pow(k, -theta) / sum, off = (double)count[k] - due;
        chi += off * off / due;
    }
    return chi;
}

static void test_zipf(void)
{
    static const double thetas[] = {0.01, 0.5, 0.99, 1, 1 + 1e-10, 1.2, 2};
    for (unsigned t = 0; t < sizeof thetas / sizeof *thetas; t++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            double chi = chi_square(thetas[t], seed);
            tap_ok(chi < 100, "theta %g, seed %d: chi-square %.1f of 49", thetas[t],
                   (int)seed, chi);
        }
    struct zipf z;
    zipf_prepare(&z, 1, 1.2);
    tap_ok(zipf_at(&z, 1, 1) == 1, "of one there is one");
    bool inside = true;
    int64_t most = 0;
    zipf_prepare(&z, INT32_MAX, 0.5);
    for (uint64_t i = 0; i < 10000; i++) {
        int64_t k = zipf_at(&z, 7, i);
        inside = inside && k >= 1 && k <= INT32_MAX;
        most = k > most ? k : most;
    }
    tap_ok(inside && most > INT32_MAX / 2, "2^31 numbers, up to the last ones");
}

/* ---- places of blocks ------------------------------------------------------------ */

static void test_each_once(enum order_pattern pattern, int64_t files)
{
    struct order o = order_of(pattern, files, 0, 5);
    char seen[ALL] = {0};
    bool once = true, in_turn = true;
    for (int64_t i = 0; i < order_blocks(&o); i++) {
        int64_t b = order_block(&o, 1, i);
        once = once && b >= 0 && b < order_blocks(&o) && !seen[b]++;
        in_turn = in_turn && order_file(&o, b) == i % files;
    }
    tap_ok(once, "pattern %d, %d files: each block once", pattern, (int)files);
    tap_ok(in_turn, "... and the files in turn");
}

/* Offsets of all workers, sorted: they do not overlap, none is aligned, neighbours
 * share pages. */
static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_misaligned(int64_t block)
{
    enum { N = WORKERS * BLOCKS };
    struct order o = order_of(ORDER_SEQUENTIAL, 1, 0, 9);
    int64_t at[N], shared = 0;
    bool apart = true, odd = true;
    o.misaligned = true;
    o.block = block;
    o.layout.start = 1;
    o.layout.slot_bytes = block + ORDER_ROOM;
    for (int i = 0; i < N; i++)
        at[i] = order_extent(&o, i % WORKERS, i / WORKERS).offset;
    qsort(at, N, sizeof *at, by_number);
    for (int i = 0; i < N; i++) {
        odd = odd && at[i] % 2 == 1;
        apart = apart && (i == 0 || at[i - 1] + block <= at[i]);
        shared += i > 0 && (at[i - 1] + block - 1) / 4096 == at[i] / 4096;
    }
    tap_ok(odd, "misaligned blocks of %d bytes begin at odd offsets", (int)block);
    tap_ok(apart, "... and do not overlap");
    tap_ok(at[N - 1] + block <= layout_file_bytes(&o.layout), "... nor leave the file");
    tap_ok(shared > N * 8 / 10, "... and %d of %d share a page with the one before",
           (int)shared, N);
}

/* ---- mixed ----------------------------------------------------------------------- */

static int reads_of(uint64_t seed, int mixed)
{
    struct order o = order_of(ORDER_SEQUENTIAL, 1, mixed, seed);
    int n = 0;
    for (int64_t i = 0; i < 1000; i++)
        n += order_reads(&o, i);
    return n;
}

static void test_reads(void)
{
    tap_ok(reads_of(1, 30) == 316 && reads_of(2, 30) == 294,
           "30 %% of 1000: 316 reads, or 294 with another seed");
    tap_ok(reads_of(1, 0) == 0 && reads_of(1, 100) == 1000, "none, and all");
}

/* ---- versions -------------------------------------------------------------------- */

enum { ROUNDS = 3, MOST = 2 * ROUNDS * ALL + 2 };

struct table {
    int last[ALL];             /* version of each block */
    char wrote[ALL][MOST + 1]; /* the block had that version at some time */
};

static void note(struct table *t, int64_t block, int version)
{
    t->last[block] = version;
    t->wrote[block][version] = 1;
}

/* True if read number i, with this past, expects a version of the table. */
static bool agrees(const struct order *o, const struct order_past *p,
                   const struct table *t, int64_t i)
{
    int64_t block = order_block(o, 1, order_again(o, p, i));
    int least = order_least(o, p, order_again(o, p, i)), last = t->last[block];
    if (!order_repeats(o))
        return least == last;
    for (int v = MOST; v > 1; v--)
        if (order_wrote(o, p, 1, block, v) != t->wrote[block][v])
            return false;
    return least <= last && t->wrote[block][least];
}

/* The phases transfer `written` and `mixed` numbers, which go round. */
static void test_versions(enum order_pattern pattern, bool laid, int64_t to_write,
                          int64_t to_mix)
{
    static struct table t;
    struct order o = order_of(pattern, FILES, 40, 11);
    struct order_past p = {.laid = laid};
    int64_t n = order_blocks(&o), exact = 0, written = 0;
    bool good = true;
    memset(&t, 0, sizeof t);
    for (int64_t b = 0; laid && b < n; b++)
        t.last[b] = 1;
    for (int64_t i = 0; i < to_write; i++)
        note(&t, order_block(&o, 1, order_first(&o, i)),
             order_version(&o, &p, false, i));
    p.written = to_write;
    for (; p.mixed < to_mix; p.mixed++) {
        good = good && (!order_reads(&o, p.mixed) || agrees(&o, &p, &t, p.mixed));
        if (!order_reads(&o, p.mixed))
            note(&t, order_block(&o, 1, order_again(&o, &p, p.mixed)),
                 order_version(&o, &p, true, p.mixed));
    }
    tap_ok(good,
           "pattern %d%s, %d written, %d mixed: reads of the mix are asked for "
           "what there may be",
           pattern, laid ? ", overwritten" : "", (int)to_write, (int)to_mix);
    int64_t distinct = to_write < n || order_repeats(&o) ? to_write : n;
    for (int64_t i = 0; i < distinct; i++) {
        good = good && agrees(&o, &p, &t, i);
        exact += order_least(&o, &p, i) == t.last[order_block(&o, 1, i)];
    }
    for (int64_t b = 0; b < n; b++)
        written += t.last[b] > laid;
    tap_ok(good, "... and so are reads afterwards");
    tap_ok(exact >= written && (pattern < ORDER_UNIFORM || exact == written),
           "... and for the last version of each block once (%d)", (int)written);
}

/* ---- copies ---------------------------------------------------------------------- */

static void test_copies(int dedupe)
{
    struct order o = order_of(ORDER_RANDOM, 1, 0, 3);
    struct content c = {.dedupe = dedupe};
    bool good = true;
    int copies = 0;
    for (int64_t i = 0; i < 2000; i++) {
        int64_t of = content_source(&c, &o, 1, i);
        good = good && of >= 0 && of <= i && content_source(&c, &o, 1, of) == of;
        copies += of != i;
        if (i % 100 == 99)
            good = good && abs(copies - (int)(i + 1) * dedupe / 100) <= 1;
    }
    tap_ok(good, "%d %% copies, of earlier ones that are none (%d of 2000)", dedupe,
           copies);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_zipf();
    test_each_once(ORDER_SEQUENTIAL, 1);
    test_each_once(ORDER_SEQUENTIAL, FILES);
    test_each_once(ORDER_RANDOM, 1);
    test_each_once(ORDER_RANDOM, FILES);
    test_misaligned(BLOCK);
    test_misaligned(777);
    test_reads();
    for (int pattern = ORDER_SEQUENTIAL; pattern <= ORDER_ZIPF; pattern++) {
        test_versions((enum order_pattern)pattern, false, ALL, ALL);
        test_versions((enum order_pattern)pattern, true, ALL, ALL);
        test_versions((enum order_pattern)pattern, false, 2 * ALL + 17, 3 * ALL - 5);
        test_versions((enum order_pattern)pattern, true, ALL - 90, 2 * ALL);
    }
    test_copies(0);
    test_copies(50);
    test_copies(99);
    test_copies(100);
    return tap_end();
}
