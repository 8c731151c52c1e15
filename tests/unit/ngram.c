/* ranks: 1 */
/* outcore ngram: letters of text cut anywhere, grams, sums of masks, models and their
 * errors, and three ways to classify. */
#include "base/rng.h"
#include "outcore/ngram/classifier.h"
#include "tap.h"

#define GPL "/usr/share/common-licenses/GPL-3"
enum { GPL_BYTES = 35149, ALL = 1 << 20 };

static struct grams grams;
static int64_t count[ALL];

/* ---- letters --------------------------------------------------------------------- */

/* Returns the codes of a text that comes in parts of `part` bytes, as letters. */
static const char *codes(const char *text, size_t bytes, size_t part, bool latin1)
{
    static char name[4096];
    static uint8_t code[4096];
    struct letters l = {.latin1 = latin1};
    int64_t n = 0;
    for (size_t i = 0; i < bytes; i += part)
        n += letters_take(&l, text + i, (int64_t)(bytes - i < part ? bytes - i : part),
                          code + n);
    n += letters_end(&l, code + n);
    for (int64_t i = 0; i < n; i++)
        name[i] = (char)(code[i] ? 'a' + code[i] - 1 : '_');
    name[n] = 0;
    return name;
}

static bool reads(const char *text, const char *expected)
{
    bool same = true;
    for (size_t part = 1; part <= strlen(text) + 1; part++)
        same &= !strcmp(codes(text, strlen(text), part, false), expected);
    if (!same)
        tap_diag("%s: %s", text, codes(text, strlen(text), 1, false));
    return same;
}

static void test_letters(void)
{
    tap_ok(reads("", ""), "nothing has no code");
    tap_ok(reads("a b", "a_b") && reads("  A  b, ", "a_b_"), "runs of 0 are one");
    tap_ok(reads("\xc3\xa9\xc3\x89\xc5\x99\xc5\xbf", "eers"), "letters with marks");
    tap_ok(reads("\xc3\xa6 \xc3\x9f", ""), "ae and sharp s are no letters");
    tap_ok(reads("a\xe2\x80\x8d"
                 "b\xe4\xb8\xad"
                 "c\xf0\x9f\x98\x80"
                 "d",
                 "a_b_c_d"),
           "a joiner, Chinese and an emoji are 0");
    tap_ok(reads("a\xc3"
                 "b",
                 "a_b") &&
               reads("a\xc3", "a_") && reads("\xc3", "") &&
               reads("a\xc3\xc3\xa9", "a_e") &&
               reads("a\xa9"
                     "b",
                     "a_b") &&
               reads("a\xc1\xa1"
                     "b",
                     "a_b") &&
               reads("a\xff\xfe", "a_"),
           "bytes that are not UTF-8 are 0");
    tap_ok(reads("abcdefg\xc3\xa9hijklmnop\xc3", "abcdefgehijklmnop_"),
           "eight at once, and then not");
    tap_ok(!strcmp(codes("\xe9t\xe9 \xff", 5, 2, true), "ete_y"), "ISO-8859-1");
    tap_ok(letters_fold['z'] == 26 && !letters_fold[0], "z is 26, and zero bytes 0");
}

/* Byte by byte, no word is read at once. Each short sequence occurs often, so that
 * codes are left out at all places of a word. */
static void test_words(void)
{
    static const char some[][4] = {
        "a", "Z", "z",    "@",    "[",        "`",        "{",
        " ", " ", "\xc3", "\xa9", "\xc3\xa9", "\xc9\xbf", "\xe2\x80\x99"};
    static char text[1200], slowly[4096];
    bool same = true;
    for (uint64_t k = 0; k < 2000; k++) {
        size_t n = 0, kinds = k % 14 + 1;
        while (n < 1000)
            n += (size_t)sprintf(text + n, "%s", some[rng_at(k, n) % kinds]);
        strcpy(slowly, codes(text, n, 1, false));
        same &= !strcmp(slowly, codes(text, n, n, false));
        same &= !strcmp(slowly, codes(text, n, 37, false));
    }
    tap_ok(same, "words at once are read as byte by byte");
}

/* ---- grams ----------------------------------------------------------------------- */

static int64_t count_grams(const char *text, int64_t bytes, int64_t part, int n)
{
    int64_t seen = 0;
    memset(count, 0, sizeof count);
    grams_begin(&grams, n, false);
    for (int64_t i = 0, k; i <= bytes; i += part) {
        k = i < bytes
                ? grams_take(&grams, text + i, bytes - i < part ? bytes - i : part)
                : 0;
        k = i < bytes ? k : 0;
        for (int64_t j = 0; j < k; j++)
            count[grams.gram[j]]++;
        seen += k;
    }
    int64_t k = grams_end(&grams);
    for (int64_t j = 0; j < k; j++)
        count[grams.gram[j]]++;
    return seen + k;
}

static void test_grams(void)
{
    char name[8];
    tap_ok(count_grams("a b", 3, 1, 4) == 0, "\"a b\" has no gram of 4");
    tap_ok(count_grams("a b ", 4, 3, 4) == 1 && count[32832] == 1,
           "\"a b \" has 32832");
    tap_ok(count_grams("abc", 3, 1, 2) == 2 && count[1 << 5 | 2] == 1 &&
               count[2 << 5 | 3] == 1,
           "\"abc\" has two of 2");
    tap_ok(grams_parse(4, "_the") == 20741 && grams_parse(4, "the_") == 663712 &&
               grams_parse(4, "the") < 0 && grams_parse(4, "The_") < 0,
           "names of grams");
    grams_name(4, 665070, name);
    tap_ok(!strcmp(name, "tion"), "and back");
}

static char *gpl(void)
{
    static char text[GPL_BYTES + 1];
    FILE *f = fopen(GPL, "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return n == GPL_BYTES ? text : NULL;
}

/* Python has counted these. */
static void test_licence(void)
{
    static const struct {
        uint32_t gram;
        int64_t n;
    } known[] = {{20741, 386}, {663712, 345}, {665070, 170}};
    const char *text = gpl();
    if (!text) {
        tap_skip("there is no %s of %d bytes", GPL, GPL_BYTES);
        return;
    }
    bool same = true;
    for (int64_t part = 1; part <= GRAMS_PART; part = part * 3 + 1) {
        uint32_t sum = 0, distinct = 0;
        same &= count_grams(text, GPL_BYTES, part, 4) == 33344 && grams.codes == 33347;
        for (uint32_t g = 0; g < ALL; g++) {
            sum += g * (uint32_t)count[g];
            distinct += count[g] > 0;
        }
        same &= sum == 2716652938U && distinct == 5259;
        for (int i = 0; i < 3; i++)
            same &= count[known[i].gram] == known[i].n;
    }
    tap_ok(same, "the grams of the GPL, in parts of 1 to %d bytes", GRAMS_PART);
}

/* ---- sums ------------------------------------------------------------------------ */

static void test_tally(void)
{
    enum { WORDS = 16 * 1000 };
    static uint64_t word[WORDS];
    struct tally t;
    uint64_t key = rng_key(1, RNG_WORDS);
    bool same = true;
    for (int i = 0; i < WORDS; i++)
        word[i] = rng_at(key, (uint64_t)i) & (i % 3 ? ~UINT64_C(0) : rng_at(key, 7));
    for (int bits = 16; bits <= 64; bits *= 2) {
        int64_t sum[64] = {0};
        tally_begin(&t);
        for (int i = 0, n; i < WORDS; i += n) {
            n = 16 * (1 + i / 16 % 7);
            n = n < WORDS - i ? n : WORDS - i;
            tally_add(&t, word + i, n);
        }
        for (int i = 0; i < WORDS; i++)
            for (int b = 0; b < 64; b++)
                sum[b % bits] += word[i] >> b & 1;
        for (int b = 0; b < bits; b++)
            same &= tally_sum(&t, bits, b) == sum[b];
    }
    tap_ok(same, "sums of 16, 32 and 64 bits are those of one by one");
}

/* ---- models ---------------------------------------------------------------------- */

static bool refused(const char *text, const char *words)
{
    struct languages m;
    err_clear();
    int rc = languages_parse(&m, "x", text, (int64_t)strlen(text));
    languages_free(&m);
    return tap_refused(rc, -EINVAL, words);
}

#define HEAD "leadline-ngrams 1\nn 4\n"

static void test_models(void)
{
    struct languages m, again;
    static char text[400000];
    const char *given = HEAD "en the_ 3\nen _the 5\nen aaaa 5\nfr _le_ 2\n";
    const char *sorted = HEAD "en _the 5\nen aaaa 5\nen the_ 3\nfr _le_ 2\n";
    int64_t n = 0;
    tap_ok(!languages_parse(&m, "x", given, (int64_t)strlen(given)) && m.n == 4 &&
               m.languages == 2 && m.first[2] == 4,
           "a model");
    for (int64_t i = 0; i < 2 + m.first[m.languages]; i++)
        n += languages_line(&m, i, text + n);
    tap_ok(!strcmp(text, sorted), "is written with the most frequent ones first");
    tap_ok(!languages_parse(&again, "x", text, n) && again.first[2] == 4, "and read");
    languages_free(&m);
    languages_free(&again);
    tap_ok(refused("", "ends before") &&
               refused("leadline-ngrams 1\n", "ends before") &&
               refused(HEAD, "no gram"),
           "one that ends early");
    tap_ok(refused("<html>\n", "is not how") &&
               refused("leadline-ngrams 2\nn 4\n", "version that") &&
               refused("leadline-ngrams one\nn 4\n", "no version"),
           "another file, another version");
    tap_ok(refused("leadline-ngrams 1\nn 6\nen abcdef 1\n", "N from 2 to 5") &&
               refused("leadline-ngrams 1\nen abcd 1\n", "N from 2 to 5"),
           "another n");
    tap_ok(refused(HEAD "en abc 1\n", "another gram") &&
               refused(HEAD "en Abcd 1\n", "another gram") &&
               refused(HEAD "en abcd\n", "should be a language") &&
               refused(HEAD "en abcd 1 2\n", "should be a language") &&
               refused(HEAD "en abcd 0\n", "count that") &&
               refused(HEAD "en abcd -1\n", "count that") &&
               refused(HEAD "en abcd 99999999999999999999\n", "count that"),
           "lines that are none");
    tap_ok(refused(HEAD "en abcd 1\nfr abcd 1\nen bbbb 1\n",
                   "line 5: language en begins "
                   "a second time") &&
               refused(HEAD "en abcd 1\nen bbbb 1\nen abcd 2\n", "gram abcd twice") &&
               refused(HEAD "a/b abcd 1\n", "cannot be the name"),
           "languages and grams that stand twice, and a name that is none");
    n = sprintf(text, HEAD);
    for (int i = 0; i <= LANGUAGES_MOST; i++)
        n += sprintf(text + n, "l%d abcd 1\n", i);
    tap_ok(refused(text, "more than 64"), "65 languages");
    n = sprintf(text, HEAD "en ");
    memset(text + n, 'a', 300);
    text[n + 300] = 0;
    tap_ok(refused(text, "too long"), "a long line");
}

/* ---- classifying ----------------------------------------------------------------- */

/* Makes `languages` languages of n grams each. */
static void make(struct languages *m, int languages, int n)
{
    char name[16];
    *m = (struct languages){.n = 4};
    for (int l = 0; l < languages; l++) {
        uint64_t key = rng_key((uint64_t)l, RNG_LABELS);
        snprintf(name, sizeof name, "l%d", l);
        languages_begin(m, name);
        memset(count, 0, sizeof count);
        for (int i = 0; i < n; i++) {
            uint32_t g;
            for (uint64_t k = 0;
                 count[g = (uint32_t)(rng_at(key + k, (uint64_t)i) % ALL)]; k++)
                ;
            count[g] = 1;
            languages_add(m, g, n - i);
        }
    }
}

struct use {
    struct classifier c;
    struct reading *t;
};

static void use(struct use *u, const struct languages *m, struct classifier_how how)
{
    void *memory = calloc(1, (size_t)classifier_memory(m, &how));
    classifier_make(&u->c, m, &how, memory, true);
    u->t = calloc(1, (size_t)reading_memory(&u->c));
    reading_open(u->t, &u->c);
}

static void drop(struct use *u)
{
    free(u->c.memory);
    free(u->t);
}

/* Classifies one by one. */
static void plainly(const struct classifier *c, const char *text, int64_t bytes,
                    int64_t score[])
{
    count_grams(text, bytes, GRAMS_PART, 4);
    memset(score, 0, LANGUAGES_MOST * sizeof *score);
    for (uint32_t g = 0; g < ALL; g++)
        for (int l = 0; l < c->languages && count[g]; l++)
            score[l] += classifier_has(c, l, g) ? count[g] : 0;
}

static void test_scores(const struct classifier_how how, const char *name)
{
    static const int languages[] = {1, 16, 17, 32, 33, 64};
    static char text[100000];
    int64_t score[LANGUAGES_MOST], expected[LANGUAGES_MOST];
    bool same = true;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(rng_at(5, i) % 5 ? 'a' + rng_at(5, i) % 26 : ' ');
    for (int k = 0; k < 6; k++) {
        struct languages m;
        make(&m, languages[k], 5000);
        struct use u;
        use(&u, &m, how);
        for (int64_t bytes = 0; bytes <= 100000; bytes = bytes * 5 + 7) {
            int best = 0;
            for (int64_t i = 0; i < bytes; i += 777)
                reading_take(u.t, text + i, bytes - i < 777 ? bytes - i : 777);
            struct reading_verdict v = reading_end(u.t, score);
            plainly(&u.c, text, bytes, expected);
            for (int l = 0; l < m.languages; l++)
                best = expected[l] > expected[best] ? l : best;
            same &= !memcmp(score, expected, (size_t)m.languages * sizeof *score);
            same &= v.language == (expected[best] ? best : CLASSIFIER_NONE);
            same &= v.score == expected[best];
        }
        drop(&u);
        languages_free(&m);
    }
    tap_ok(same, "%s: 1 to 64 languages have the scores of one gram after another",
           name);
}

/* p = (1 - e^(-t / m))^k for grams that a language does not have. */
static void test_bloom(void)
{
    struct languages m;
    struct classifier_how how = {
        .method = METHOD_BLOOM, .bloom_bits = 16384, .hashes = 4};
    make(&m, 8, 5000);
    struct use u;
    use(&u, &m, how);
    double p = pow(1 - exp(-5000.0 / 16384), 4);
    int64_t wrong = 0, missing = 0;
    for (int l = 0; l < 8; l++) {
        memset(count, 0, sizeof count);
        for (int64_t i = m.first[l]; i < m.first[l + 1]; i++)
            count[m.gram[i].gram] = 1;
        for (uint32_t g = 0; g < ALL; g++) {
            bool has = classifier_has(&u.c, l, g);
            wrong += has && !count[g];
            missing += !has && count[g];
        }
    }
    double found = (double)wrong / (8.0 * (ALL - 5000));
    tap_ok(fabs(found / p - 1) < 0.1 && p > 0.0047 && p < 0.0049,
           "wrong at %.5f of all grams, and expected %.5f", found, p);
    tap_ok(!missing, "and no gram is missing");
    drop(&u);
    languages_free(&m);
}

/* The text has a__ twice, then b__a once (by its order). */
static void test_rank(void)
{
    struct languages m = {.n = 2};
    struct classifier_how how = {.method = METHOD_RANK, .ranks = 3};
    int64_t score[LANGUAGES_MOST];
    languages_begin(&m, "x");
    languages_add(&m, 1 << 5 | 2, 9); /* ab */
    languages_add(&m, 2 << 5 | 1, 8); /* ba */
    languages_begin(&m, "y");
    languages_add(&m, 2 << 5 | 1, 9);
    languages_add(&m, 3 << 5 | 1, 8); /* ca */
    languages_add(&m, 1 << 5 | 2, 7);
    languages_add(&m, 1 << 5 | 3, 6); /* the fourth: it has no rank */
    struct use u;
    use(&u, &m, how);
    reading_take(u.t, "ababac", 6); /* ab 2, ba 2, ac 1 */
    struct reading_verdict v = reading_end(u.t, score);
    tap_ok(score[0] == 0 + 0 + 3 && score[1] == 2 + 1 + 3 && v.language == 0 &&
               v.score == 3 && v.grams == 5,
           "distances of ranks (%d, %d)", (int)score[0], (int)score[1]);
    reading_take(u.t, "zzzz", 4);
    tap_ok(reading_end(u.t, score).language == CLASSIFIER_NONE, "none is known");
    drop(&u);
    languages_free(&m);
}

static void test_verdicts(void)
{
    struct languages m = {.n = 4};
    struct classifier_how how = {.method = METHOD_TABLE};
    languages_begin(&m, "x");
    languages_add(&m, 0x8421, 1); /* aaaa */
    languages_begin(&m, "y");
    languages_add(&m, 0x8421, 1);
    struct use u;
    use(&u, &m, how);
    tap_ok(reading_end(u.t, NULL).language == CLASSIFIER_NONE, "an empty text");
    reading_take(u.t, "b b b", 5);
    tap_ok(reading_end(u.t, NULL).language == CLASSIFIER_NONE, "no gram is known");
    char *text = malloc(3000000);
    memset(text, 'a', 3000000);
    reading_take(u.t, text, 3000000);
    struct reading_verdict v = reading_end(u.t, NULL);
    tap_ok(v.language == 0 && v.score == 3000000 - 3 && v.grams == v.score,
           "one letter, 3,000,000 times; of equals the first one");
    free(text);
    drop(&u);
    languages_free(&m);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    test_letters();
    test_words();
    test_grams();
    test_licence();
    test_tally();
    test_models();
    test_scores((struct classifier_how){.method = METHOD_TABLE}, "table");
    test_scores((struct classifier_how){.method = METHOD_BLOOM,
                                        .bloom_bits = 4096,
                                        .hashes = 6},
                "bloom");
    test_bloom();
    test_rank();
    test_verdicts();
    return tap_end();
}
