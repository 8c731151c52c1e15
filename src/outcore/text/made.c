#include "outcore/text/made.h"
#include "base/rng.h"
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

static uint64_t key_of(const char *name, int m)
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
    put_contents(at + bytes, n, key_of(name, m));
    at[bytes + n] = '\n';
    return at + bytes + n + 1 - to;
}
