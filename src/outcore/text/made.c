#include "outcore/text/made.h"
#include "base/rng.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *section;
    int64_t grown; /* size of the output after it, in 1 / 100,000 of the input's size */
} module[MADE_MODULES] = {{"BODY", 86000},      {"KEYWORDS", 95000},
                          {"CRF", 115000},      {"MAXENT", 150000},
                          {"ENTITIES", 220000}, {"PROXIMITY", 420000},
                          {"TABLE", 489910},    {"DECISION", 501626}};

/* Text between the name and BODY; all sections must be there. */
static const char before_body[] = "\n%%TITLE 0\n\n%%AUTHOR 0\n\n%%DATELINE 0\n\n"
                                  "%%DATE 0\n\n%%TOPICS 0\n\n";

/* Length of "LEX1 NAME" and of before_body; 0 after module 0. */
static int64_t head_bytes(int m, const char *name)
{
    return m ? 0 : (int64_t)(5 + strlen(name) + sizeof before_body - 1);
}

static int digits(int64_t n)
{
    int d = 1;
    for (; n >= 10; n /= 10)
        d++;
    return d;
}

/* Length of "%%SECTION BYTES\n" before the contents, and of "\n" after them. */
static int64_t around(int m, int64_t n)
{
    return 5 + (int64_t)strlen(module[m].section) + digits(n);
}

/* Length of a section's contents if it is to take `bytes` with what is around it; at
 * least 0. */
static int64_t contents(int m, int64_t bytes)
{
    int64_t n = bytes - around(m, 0);
    if (n <= 0)
        return 0;
    n -= digits(n) - 1;
    return n > 0 ? n : 0;
}

static int64_t grown(int m, int64_t in_bytes)
{
    return (int64_t)((__int128)in_bytes * module[m].grown / 100000);
}

/* Returns the length of the contents of section m; *all becomes the size of the output
 * after it. */
static int64_t section_bytes(int m, const char *name, int64_t in_bytes, int64_t *all)
{
    int64_t n = 0;
    *all = 0;
    for (int k = 0; k <= m; k++) {
        *all += head_bytes(k, name);
        n = contents(k, grown(k, in_bytes) - *all);
        *all += around(k, n) + n;
    }
    return n;
}

int64_t made_bytes(int m, const char *name, int64_t in_bytes)
{
    int64_t all = 0;
    if (m >= 0)
        section_bytes(m, name, in_bytes, &all);
    return all;
}

static uint64_t made_key_of(const char *name, int m)
{
    uint64_t x = 0;
    while (*name)
        x = rng_mix(x + RNG_STEP + (unsigned char)*name++);
    return rng_key(x, (uint64_t)m);
}

/* Fills `to`: eight characters from each random number. */
static void put_contents(char *to, int64_t n, uint64_t key)
{
    static const char letter[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < n; i += 8) {
        uint64_t x = rng_at(key, (uint64_t)(i / 8));
        for (int64_t k = i; k < i + 8 && k < n; k++, x >>= 8)
            to[k] = letter[x & 63];
    }
}

int64_t made_section(int m, const char *name, int64_t in_bytes, char *to)
{
    int64_t all, n = section_bytes(m, name, in_bytes, &all);
    char *at = to;
    if (!m) {
        size_t length = strlen(name);
        memcpy(at, "LEX1 ", 5);
        memcpy(at + 5, name, length);
        memcpy(at + 5 + length, before_body, sizeof before_body - 1);
        at += head_bytes(m, name);
    }
    char head[64];
    int bytes =
        snprintf(head, sizeof head, "%%%%%s %lld\n", module[m].section, (long long)n);
    memcpy(at, head, (size_t)bytes);
    put_contents(at + bytes, n, made_key_of(name, m));
    at[bytes + n] = '\n';
    return at + bytes + n + 1 - to;
}

/* ---- the walk -------------------------------------------------------------------- */

struct walker {
    const char *data;
    int64_t at, bytes;
    struct walk found;
};

static void stop(struct walker *w, const char *wrong)
{
    w->found.at = w->at;
    w->found.wrong = wrong;
}

static bool made_take(struct walker *w, const char *text, int64_t n)
{
    if (w->bytes - w->at < n || memcmp(w->data + w->at, text, (size_t)n) != 0)
        return false;
    w->at += n;
    return true;
}

/* Reads a name in capitals; fails if it is longer than the buffer. */
static bool take_name(struct walker *w)
{
    int n = 0;
    while (w->at < w->bytes && n < (int)sizeof w->found.section - 1) {
        char c = w->data[w->at];
        if (c < 'A' || c > 'Z')
            break;
        w->found.section[n++] = c;
        w->at++;
    }
    w->found.section[n] = 0;
    return n > 0 && made_take(w, " ", 1);
}

static bool made_take_number(struct walker *w, int64_t *n)
{
    int64_t from = w->at;
    for (*n = 0; w->at < w->bytes && w->at - from < 18; w->at++) {
        char c = w->data[w->at];
        if (c < '0' || c > '9')
            break;
        *n = *n * 10 + (c - '0');
    }
    return w->at > from && made_take(w, "\n", 1);
}

static void walk_section(struct walker *w)
{
    int64_t begin = w->at, n;
    if (!made_take(w, "%%", 2) || !take_name(w) || !made_take_number(w, &n)) {
        w->at = begin;
        stop(w, "no section begins where one should: the file is torn, or the section "
                "before it lies about its length");
        return;
    }
    if (n >= w->bytes - w->at) {
        w->at = begin;
        stop(w, "it is longer than the rest of the file: the file is torn, or the "
                "section lies about its length");
        return;
    }
    w->at += n;
    if (made_take(w, "\n", 1))
        w->found.sections++;
    else
        stop(w, "no line ends where it does: it lies about its length");
}

struct walk walk_sections(const char *label, const char *data, int64_t bytes)
{
    struct walker w = {.data = data, .bytes = bytes};
    if (!made_take(&w, "LEX1 ", 5) || !made_take(&w, label, (int64_t)strlen(label)) ||
        !made_take(&w, "\n", 1)) {
        w.at = 0;
        stop(&w, "the file does not begin with \"LEX1\" and its name: it is torn, or "
                 "no output of outcore text");
    }
    while (w.at < w.bytes && !w.found.wrong)
        walk_section(&w);
    if (!w.found.wrong && !w.found.sections)
        stop(&w, "there is no section: the file is torn");
    return w.found;
}
