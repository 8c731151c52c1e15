/* Descriptors and plans as text. */
#include "algebra/descriptor.h"
#include "base/err.h"
#include "base/mem.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

/* ---- printing -------------------------------------------------------------- */

struct put {
    char *out;
    int64_t room, length; /* length of the whole text, even if it does not fit */
};

static void text_put(struct put *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void text_put(struct put *p, const char *fmt, ...)
{
    va_list list;
    bool fits = p->length < p->room;
    va_start(list, fmt);
    p->length += vsnprintf(fits ? p->out + p->length : NULL,
                           fits ? (size_t)(p->room - p->length) : 0, fmt, list);
    va_end(list);
}

static void text_put_descriptor(struct put *p, const struct ldad *d)
{
    text_put(p, "start=%" PRId64 " [", d->start);
    for (int i = 0; i < d->levels; i++)
        text_put(p, "%sspan=%" PRId64 " stride=%" PRId64 " ", i ? "[" : "",
                 d->level[i].span, d->level[i].stride);
    text_put(p, "size=%" PRId64 "]", d->size);
    for (int i = 1; i < d->levels; i++)
        text_put(p, "]");
}

int ldad_print(char *out, int64_t room, const struct ldad *d)
{
    struct put p = {out, room, 0};
    text_put_descriptor(&p, d);
    return (int)p.length;
}

static void put_digits(struct put *p, const struct ldad_plan *plan)
{
    text_put(p, plan->digits ? "ranks=" : "ranks=1");
    for (int i = 0; i < plan->digits; i++)
        text_put(p, "%s%" PRId64, i ? "x" : "", plan->digit[i].count);
    for (int i = 0; i < plan->digits; i++)
        text_put(p, "%s%" PRId64, i ? "," : " step=", plan->digit[i].step);
}

static void put_starts(struct put *p, const struct ldad_plan *plan)
{
    text_put(p, "ranks=%" PRId64, plan->ranks);
    for (int64_t r = 0; r < plan->ranks; r++)
        text_put(p, "%s%" PRId64, r ? "," : " starts=", plan->starts[r]);
}

int64_t ldad_plan_print(char *out, int64_t room, const struct ldad_plan *plan)
{
    struct put p = {out, room, 0};
    if (plan->starts)
        put_starts(&p, plan);
    else
        put_digits(&p, plan);
    if (plan->end != INT64_MAX)
        text_put(&p, " end=%" PRId64, plan->end);
    text_put(&p, " ");
    text_put_descriptor(&p, &plan->each);
    return p.length;
}

/* ---- parsing --------------------------------------------------------------- */

struct scan {
    const char *text, *at;
};

static int refuse_text(const struct scan *s, const char *expected)
{
    return err_usage("\"%.200s\" is no access pattern: %s is expected at character "
                     "%lld",
                     s->text, expected, (long long)(s->at - s->text) + 1);
}

static bool text_take(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    const char *at = s->at + strspn(s->at, BLANKS);
    if (strncmp(at, word, n))
        return false;
    s->at = at + n;
    return true;
}

static int take_number(struct scan *s, int64_t *value)
{
    char *end;
    const char *digits = s->at + (*s->at == '-');
    if (*digits < '0' || *digits > '9')
        return refuse_text(s, "a number");
    errno = 0;
    long long v = strtoll(s->at, &end, 10);
    if (errno == ERANGE) {
        err_usage("\"%.200s\": the number at character %lld exceeds 63 bits", s->text,
                  (long long)(s->at - s->text) + 1);
        return -EOVERFLOW;
    }
    s->at = end;
    *value = v;
    return 0;
}

static int take_field(struct scan *s, const char *name, int64_t *value)
{
    return text_take(s, name) ? take_number(s, value) : refuse_text(s, name);
}

static int take_level(struct scan *s, struct ldad *d)
{
    if (d->levels == LDAD_LEVELS)
        return refuse_text(s, "no further level");
    struct ldad_level *l = &d->level[d->levels++];
    int rc = take_number(s, &l->span);
    return rc ? rc : take_field(s, "stride=", &l->stride);
}

static int take_descriptor(struct scan *s, struct ldad *d)
{
    *d = (struct ldad){0};
    int rc = take_field(s, "start=", &d->start), open = 1;
    if (!rc && !text_take(s, "["))
        rc = refuse_text(s, "[");
    while (!rc && text_take(s, "span=")) {
        rc = take_level(s, d);
        if (rc || !text_take(s, "["))
            break;
        open++;
    }
    rc = rc ? rc : take_field(s, "size=", &d->size);
    for (; open && !rc; open--)
        rc = text_take(s, "]") ? 0 : refuse_text(s, "]");
    if (!rc && s->at[strspn(s->at, BLANKS)])
        rc = refuse_text(s, "the end");
    return rc;
}

int ldad_parse(const char *text, struct ldad *d)
{
    struct scan s = {text, text};
    int rc = take_descriptor(&s, d);
    return rc ? rc : ldad_check(d);
}

static int take_comma(struct scan *s)
{
    if (*s->at != ',')
        return refuse_text(s, "a comma and another number");
    s->at++;
    return 0;
}

/* Reads digits such as 2x3. */
static int take_digits(struct scan *s, struct ldad_plan *p)
{
    int rc = 0;
    p->ranks = 1;
    do {
        struct ldad_digit *d = &p->digit[p->digits++];
        rc = take_number(s, &d->count);
        if (!rc && __builtin_mul_overflow(p->ranks, d->count, &p->ranks))
            p->ranks = 0; /* ldad_plan_check refuses it */
    } while (!rc && p->digits < LDAD_DIGITS && *s->at == 'x' && s->at++);
    return rc;
}

static int take_steps(struct scan *s, struct ldad_plan *p)
{
    int rc = 0;
    if (!text_take(s, "step=")) {
        p->digits = 0;
        return p->ranks == 1 ? 0 : refuse_text(s, "step= or starts=");
    }
    for (int i = 0; i < p->digits && !rc; i++) {
        rc = i ? take_comma(s) : 0;
        rc = rc ? rc : take_number(s, &p->digit[i].step);
    }
    return rc;
}

/* Counts the starts that are there before it allocates as many as are claimed. */
static int take_starts(struct scan *s, struct ldad_plan *p)
{
    int64_t commas = 0;
    for (const char *at = s->at; *at && !strchr(BLANKS, *at); at++)
        commas += *at == ',';
    if (p->digits != 1 || commas != p->ranks - 1)
        return refuse_text(s, "a start for each rank, with commas between them");
    int64_t *starts = mem_new(p->ranks, sizeof *starts, "the starts of ranks");
    if (!starts)
        return -ENOMEM;
    p->starts = starts;
    p->digits = 0;
    int rc = take_number(s, &starts[0]);
    for (int64_t r = 1; r < p->ranks && !rc; r++) {
        rc = take_comma(s);
        rc = rc ? rc : take_number(s, &starts[r]);
    }
    return rc;
}

static int take_plan(struct scan *s, struct ldad_plan *p)
{
    int rc = text_take(s, "ranks=") ? take_digits(s, p) : refuse_text(s, "ranks=");
    if (!rc)
        rc = text_take(s, "starts=") ? take_starts(s, p) : take_steps(s, p);
    if (!rc && text_take(s, "end="))
        rc = take_number(s, &p->end);
    return rc ? rc : take_descriptor(s, &p->each);
}

int ldad_plan_parse(const char *text, struct ldad_plan *p)
{
    struct scan s = {text, text};
    *p = (struct ldad_plan){.end = INT64_MAX};
    int rc = take_plan(&s, p);
    rc = rc ? rc : ldad_plan_check(p);
    if (rc)
        ldad_plan_free(p);
    return rc;
}

void ldad_plan_free(struct ldad_plan *p)
{
    free((void *)p->starts);
    p->starts = NULL;
}
