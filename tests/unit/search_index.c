/* Look-ups through an index, without files: every answer compared with a search of all
 * records, and the number of pages that each one reads. */
#include "base/buf.h"
#include "base/rng.h"
#include "outcore/search/index.h"
#include "tap.h"

enum { MOST = 3000, BYTES = 100, KEY = 12 };

static const struct sort_order order = {
    .kind = SORT_BYTES, .bytes = BYTES, .key_at = 4, .key_bytes = KEY};

struct text { /* a file, in memory */
    struct pages pages;
    struct search_index index;
    void *words;
    char *records; /* n records, and an unused block */
    int64_t n;
};

static int by_key(const void *a, const void *b)
{
    return sort_compare(&order, a, b);
}

/* Makes a record: one of `kinds` first parts of 8 bytes, with one of `ends` second
 * parts of 4. */
static void make_record(char *to, uint64_t key, int64_t i, int64_t kinds, int64_t ends)
{
    memset(to, 'x', BYTES);
    uint64_t kind = rng_below(key, 2 * (uint64_t)i, (uint64_t)kinds);
    uint64_t word = kind + 1 == (uint64_t)kinds ? UINT64_MAX : rng_mix(kind);
    uint32_t end = (uint32_t)rng_below(key, 2 * (uint64_t)i + 1, (uint64_t)ends) << 8;
    for (int b = 0; b < 8; b++)
        to[4 + b] = (char)(word >> (56 - 8 * b));
    for (int b = 0; b < 4; b++)
        to[12 + b] = (char)(end >> (24 - 8 * b));
}

static int make(struct text *t, int64_t n, int64_t block, int64_t align, int64_t kinds,
                int64_t ends)
{
    *t = (struct text){.n = n, .pages = pages_make(n, BYTES, block, align)};
    int64_t bytes = index_bytes(t->pages.n);
    t->records = calloc((size_t)n + 1, BYTES);
    if (!t->records || buf_alloc(&t->words, bytes ? bytes : 64, "words"))
        return -1;
    for (int64_t i = 0; i < n; i++)
        make_record(t->records + i * BYTES, rng_key(1, RNG_RECORDS), i, kinds, ends);
    qsort(t->records, (size_t)n, BYTES, by_key);
    return 0;
}

static const char *record(const struct text *t, int64_t i)
{
    return t->records + i * BYTES;
}

static void make_index(struct text *t, int64_t from, int64_t end)
{
    index_place(&t->index, end - from, t->words);
    for (int64_t p = from; p < end; p++)
        t->index.word[p - from] =
            sort_word(&order, record(t, pages_first(&t->pages, p + 1) - 1), 0);
    index_finish(&t->index);
}

static void drop(struct text *t)
{
    free(t->records);
    buf_free(t->words);
}

/* ---- pages ----------------------------------------------------------------------- */

static void test_pages(void)
{
    struct pages p = pages_make(1000, 100, 4096, 4096);
    struct pages_read last = pages_read_page(&p, p.n - 1);
    int64_t next = 0;
    int whole = 1;
    for (int64_t i = 0; i < p.n; i++) {
        struct pages_read r = pages_read_page(&p, i);
        int64_t first = pages_first(&p, i), end = pages_first(&p, i + 1);
        whole = whole && first == next && end > first && r.offset == i * 4096 &&
                r.offset + r.skip == first * 100 && r.whole % 4096 == 0 &&
                r.offset + r.bytes >= end * 100 && r.bytes <= r.whole &&
                r.whole <= pages_most(&p);
        next = end;
    }
    tap_ok(p.n == 25 && next == 1000, "pages share out all records");
    tap_ok(whole, "each page is read from its block on, with the record that reaches "
                  "into the next one");
    tap_ok(last.bytes == 100000 - 24 * 4096 && last.whole == 4096,
           "the last block is short: %lld bytes", (long long)last.bytes);
    p = pages_make(64, 128, 4096, 4096);
    tap_ok(p.n == 2 && pages_most(&p) == 4096, "whole records in a block");
    p = pages_make(INT64_C(1) << 55, 128, 4096, 4096);
    tap_ok(pages_first(&p, p.n - 1) == (INT64_C(1) << 55) - 32,
           "2^62 bytes do not overflow");
    tap_ok(pages_make(0, 128, 4096, 1).n == 0, "nothing has no pages");
    tap_ok(index_block_for(INT64_C(1) << 33, 4096, INT64_C(1) << 24) == 8192,
           "an index of 8 GiB in 16 MiB: blocks of 8 KiB, as lines are added");
}

/* ---- the tree -------------------------------------------------------------------- */

static int tree_is_right(int64_t n, uint64_t step)
{
    struct search_index x;
    void *words = NULL;
    int right = !buf_alloc(&words, index_bytes(n), "words");
    index_place(&x, n, words);
    for (int64_t i = 0; i < n; i++)
        x.word[i] = (uint64_t)(i / 3) * step + 5; /* groups of three are equal */
    index_finish(&x);
    for (int64_t i = 0; i < n && right; i++) {
        uint64_t word = (uint64_t)(i / 3) * step + 5;
        int64_t after = i - i % 3 + 3 < n ? i - i % 3 + 3 : n;
        right =
            index_below(&x, word) == i - i % 3 && index_below(&x, word + 1) == after;
    }
    right = right && !index_below(&x, 0) && index_below(&x, UINT64_MAX) == n;
    buf_free(words);
    return right;
}

static void test_tree(void)
{
    int right = 1;
    for (int64_t n = 1; n < 700 && right; n++)
        right = tree_is_right(n, 2);
    tap_ok(right,
           "up to 700 words: how many are below each, and how many are not above");
    tap_ok(tree_is_right(100000, UINT64_MAX / 40000), "100,000 words");
    tap_ok(index_bytes(8) == 64 && index_bytes(9) == 3 * 64, "memory is whole lines");
}

/* ---- look-ups -------------------------------------------------------------------- */

struct tally {
    int64_t wrong, unsorted, reads, most;
};

static void look_up(const struct text *t, int64_t from, int64_t end, int indexed,
                    const char *key, struct tally *y)
{
    struct finding f;
    enum finding_next next = FINDING_READ;
    finding_begin(&f, &order, indexed ? &t->index : NULL, from, end, key);
    while (next == FINDING_READ)
        next = finding_look(&f, &order, &t->pages,
                            record(t, pages_first(&t->pages, f.page)));
    int64_t at = finding_before(&order, t->records, t->n, key);
    int equal = at < t->n && !sort_compare(&order, record(t, at), key);
    y->unsorted += next == FINDING_UNSORTED;
    y->wrong += f.is.position != at || f.is.equal != equal;
    y->reads += f.reads;
    y->most = f.reads > y->most ? f.reads : y->most;
}

/* Looks up keys of records, keys next to these, and the ends, among those that belong
 * to pages from .. end - 1: the key is not in an earlier page, nor in a later one. */
static struct tally look_up_all(const struct text *t, int64_t from, int64_t end,
                                int indexed)
{
    struct tally y = {0};
    int64_t first = pages_first(&t->pages, from),
            last = pages_first(&t->pages, end) - 1;
    for (int64_t i = first; i <= last; i++) {
        char key[BYTES];
        memcpy(key, record(t, i), BYTES);
        for (int k = 0; k < 3; k++) { /* the key itself, a bit more, a bit less */
            key[15] = (char)(k == 1 ? 1 : 0);
            if (k == 2 && key[14])
                key[14] = (char)(key[14] - 1);
            if ((from && sort_compare(&order, key, record(t, first - 1)) <= 0) ||
                (end < t->pages.n && sort_compare(&order, key, record(t, last)) > 0))
                continue;
            look_up(t, from, end, indexed, key, &y);
        }
    }
    return y;
}

static void test_findings(int64_t n, int64_t block, int64_t kinds, int64_t ends)
{
    struct text t;
    if (make(&t, n, block, block % 512 ? 1 : 512, kinds, ends))
        return;
    make_index(&t, 0, t.pages.n);
    struct tally y = look_up_all(&t, 0, t.pages.n, 1);
    struct tally plain = look_up_all(&t, 0, t.pages.n, 0);
    tap_ok(
        !y.wrong && !y.unsorted && y.reads > 0,
        "%lld records, blocks of %lld, %lld x %lld keys: all are found where they are",
        (long long)n, (long long)block, (long long)kinds, (long long)ends);
    tap_ok(!plain.wrong && !plain.unsorted && plain.reads >= y.reads,
           "so they are without an index, in more reads");
    int64_t part = t.pages.n / 3, parts_wrong = 0;
    for (int64_t p = 0; part && p < 3; p++) {
        int64_t end = p < 2 ? (p + 1) * part : t.pages.n;
        make_index(&t, p * part, end);
        y = look_up_all(&t, p * part, end, 1);
        parts_wrong += y.wrong + y.unsorted;
    }
    tap_ok(!parts_wrong, "and in an index of a third");
    drop(&t);
}

static void test_reads(void)
{
    struct text t;
    struct tally y = {0}, one = {0};
    char key[BYTES];
    if (make(&t, MOST, 512, 512, INT64_C(1) << 60, 1)) /* no two words are equal */
        return;
    make_index(&t, 0, t.pages.n);
    for (int64_t i = 0; i < t.n; i++)
        look_up(&t, 0, t.pages.n, 1, record(&t, i), &y);
    tap_ok(y.reads == t.n && !y.wrong, "one page is read for each of %lld keys",
           (long long)t.n);
    make_record(key, 7, 1, INT64_C(1) << 60, 1);
    look_up(&t, 0, t.pages.n, 1, key, &one);
    memset(key, 0, sizeof key);
    look_up(&t, 0, t.pages.n, 1, key, &one);
    memset(key, 0xff, sizeof key);
    look_up(&t, 0, t.pages.n, 1, key, &one);
    tap_ok(one.reads == 3 && !one.wrong,
           "and for one that is not there, before all, after all");
    y = (struct tally){0};
    look_up(&t, 0, t.pages.n, 0, record(&t, 1234), &y);
    tap_ok(y.reads > 1 && y.reads <= 11, "without an index %lld, of log2(%lld) pages",
           (long long)y.reads, (long long)t.pages.n);
    drop(&t);
}

/* A page contradicts the index. */
static void test_unsorted(void)
{
    struct text t;
    struct finding f;
    if (make(&t, MOST, 512, 512, INT64_C(1) << 60, 1))
        return;
    make_index(&t, 0, t.pages.n);
    finding_begin(&f, &order, &t.index, 0, t.pages.n, record(&t, 1000));
    tap_ok(finding_look(&f, &order, &t.pages, record(&t, 0)) == FINDING_UNSORTED,
           "a page whose records are all before the key is told");
    drop(&t);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_pages();
    test_tree();
    test_findings(MOST, 512, INT64_C(1) << 60, 1); /* no two words are equal */
    test_findings(MOST, 1000, 40, 3);              /* most are equal */
    test_findings(MOST, 100, 5, 500);              /* each page is a record */
    test_findings(700, 4096, 1, 1000000);          /* all are equal, and the largest */
    test_findings(1, 4096, 3, 1);
    test_findings(2, 128, 1, 1);
    test_reads();
    test_unsorted();
    return tap_end();
}
