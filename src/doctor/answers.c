/* Answers of probes: how they are made, printed and written as JSON. */
#include "base/plain.h"
#include "doctor/inside.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void find(struct doctor_finding *f, const char *answer, const char *means,
          const char *fmt, ...)
{
    va_list args;
    snprintf(f->answer, sizeof f->answer, "%s", answer);
    f->means = means;
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
}

void find_unknown(struct doctor_finding *f, const char *what, int error)
{
    find(f, "not known", "", "%s: %s", what, strerror(error));
}

void find_value(struct doctor_finding *f, const char *name, double value)
{
    if (f->values < DOCTOR_VALUES)
        f->value[f->values++] = (struct doctor_value){name, value};
}

/* ---- text ------------------------------------------------------------------------ */

enum { TITLE = 29, WIDTH = 88 };

/* Prints words from column TITLE on, in lines of WIDTH at most; `first` is in front of
 * them. */
static void print_words(FILE *out, const char *first, const char *words)
{
    char text[512];
    int at = fprintf(out, "%-*s", TITLE, first);
    plain(text, sizeof text, words);
    for (const char *w = text; *w; w += *w == ' ') {
        int n = (int)strcspn(w, " ");
        if (at + 1 + n > WIDTH && at > TITLE)
            at = fprintf(out, "\n%*s", TITLE, "") - 1;
        at += fprintf(out, "%s%.*s", at > TITLE ? " " : "", n, w);
        w += n;
    }
    fputc('\n', out);
}

static bool is_tried(const struct doctor_finding *f)
{
    return strcmp(f->answer, "not tried") != 0;
}

/* Prints what was not tried, in one row: the reason is the same. */
static void print_not_tried(const struct doctor *d, FILE *out)
{
    char words[512] = "";
    size_t n = 0;
    for (int i = 0; i < d->n && n < sizeof words; i++)
        if (!is_tried(&d->finding[i]))
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? "; " : "",
                                  d->finding[i].title);
    if (!n)
        return;
    print_words(out, "between nodes", "one node: not tried");
    print_words(out, "", words);
    print_words(out, "", "=> start it on two nodes to try them (mpirun, srun)");
}

void doctor_print(const struct doctor *d, FILE *out)
{
    char words[512];
    for (int i = 0; i < d->n; i++) {
        const struct doctor_finding *f = &d->finding[i];
        if (!is_tried(f))
            continue;
        snprintf(words, sizeof words, "%s%s%s", f->answer, f->text[0] ? ": " : "",
                 f->text);
        print_words(out, f->title, words);
        snprintf(words, sizeof words, "=> %s", f->means);
        if (f->means[0])
            print_words(out, "", words);
    }
    print_not_tried(d, out);
}

/* ---- JSON ------------------------------------------------------------------------ */

static void doctor_put_finding(const struct doctor_finding *f, struct json *j)
{
    json_object(j, f->probe);
    json_text(j, "title", f->title);
    json_text(j, "answer", f->answer);
    json_text(j, "text", f->text);
    json_text(j, "means", f->means);
    json_object_flat(j, "values");
    for (int i = 0; i < f->values; i++)
        json_real(j, f->value[i].name, f->value[i].value);
    json_end_object(j);
    json_end_object(j);
}

void doctor_put(const struct doctor *d, struct json *j, const char *key)
{
    json_object(j, key);
    for (int i = 0; i < d->n; i++)
        doctor_put_finding(&d->finding[i], j);
    json_end_object(j);
}
