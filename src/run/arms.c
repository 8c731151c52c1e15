/* The arms of a comparison: every combination of the values of its factors. */
#include "base/err.h"
#include "base/mem.h"
#include "run/compare.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_PRESET 0.05
#define BUDGET_PRESET_S 300

/* ---- the options' texts ---------------------------------------------------------- */

/* Ends the text at the first `mark`, and returns what follows; NULL: there is none. */
static char *cut_at(char *text, char mark)
{
    char *at = text ? strchr(text, mark) : NULL;
    if (at)
        *at++ = 0;
    return at;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = 0;
    return text;
}

/* Checks a setting by making it. Its effect is undone by the caller. */
static int check_setting(const struct run *r, const struct arms_setting *s)
{
    const struct opt *o = opt_find(r->program, s->option);
    if (o && o->fixed)
        return err_usage("--compare: --%s is the same in all arms of a run: compare "
                         "runs of their own (leadline sweep)",
                         s->option);
    return opt_set(r->program, s->option, s->value);
}

static int add_setting(const struct run *r, struct arms_value *v, const char *option,
                       const char *value)
{
    if (v->settings == ARMS_FACTORS)
        return err_usage("--compare-arms: \"%s\" has more than %d settings", v->name,
                         ARMS_FACTORS);
    v->setting[v->settings] = (struct arms_setting){option, value};
    return check_setting(r, &v->setting[v->settings++]);
}

static struct arms_value *add_value(struct arms_factor *f, const char *name)
{
    if (f->values == ARMS_MAX) {
        err_usage("--compare: more than %d values of one option", ARMS_MAX);
        return NULL;
    }
    f->value[f->values] = (struct arms_value){.name = name};
    return &f->value[f->values++];
}

static struct arms_factor *add_factor(struct arms *a, const char *option)
{
    if (a->factors == ARMS_FACTORS) {
        err_usage("--compare: more than %d options", ARMS_FACTORS);
        return NULL;
    }
    for (int i = 0; i < a->factors; i++)
        if (!strcmp(a->factor[i].option, option)) {
            err_usage("--compare: --%s is given twice: name all its values in one list",
                      option);
            return NULL;
        }
    a->factor[a->factors].option = option;
    return &a->factor[a->factors++];
}

/* Parses "OPTION=VALUE,VALUE". */
static int parse_factor(struct run *r, struct arms *a, char *text)
{
    char *option = text, *values = cut_at(text, '=');
    while (*option == '-') /* "--filetype=..." is understood, too */
        option++;
    if (!values || !*values || !*option)
        return err_usage("--compare: \"%s\" is not OPTION=VALUE,VALUE", option);
    struct arms_factor *f = add_factor(a, option);
    int rc = f ? 0 : -EINVAL;
    for (char *next; values && !rc; values = next) {
        next = cut_at(values, ',');
        struct arms_value *v = add_value(f, values);
        rc = v ? add_setting(r, v, option, values) : -EINVAL;
    }
    return rc;
}

/* Parses the settings of a named arm: "iomethod=mpi collective". */
static int parse_settings(struct run *r, struct arms_value *v, char *text)
{
    int rc = 0;
    for (char *next; text && !rc; text = next) {
        next = cut_at(text, ' ');
        char *value = cut_at(text, '=');
        if (*text)
            rc = add_setting(r, v, text, value ? value : "yes");
    }
    return rc;
}

/* Parses "NAME: SETTING SETTING; NAME: SETTING". */
static int parse_named(struct run *r, struct arms *a, char *text)
{
    struct arms_factor *f = text ? add_factor(a, "arms") : NULL;
    int rc = 0;
    for (char *next; text && !rc; text = next) {
        next = cut_at(text, ';');
        char *settings = cut_at(text, ':');
        if (!settings)
            return err_usage("--compare-arms: \"%s\" is not NAME: SETTING",
                             trimmed(text));
        struct arms_value *v = add_value(f, trimmed(text));
        rc = v ? parse_settings(r, v, trimmed(settings)) : -EINVAL;
    }
    return rc;
}

/* Copies all texts into one piece of memory, which parsing cuts up. */
static int parse_texts(struct run *r, struct arms *a)
{
    const struct run_options *o = r->options;
    size_t bytes = o->compare_arms ? strlen(o->compare_arms) + 1 : 0, at = 0;
    for (int i = 0; i < o->compare.n; i++)
        bytes += strlen(o->compare.item[i]) + 1;
    a->text = mem_new((int64_t)bytes, 1, "the arms");
    int rc = a->text ? 0 : -ENOMEM;
    for (int i = 0; i < o->compare.n && !rc; i++) {
        size_t n = strlen(o->compare.item[i]) + 1;
        char *text = memcpy(a->text + at, o->compare.item[i], n);
        at += n;
        rc = parse_factor(r, a, text);
    }
    if (rc || !o->compare_arms)
        return rc;
    return parse_named(r, a, strcpy(a->text + at, o->compare_arms));
}

/* ---- the arms -------------------------------------------------------------------- */

/* A choice and a text speak for themselves; a number is named with its option. */
static void add_name(const struct run *r, struct arm *arm, const struct arms_factor *f,
                     const char *value)
{
    const struct opt *o = opt_find(r->program, f->option);
    bool speaks = !o || o->kind == OPT_CHOICE || o->kind == OPT_TEXT;
    size_t n = strlen(arm->name);
    snprintf(arm->name + n, sizeof arm->name - n, "%s%s%s%s", n ? " " : "",
             speaks ? "" : f->option, speaks ? "" : "=", value);
}

static int make_arms(const struct run *r, struct arms *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->factors; i++)
        n *= a->factor[i].values;
    if (n < 2 || n > ARMS_MAX)
        return err_usage("--compare: %lld arm%s, and 2 to %d can be compared",
                         (long long)n, n == 1 ? "" : "s", ARMS_MAX);
    a->n = (int)n;
    for (int k = 0; k < a->n; k++) {
        int left = k, each = a->n;
        for (int i = 0; i < a->factors; i++) {
            each /= a->factor[i].values;
            a->arm[k].value[i] = left / each;
            left %= each;
            add_name(r, &a->arm[k], &a->factor[i],
                     a->factor[i].value[a->arm[k].value[i]].name);
        }
    }
    for (int k = 1; k < a->n; k++)
        for (int j = 0; j < k; j++)
            if (!strcmp(a->arm[k].name, a->arm[j].name))
                snprintf(a->arm[k].name + strlen(a->arm[k].name),
                         sizeof a->arm[k].name - strlen(a->arm[k].name), " (%d)",
                         k + 1);
    return 0;
}

/* Parses the share of --until: "5%" or "0.05". */
static int parse_width(const char *text, double *width)
{
    char *end = NULL;
    *width = text ? strtod(text, &end) : 0;
    if (end && *end == '%' && !end[1]) {
        *width /= 100;
        end++;
    }
    if (text && (end == text || *end || !(*width > 0 && *width < 1)))
        return err_usage("--until: \"%s\" is not a width such as 5%%", text);
    return 0;
}

/* Parses the time of --budget: "45", "45s", "30m" or "8h". */
static int parse_budget(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } row[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    char *end = NULL;
    double n = text ? strtod(text, &end) : 0;
    *seconds = 0;
    for (size_t i = 0; text && i < sizeof row / sizeof *row; i++)
        if (end > text && !strcmp(end, row[i].unit))
            *seconds = n * row[i].seconds;
    if (text && !(*seconds > 0 && *seconds <= 1e7))
        return err_usage("--budget: \"%s\" is not a time such as 45s, 30m or 8h", text);
    return 0;
}

static int refuse_alone(const struct run *r)
{
    static const char *const names[] = {"until", "budget", "rounds"};
    bool compares = opt_find(r->program, "compare"); /* else --rounds is its own */
    for (int i = 0; i < 3 && compares; i++) {
        const struct opt *o = opt_find(r->program, names[i]);
        if (o && o->from == OPT_COMMAND_LINE)
            return err_usage("--%s is for --compare", names[i]);
    }
    return 0;
}

static int refuse_beside(const struct run *r)
{
    const struct run_options *o = r->options;
    if (o->repeat > 1)
        return err_usage("--repeat: --compare repeats in rounds: take --rounds");
    if (o->live_s > 0)
        return err_usage("--live: not with --compare, whose rounds are short");
    if (o->keep && opt_find(r->program, "keep")->from != OPT_DEFAULT)
        return err_usage("--keep: --compare makes new files in every round");
    return 0;
}

int arms_open(struct run *r)
{
    const struct run_options *o = r->options;
    if (!o->compare.n && !o->compare_arms)
        return refuse_alone(r);
    int rc = refuse_beside(r);
    if (rc)
        return rc;
    struct arms *a = r->arms = mem_new(1, sizeof *a, "the arms");
    rc = a ? opt_save(r->program, &a->given) : -ENOMEM;
    if (!rc)
        rc = parse_texts(r, a);
    if (!rc)
        rc = make_arms(r, a);
    if (!rc)
        rc = parse_width(o->until, &a->width);
    if (!rc)
        rc = parse_budget(o->budget, &a->budget_s);
    if (!rc && !o->until && !o->rounds && !o->budget) {
        a->width = WIDTH_PRESET;
        a->budget_s = BUDGET_PRESET_S;
    }
    return rc ? rc : arms_apply(r, 0);
}

void arms_close(struct run *r)
{
    if (!r->arms)
        return;
    free(r->arms->given);
    free(r->arms->text);
    free(r->arms);
    r->arms = NULL;
}

int arms_apply(struct run *r, int k)
{
    const struct arms *a = r->arms;
    int rc = 0;
    opt_restore(r->program, a->given);
    for (int i = 0; i < a->factors; i++) {
        const struct arms_value *v = &a->factor[i].value[a->arm[k].value[i]];
        for (int s = 0; s < v->settings && !rc; s++)
            rc = opt_set(r->program, v->setting[s].option, v->setting[s].value);
    }
    return rc;
}
