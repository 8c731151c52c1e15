#include "base/err.h"
#include "base/mem.h"
#include "outcore/ngram/classifier.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };
static const char MAGIC[] = "leadline-ngrams ";

int languages_find(const struct languages *m, const char *name, size_t bytes)
{
    for (int i = 0; i < m->languages; i++)
        if (strlen(m->name[i]) == bytes && !memcmp(m->name[i], name, bytes))
            return i;
    return -1;
}

static bool languages_is_name(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isgraph((unsigned char)name[i]) || strchr("/=,", name[i]))
            return false;
    return n > 0 && n < LANGUAGES_NAME;
}

int languages_begin(struct languages *m, const char *name)
{
    if (!languages_is_name(name))
        return err_set(-EINVAL, NULL, -1,
                       "\"%s\" cannot be the name of a language: that is up to %d "
                       "letters, digits and marks, none of them / , or =",
                       name, LANGUAGES_NAME - 1);
    if (languages_find(m, name, strlen(name)) >= 0)
        return err_set(-EINVAL, NULL, -1,
                       "language %s begins a second time: its grams must stand in a "
                       "row",
                       name);
    if (m->languages == LANGUAGES_MOST)
        return err_set(-EINVAL, NULL, -1,
                       "there are more than %d languages: leave some out",
                       LANGUAGES_MOST);
    snprintf(m->name[m->languages], LANGUAGES_NAME, "%s", name);
    m->first[m->languages + 1] = m->first[m->languages];
    return m->languages++;
}

int languages_add(struct languages *m, uint32_t gram, int64_t count)
{
    int64_t *end = &m->first[m->languages];
    if (*end == m->room) {
        int64_t room = 2 * m->room + 8192;
        struct profile_gram *is = mem_grow(m->gram, room, sizeof *is, "grams");
        if (!is)
            return -ENOMEM;
        m->gram = is;
        m->room = room;
    }
    m->gram[(*end)++] = (struct profile_gram){gram, count};
    return 0;
}

/* ---- parsing --------------------------------------------------------------------- */

struct parsing {
    struct languages *m;
    const char *path;
    int64_t line;
    char text[LANGUAGES_LINE]; /* a copy of the line */
};

static int languages_wrong(const struct parsing *p, const char *what)
{
    return err_set(-EINVAL, p->path, -1, "line %lld, \"%.40s\", %s", (long long)p->line,
                   p->text, what);
}

/* Adds file and line to a sentence without them. */
static int wrong_here(const struct parsing *p, int rc)
{
    struct err e = err_copy();
    if (rc != -EINVAL || e.file[0])
        return rc;
    err_clear();
    return err_set(rc, p->path, -1, "line %lld: %s", (long long)p->line, e.text);
}

static int parse_head(struct parsing *p)
{
    long version;
    char end;
    if (strncmp(p->text, MAGIC, strlen(MAGIC)) != 0)
        return languages_wrong(
            p, "is not how a model of n-grams begins (leadline-ngrams 1): "
               "outcore ngram train makes one");
    if (sscanf(p->text + strlen(MAGIC), "%9ld%c", &version, &end) != 1)
        return languages_wrong(p, "has no version");
    if (version != FORMAT)
        return languages_wrong(
            p,
            "is of a version that this program does not know: train the model again");
    return 0;
}

static int parse_n(struct parsing *p)
{
    char end;
    if (sscanf(p->text, "n %3d%c", &p->m->n, &end) != 1 || p->m->n < GRAMS_N_LEAST ||
        p->m->n > GRAMS_N_MOST)
        return languages_wrong(p, "should be \"n N\", with N from 2 to 5");
    return 0;
}

/* Returns the next word of the line, terminated; NULL: there is none. */
static char *word(char **rest)
{
    char *from = *rest, *end = strchr(from, ' ');
    *rest = end ? end + 1 : from + strlen(from);
    if (end)
        *end = 0;
    return *from ? from : NULL;
}

static int64_t parse_count(const char *text)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno ? n : 0;
}

static int parse_gram(struct parsing *p)
{
    struct languages *m = p->m;
    char copy[LANGUAGES_LINE], *rest = copy;
    memcpy(copy, p->text, sizeof copy);
    const char *name = word(&rest), *gram = word(&rest), *count = word(&rest);
    if (!name || !gram || !count || *rest)
        return languages_wrong(p, "should be a language, a gram and a count");
    int64_t is = grams_parse(m->n, gram), n = parse_count(count);
    if (is < 0)
        return languages_wrong(p, "has another gram than n of a to z and _");
    if (n < 1)
        return languages_wrong(p, "has a count that is no number from 1 on");
    if (!m->languages || strcmp(m->name[m->languages - 1], name) != 0) {
        int rc = languages_begin(m, name);
        if (rc < 0)
            return wrong_here(p, rc);
    }
    return languages_add(m, (uint32_t)is, n);
}

static int parse_line(struct parsing *p)
{
    return p->line == 1 ? parse_head(p) : p->line == 2 ? parse_n(p) : parse_gram(p);
}

static int parse_lines(struct parsing *p, const char *text, int64_t bytes)
{
    int rc = 0;
    for (const char *end = text + bytes, *next; text < end && !rc; text = next + 1) {
        next = memchr(text, '\n', (size_t)(end - text));
        next = next ? next : end;
        p->line++;
        size_t n = (size_t)(next - text);
        bool fits = n < sizeof p->text && !memchr(text, 0, n);
        snprintf(p->text, sizeof p->text, "%.*s", (int)(fits ? n : 40), text);
        rc = fits ? parse_line(p)
                  : languages_wrong(p, "is too long, or has a zero byte");
    }
    return rc;
}

/* ---- after parsing --------------------------------------------------------------- */

static int by_gram(const void *a, const void *b)
{
    const struct profile_gram *x = a, *y = b;
    return x->gram < y->gram ? -1 : x->gram > y->gram;
}

/* Checks that no gram is there twice; then sorts by frequency. */
static int languages_settle(struct languages *m, const char *path)
{
    char name[GRAMS_N_MOST + 1];
    for (int i = 0; i < m->languages; i++) {
        struct profile_gram *is = m->gram + m->first[i];
        int64_t n = m->first[i + 1] - m->first[i];
        qsort(is, (size_t)n, sizeof *is, by_gram);
        for (int64_t k = 1; k < n; k++)
            if (is[k].gram == is[k - 1].gram) {
                grams_name(m->n, is[k].gram, name);
                return err_set(-EINVAL, path, -1, "language %s has the gram %s twice",
                               m->name[i], name);
            }
        profile_sort(is, n);
    }
    return 0;
}

int languages_parse(struct languages *m, const char *path, const char *text,
                    int64_t bytes)
{
    struct parsing p = {.m = m, .path = path};
    *m = (struct languages){.n = 0};
    int rc = parse_lines(&p, text, bytes);
    if (!rc && p.line < 2)
        return err_set(-EINVAL, path, -1,
                       "the file ends before the second line of a model of n-grams: "
                       "outcore ngram train makes one");
    if (!rc && !m->languages)
        return err_set(-EINVAL, path, -1, "the model has no gram of any language");
    return rc ? rc : languages_settle(m, path);
}

/* ---- writing --------------------------------------------------------------------- */

int languages_line(const struct languages *m, int64_t i, char *to)
{
    char name[GRAMS_N_MOST + 1];
    int l = 0;
    if (i == 0)
        return snprintf(to, LANGUAGES_LINE, "%s%d\n", MAGIC, FORMAT);
    if (i == 1)
        return snprintf(to, LANGUAGES_LINE, "n %d\n", m->n);
    i -= 2;
    while (i >= m->first[l + 1])
        l++;
    grams_name(m->n, m->gram[i].gram, name);
    return snprintf(to, LANGUAGES_LINE, "%s %s %lld\n", m->name[l], name,
                    (long long)m->gram[i].count);
}

void languages_free(struct languages *m)
{
    free(m->gram);
    *m = (struct languages){.n = 0};
}
