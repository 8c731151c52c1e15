#include "outcore/text/walk.h"
#include <stdbool.h>
#include <string.h>

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

static bool take(struct walker *w, const char *text, int64_t n)
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
    return n > 0 && take(w, " ", 1);
}

static bool take_number(struct walker *w, int64_t *n)
{
    int64_t from = w->at;
    for (*n = 0; w->at < w->bytes && w->at - from < 18; w->at++) {
        char c = w->data[w->at];
        if (c < '0' || c > '9')
            break;
        *n = *n * 10 + (c - '0');
    }
    return w->at > from && take(w, "\n", 1);
}

static void walk_section(struct walker *w)
{
    int64_t begin = w->at, n;
    if (!take(w, "%%", 2) || !take_name(w) || !take_number(w, &n)) {
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
    if (take(w, "\n", 1))
        w->found.sections++;
    else
        stop(w, "no line ends where it does: it lies about its length");
}

struct walk walk_sections(const char *label, const char *data, int64_t bytes)
{
    struct walker w = {.data = data, .bytes = bytes};
    if (!take(&w, "LEX1 ", 5) || !take(&w, label, (int64_t)strlen(label)) ||
        !take(&w, "\n", 1)) {
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
