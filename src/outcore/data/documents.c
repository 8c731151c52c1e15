#include "outcore/data/documents.h"
#include "base/draw.h"
#include "base/rng.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------------- */

/* The log-normal distribution whose quantiles (k + 1/2) / 3183 add up to 9,840,000
 * bytes, from 1118 to 33,158: the files of the 2007 study, chapter 4. */
static const double least = 1058, median = 1392.4493819912982,
                    spread = 0.8708038633105051;

/* Evaluates a polynomial, its highest coefficient first. */
static double polynomial(const double c[8], double x)
{
    double y = c[0];
    for (int i = 1; i < 8; i++)
        y = y * x + c[i];
    return y;
}

/* The quantile of the normal distribution, to about 1 part in 10^16 (M. J. Wichura:
 * "Algorithm AS 241: the percentage points of the normal distribution", Applied
 * Statistics 37, 1988): numerators and denominators for the middle, and for two parts
 * of the tails. */
static double normal_quantile(double p)
{
    static const double middle[2][8] = {
        {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
         4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
         1.3314166789178437745e+2, 3.3871328727963666080e+0},
        {5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
         2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
         4.2313330701600911252e+1, 1.0}};
    static const double tail[2][8] = {
        {7.74545014278341407640e-4, 2.27238449892691845833e-2,
         2.41780725177450611770e-1, 1.27045825245236838258e+0,
         3.64784832476320460504e+0, 5.76949722146069140550e+0,
         4.63033784615654529590e+0, 1.42343711074968357734e+0},
        {1.05075007164441684324e-9, 5.47593808499534494600e-4,
         1.51986665636164571966e-2, 1.48103976427480074590e-1,
         6.89767334985100004550e-1, 1.67638483018380384940e+0,
         2.05319162663775882187e+0, 1.0}};
    static const double far[2][8] = {
        {2.01033439929228813265e-7, 2.71155556874348757815e-5,
         1.24266094738807843860e-3, 2.65321895265761230930e-2,
         2.96560571828504891230e-1, 1.78482653991729133580e+0,
         5.46378491116411436990e+0, 6.65790464350110377720e+0},
        {2.04426310338993978564e-15, 1.42151175831644588870e-7,
         1.84631831751005468180e-5, 7.86869131145613259100e-4,
         1.48753612908506148525e-2, 1.36929880922735805310e-1,
         5.99832206555887937690e-1, 1.0}};
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double x = 0.180625 - q * q;
        return q * polynomial(middle[0], x) / polynomial(middle[1], x);
    }
    double x = sqrt(-log(q < 0 ? p : 1 - p));
    const double(*c)[8] = x <= 5 ? tail : far;
    x -= x <= 5 ? 1.6 : 5;
    return copysign(polynomial(c[0], x) / polynomial(c[1], x), q);
}

/* Rounds with halves down: one of the 3183 is a half to the last bit, which must not
 * depend on the C library's exp(). */
static int64_t size_of_quantile(const struct documents *d, int64_t k)
{
    double u = ((double)k + 0.5) / (double)d->n;
    double x = median * exp(spread * normal_quantile(u));
    return (int64_t)least + (int64_t)ceil(x - 0.5 - 1e-9);
}

int64_t documents_size(const struct documents *d, int64_t i)
{
    return d->size ? d->size : size_of_quantile(d, shuffle(i, d->n, d->sizes_key));
}

int64_t documents_most(const struct documents *d)
{
    return d->size ? d->size : size_of_quantile(d, d->n - 1);
}

int64_t documents_bytes(const struct documents *d)
{
    int64_t sum = 0;
    if (d->size)
        return __builtin_mul_overflow(d->size, d->n, &sum) ? -1 : sum;
    for (int64_t k = 0; k < d->n; k++)
        if (__builtin_add_overflow(sum, size_of_quantile(d, k), &sum))
            return -1;
    return sum;
}

/* ---- words ----------------------------------------------------------------------- */

/* Distributes 65536 draws to words by Zipf's law, at least one each; the frequent words
 * take up the rounding error. */
static void share_out(uint16_t word[DOCUMENTS_DRAWN])
{
    double harmonic = 0;
    int at = 0;
    for (int k = 1; k <= DOCUMENTS_WORDS; k++)
        harmonic += 1.0 / k;
    for (int k = 1; k <= DOCUMENTS_WORDS; k++) {
        int n = (int)(DOCUMENTS_DRAWN / harmonic / k);
        for (int i = 0; i < (n ? n : 1); i++)
            word[at++] = (uint16_t)(k - 1);
    }
    for (int k = 0; at < DOCUMENTS_DRAWN; k++)
        word[at++] = (uint16_t)(k % 64);
}

void documents_prepare(struct documents *d, int64_t n, int64_t size, uint64_t seed,
                       int version)
{
    *d = (struct documents){.n = n,
                            .size = size,
                            .sizes_key = rng_key(seed, RNG_DOCUMENTS),
                            .words_key = rng_key(seed, RNG_WORDS) + (uint64_t)version};
    share_out(d->word);
}

/* Local. Makes word k of DOCUMENTS_WORDS, all different, without terminator; returns
 * its bytes. Makes a word. Frequent words are short: 16 have one syllable, 256 two,
 * all others three. */
static int documents_word(char out[8], int k)
{
    static const char syllable[16][3] = {"ta", "ne", "ri", "so", "lu", "ma",
                                         "ke", "vi", "do", "pu", "ra", "se",
                                         "ni", "lo", "gu", "ba"};
    int syllables = k < 16 ? 1 : k < 272 ? 2 : 3;
    for (int i = 0; i < syllables; i++, k /= 16)
        memcpy(out + 2 * i, syllable[k % 16], 2);
    return 2 * syllables;
}

struct writer {
    const struct documents *d;
    uint64_t key; /* for the document's words */
    uint64_t drawn;
    int64_t words; /* words put so far */
    char *begin, *at, *end;
    documents_tell *tell; /* NULL: not asked for */
    void *context;
};

static uint64_t draw(struct writer *w)
{
    return rng_at(w->key, w->drawn++);
}

static void writer_put(struct writer *w, const char *text, int64_t n)
{
    n = n < w->end - w->at ? n : w->end - w->at;
    memcpy(w->at, text, (size_t)n);
    w->at += n;
}

static void documents_put_text(struct writer *w, const char *text)
{
    writer_put(w, text, (int64_t)strlen(text));
}

/* Puts a phrase, if one is due here. One that does not fit in full is not
 * reported. Words are drawn as if there were no phrases, so that documents without
 * any do not change. */
static void put_phrase(struct writer *w)
{
    uint64_t word = (uint64_t)w->words++;
    uint64_t key = rng_mix(w->key + RNG_STEP);
    if (rng_below(key, word, DOCUMENTS_PLANTED))
        return;
    int64_t which = (int64_t)rng_below(~key, word, (uint64_t)w->d->phrases);
    const char *text = w->d->phrase[which];
    int64_t at = w->at - w->begin, bytes = (int64_t)strlen(text);
    bool whole = bytes < w->end - w->at;
    writer_put(w, text, bytes);
    writer_put(w, " ", 1);
    if (whole && w->tell)
        w->tell(w->context, at, which);
}

/* Puts words in lines of twelve, each followed by a blank, up to the end of the
 * document or n words. */
static void put_words(struct writer *w, int64_t n)
{
    char text[8];
    for (int64_t i = 0; i < n && w->at < w->end;) {
        uint64_t x = draw(w);
        for (int k = 0; k < 4 && i < n; k++, i++, x >>= 16) {
            int bytes = documents_word(text, w->d->word[x & 0xffff]);
            text[bytes++] = i % 12 == 11 ? '\n' : ' ';
            writer_put(w, text, bytes);
            if (w->d->phrases)
                put_phrase(w);
        }
    }
}

/* Puts lines of a table: a word, and four numbers. */
static void put_rows(struct writer *w)
{
    char text[96], name[8];
    while (w->at < w->end) {
        uint64_t x = draw(w), y = draw(w);
        int bytes = documents_word(name, w->d->word[x & 0xffff]);
        snprintf(text, sizeof text, "%-8.*s %9u %9u %7u.%02u %9u\n", bytes, name,
                 (unsigned)(x >> 16 & 0xfffff), (unsigned)(x >> 40),
                 (unsigned)(y & 0xfffff), (unsigned)(y >> 20) % 100,
                 (unsigned)(y >> 40));
        documents_put_text(w, text);
    }
}

static void documents_put_head(struct writer *w, int64_t i)
{
    char text[128];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n<REUTERS NEWID=\"%lld\">\n"
             "<DATE>%02d-JAN-1987</DATE>\n<TEXT>\n<TITLE>",
             (long long)i + 1, (int)(i % 28) + 1);
    documents_put_text(w, text);
    put_words(w, 6);
    documents_put_text(w, "</TITLE>\n<DATELINE>");
    put_words(w, 2);
    documents_put_text(w, "</DATELINE>\n<BODY>");
}

void documents_make(const struct documents *d, int64_t i, void *to)
{
    documents_truth(d, i, to, NULL, NULL);
}

void documents_truth(const struct documents *d, int64_t i, void *to,
                     documents_tell *tell, void *context)
{
    static const char tail[] = "</BODY>\n</TEXT>\n</REUTERS>\n";
    int64_t bytes = documents_size(d, i), marks = (int64_t)sizeof tail - 1;
    struct writer w = {.d = d,
                       .key = rng_at(d->words_key, (uint64_t)i),
                       .begin = to,
                       .at = to,
                       .end = to,
                       .tell = tell,
                       .context = context};
    bool marked = bytes >= DOCUMENTS_MARKED;
    w.end += marked ? bytes - marks : bytes;
    if (marked)
        documents_put_head(&w, i);
    if (i % 20 == 19)
        put_rows(&w);
    else
        put_words(&w, INT64_MAX);
    w.end += marked ? marks : 0;
    if (marked)
        writer_put(&w, tail, marks);
}

/* ---- taggers --------------------------------------------------------------------- */

enum { LABELS = 9, PAIRS = LABELS * LABELS, HEAD = 2 };

static const char *const head[2] = {
    "crf1\nlabels O B-ORG I-ORG B-PER I-PER B-LOC I-LOC B-DATE I-DATE\n",
    "maxent1\nlabels O B-ORG I-ORG B-PER I-PER B-LOC I-LOC DATE PLACE\n"};

static const char *const label[2][LABELS] = {
    {"O", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-DATE", "I-DATE"},
    {"O", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-LOC", "I-LOC", "DATE", "PLACE"}};

/* Fills the rest of the line with a number in (-1, 1). */
static void put_weight(const struct tagger *t, int64_t row, char *line, int used)
{
    uint64_t x = rng_at(t->key, (uint64_t)row);
    if (x & 1)
        line[used++] = '-';
    line[used++] = '0';
    line[used++] = '.';
    for (x >>= 4; used < TAGGER_LINE - 1; x /= 10)
        line[used++] = (char)('0' + x % 10);
    line[used] = '\n';
}

/* Puts feature f. Words of documents come first, alone and beside the token; then words
 * of no document. */
static int put_feature(char *line, size_t room, int64_t f)
{
    static const char *const of[] = {"w=", "w-1=", "w+1="};
    char word[16] = {0};
    if (f >= 3 * DOCUMENTS_WORDS)
        return snprintf(line, room, "s w=x%07llx ", (long long)f);
    documents_word(word, (int)(f % DOCUMENTS_WORDS));
    return snprintf(line, room, "s %s%s ", of[f / DOCUMENTS_WORDS], word);
}

static void put_row(const struct tagger *t, int64_t row, char *to)
{
    const char *const *name = label[t->maxent];
    char line[2 * TAGGER_LINE];
    int64_t i = row - HEAD;
    int used;
    if (i < PAIRS) {
        used = snprintf(line, sizeof line, t->maxent ? "s label-1=%s %s " : "t %s %s ",
                        name[i / LABELS], name[i % LABELS]);
    } else {
        i -= PAIRS;
        used = put_feature(line, sizeof line, i / LABELS);
        used +=
            snprintf(line + used, sizeof line - (size_t)used, "%s ", name[i % LABELS]);
    }
    put_weight(t, row, line, used);
    memcpy(to, line, TAGGER_LINE);
}

void tagger_make(const struct tagger *t, int64_t first, int64_t n, void *to)
{
    char *at = to;
    for (int64_t row = first; row < first + n; row++, at += TAGGER_LINE)
        if (row < HEAD)
            memcpy(at, head[t->maxent] + row * TAGGER_LINE, TAGGER_LINE);
        else
            put_row(t, row, at);
}
