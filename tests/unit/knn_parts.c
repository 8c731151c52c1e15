/* ranks: 1 */
/* Parts of a search for neighbours beside distances: files of vectors by their first
 * bytes, votes on labels, and the number of queries from which on it takes longer. */
#include "outcore/knn/format.h"
#include "tap.h"

/* ---- formats --------------------------------------------------------------------- */

static bool refused(const char *name, const void *first, int64_t n, int64_t bytes,
                    const char *words)
{
    struct format f;
    err_clear();
    return tap_refused(format_of(&f, name, "x", first, n, bytes, 4), -EINVAL, words);
}

static int64_t make_npy(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, "\x93NUMPY\x01\x00", 8);
    to[8] = (char)n;
    to[9] = 0;
    memcpy(to + 10, text, n);
    return 10 + (int64_t)n;
}

#define NPY(order, shape)                                                              \
    "{'descr': '<f4', 'fortran_order': " order ", 'shape': " shape ", }   \n"

static void test_formats(void)
{
    struct format f;
    char head[256];
    const uint8_t four[] = {4, 0, 0, 0};
    tap_ok(!format_of(&f, "raw", "x", NULL, 0, 160, 4) && f.rows == 10 && !f.head,
           "raw: 160 bytes are 10 vectors of 4");
    tap_ok(!format_of(&f, "fvecs", "x", four, 4, 160, 4) && f.rows == 8 && f.skip == 4,
           "fvecs: 8 vectors of 20 bytes");
    int64_t n = make_npy(head, NPY("False", "(10, 4)"));
    tap_ok(!format_of(&f, "npy", "x", head, n, n + 160, 4) && f.rows == 10 &&
               f.head == n && f.stride == 16,
           "npy: 10 vectors after its head");
    tap_ok(refused("npy", head, n, n + 144, "its head says 10"), "npy: one is missing");
    tap_ok(refused("npy", head, n - 30, n + 160, "row by row"), "npy: half a head");
    n = make_npy(head, NPY("True", "(10, 4)"));
    tap_ok(refused("npy", head, n, n + 160, "row by row"), "npy: column by column");
    n = make_npy(head, NPY("False", "(40,)"));
    tap_ok(refused("npy", head, n, n + 160, "row by row"), "npy: one dimension");
    tap_ok(refused("npy", four, 4, 160, "no .npy"), "npy: another file");
    tap_ok(refused("fvecs", four, 3, 3, "dimension"), "fvecs: too short");
    tap_ok(refused("raw", NULL, 0, 161, "161 bytes"), "raw: a byte too much");
    tap_ok(refused("raw", NULL, 0, 0, "0 bytes"), "raw: empty");
}

static void test_rows(void)
{
    int32_t rows[20];
    struct format f;
    for (int i = 0; i < 20; i++)
        rows[i] = i % 5 ? 77 : 4;
    if (format_of(&f, "fvecs", "x", rows, sizeof rows, sizeof rows, 4))
        return;
    tap_ok(format_wrong_row(&f, rows, 4) == 4, "all rows begin with the dimension");
    rows[15] = 5;
    tap_ok(format_wrong_row(&f, rows, 4) == 3, "one does not");
    f = format_raw(5, 4);
    tap_ok(format_wrong_row(&f, rows, 4) == 4, "those of raw files begin with nothing");
}

/* ---- labels ---------------------------------------------------------------------- */

static void test_votes(void)
{
    const int32_t most[] = {7, 3, 3, 7, 3}, tie[] = {9, 2, 2, 9}, some[] = {5, -1, -1},
                  none[] = {-1, -1};
    tap_ok(labels_vote(most, 5) == 3, "what most are");
    tap_ok(labels_vote(tie, 4) == 9, "of two that as many are, that of the nearest");
    tap_ok(labels_vote(some, 3) == 5, "who is not there has no vote");
    tap_ok(labels_vote(none, 2) == LABELS_NONE, "nobody is there");
}

static void test_made(void)
{
    int of[3] = {0};
    for (uint64_t i = 0; i < 3000; i++) {
        int32_t label = labels_made(1, i, 3);
        of[label >= 0 && label < 3 ? label : 0]++;
    }
    tap_ok(of[0] + of[1] + of[2] == 3000 && of[0] > 900 && of[1] > 900 && of[2] > 900,
           "labels that are made are all equally likely");
}

/* ---- sweeps ---------------------------------------------------------------------- */

static void test_lists(void)
{
    static const char *const wrong[] = {"",     "0",    "2,1",  "1,",  ",1", "1,,2",
                                        "4..2", "1..x", "1...", "1;2", "-1", "1..4,4"};
    struct sweep s;
    int taken = 0;
    tap_ok(!sweep_parse(&s, NULL) && s.n == 0, "no list is none");
    tap_ok(!sweep_parse(&s, "1,2,4..256") && s.n == 9 && s.queries[8] == 256,
           "1,2,4..256 are 9 numbers");
    tap_ok(!sweep_parse(&s, "3..20,21") && s.n == 4 && s.queries[2] == 12 &&
               s.queries[3] == 21,
           "3..20,21 are 3, 6, 12 and 21");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        taken += !sweep_parse(&s, wrong[i]) && s.n > 0;
        err_clear();
    }
    tap_ok(!taken, "other lists are refused");
}

static void test_crossover(void)
{
    static const double seconds[] = {1, 1.02, 1.05, 1.25, 2};
    struct sweep s;
    if (sweep_parse(&s, "1..16"))
        return;
    for (int i = 0; i < 5; i++) {
        sweep_add(&s, i, 3 * seconds[i], 50);
        sweep_add(&s, i, seconds[i], 100);
        sweep_add(&s, i, 2 * seconds[i], 70);
    }
    tap_ok(fabs(sweep_crossover(&s) - 5) < 1e-9 && s.MBps[0] >= 100,
           "1.1 times as long: a quarter of the way from 4 to 8");
    s.s[1] = 1.5;
    tap_ok(fabs(sweep_crossover(&s) - 5) < 1e-9, "a slow pass before that is none");
    s.n = 3;
    tap_ok(sweep_crossover(&s) <= 0, "never");
    s.n = 0;
    tap_ok(sweep_crossover(&s) <= 0, "no list");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_formats();
    test_rows();
    test_votes();
    test_made();
    test_lists();
    test_crossover();
    return tap_end();
}
