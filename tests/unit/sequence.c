/* ranks: 1; mpi: any */
/* Sequences: unfolded, they are what was added; their text reads back; and invalid text
 * is refused with a sentence. */
#include "algebra/sequence.h"
#include "tap.h"

static char text[SEQUENCE_TEXT];

/* Adds letters, 'a' is 0, and compares the text. */
static void folds(const char *letters, const char *expected)
{
    struct sequence s = {.lost = false}, read;
    struct sequence_walk w = {.of = &s};
    int64_t what, n = 0, count[26] = {0}, walked[26] = {0};
    bool same = true;
    for (const char *c = letters; *c; c++)
        sequence_add(&s, *c - 'a', 1);
    sequence_print(text, &s);
    while (sequence_next(&w, &what)) {
        same = same && letters[n] == 'a' + (char)what;
        walked[what]++;
        n++;
    }
    sequence_count(&s, count, 26);
    int rc = sequence_parse(&read, text, 26);
    tap_ok(!strcmp(text, expected), "%s is %s", letters, text);
    tap_ok(same && letters[n] == 0, "and unfolds to what it was");
    tap_ok(!memcmp(count, walked, sizeof count), "and counts what it has");
    tap_ok(rc == 0 && sequence_same(&s, &read), "and its text is read");
    sequence_free(&s);
    sequence_free(&read);
}

/* Any order comes back, however it folds. */
static void comes_back(unsigned seed, int n, int letters)
{
    struct sequence s = {.lost = false};
    struct sequence_walk w = {.of = &s};
    int64_t what, *in = calloc((size_t)n, sizeof *in);
    int at = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245 + 12345;
        /* Loops have all lengths: often the number from five places before repeats. */
        in[i] = i >= 5 && seed >> 16 & 7 ? in[i - 5] : (int64_t)(seed >> 20) % letters;
        sequence_add(&s, in[i], 1);
    }
    while (!s.lost && sequence_next(&w, &what) && at < n && in[at] == what)
        at++;
    tap_ok(s.lost || at == n, "%d of %d kinds come back (%d nodes)", n, letters,
           s.nodes);
    sequence_free(&s);
    free(in);
}

static void is_no_text(const char *what)
{
    struct sequence s;
    int rc = sequence_parse(&s, what, 10);
    tap_ok(rc < 0 && err_get()->code, "\"%s\" is no sequence", what);
    err_clear();
    sequence_free(&s);
}

static void large(void)
{
    struct sequence s;
    struct sequence_walk w = {.of = &s};
    int64_t what, count[2] = {0};
    tap_ok(sequence_parse(&s, "((0x4000000000 1)x4000000000 0)x9", 2) == 0,
           "loops of 2^60");
    sequence_count(&s, count, 2);
    tap_ok(count[0] == INT64_MAX && count[1] == 36000000000, "are counted");
    w.of = &s;
    tap_ok(sequence_next(&w, &what) && what == 0, "and begun");
    sequence_free(&s);
}

int main(int argc, char **argv)
{
    static const char *const wrong[] = {"(",
                                        ")",
                                        "(1",
                                        "1)",
                                        "()",
                                        "1x",
                                        "1x0",
                                        "-1",
                                        "x3",
                                        "1y",
                                        "10",
                                        "(1)x-2",
                                        "1 (2)3",
                                        "99999999999999999999",
                                        "(((((((((1)))))))))"};
    tap_start(&argc, &argv, 0);
    folds("", "");
    folds("a", "0");
    folds("aaab", "0x3 1");
    folds("ababab", "(0 1)x3");
    folds("abababc", "(0 1)x3 2");
    folds("aabaabaab", "(0x2 1)x3");
    folds("abcdcdcdabcdcdcd", "(0 1 (2 3)x3)x2");
    folds("abcabcdabcabcdabcabcd", "((0 1 2)x2 3)x3");
    folds("abba", "0 1x2 0");
    for (unsigned i = 1; i < 30; i++)
        comes_back(i, 200, 2 + (int)i % 7);
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++)
        is_no_text(wrong[i]);
    large();
    return tap_end();
}
