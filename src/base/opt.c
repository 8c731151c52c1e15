#include "base/opt.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/program.h"
#include "base/units.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool opt_positional(const struct opt *o)
{
    return o->name && o->kind != OPT_NOTE && isupper((unsigned char)o->name[0]);
}

/* The option's name in messages: "--dir", "NPIX", or the variable that it came from. */
static const char *called(const struct opt *o, enum opt_from from, char out[96])
{
    if (from == OPT_ENVIRONMENT)
        snprintf(out, 96, "environment variable %s", o->env);
    else
        snprintf(out, 96, "%s%s", opt_positional(o) ? "" : "--", o->name);
    return out;
}

static int refuse_range(const struct opt *o, const char *who, const char *text)
{
    char lo[32], hi[32];
    snprintf(lo, sizeof lo, "%.15g", o->min);
    snprintf(hi, sizeof hi, "%.15g", o->max);
    bool unlimited = !(o->min < o->max);
    if (unlimited || o->max >= 9.2e18)
        return err_usage("%s: %s is out of range, it must be %s or more (and below "
                         "2^63)",
                         who, text, lo);
    return err_usage("%s: %s is out of range, it must be from %s to %s", who, text, lo,
                     hi);
}

static bool in_range(const struct opt *o, double v)
{
    if (o->min == 0 && o->max == 0)
        return o->kind == OPT_REAL || v >= 0;
    return v >= o->min && v <= o->max;
}

static int set_number(const struct opt *o, const char *who, const char *text)
{
    int64_t v;
    bool bytes = o->kind == OPT_BYTES;
    if (o->word && !strcmp(text, o->word)) {
        *(int64_t *)o->value = -1;
        return 0;
    }
    int rc = bytes ? units_parse_bytes(text, &v) : units_parse_int(text, &v);
    if (rc == -EINVAL)
        return err_usage("%s: \"%s\" is not a %s%s%s", who, text,
                         bytes ? "size (4096, 64k, 1M, 1MB ...)" : "whole number",
                         o->word ? ", nor " : "", o->word ? o->word : "");
    if (rc || !in_range(o, (double)v))
        return refuse_range(o, who, text);
    *(int64_t *)o->value = v;
    return 0;
}

static int set_real(const struct opt *o, const char *who, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v))
        return err_usage("%s: \"%s\" is not a number", who, text);
    if (!in_range(o, v))
        return refuse_range(o, who, text);
    *(double *)o->value = v;
    return 0;
}

/* Copies a choice to its own text. Each is kept once, until the program ends. */
static const char *choice_kept(const char *choice, size_t len)
{
    static struct kept {
        struct kept *next;
        char text[];
    } * first;
    struct kept *k = first;
    while (k && (strlen(k->text) != len || memcmp(k->text, choice, len) != 0))
        k = k->next;
    if (k)
        return k->text;
    k = mem_grow(NULL, (int64_t)(sizeof *k + len + 1), 1, "the options");
    if (!k)
        return NULL;
    memcpy(k->text, choice, len);
    k->text[len] = '\0';
    k->next = first;
    first = k;
    return k->text;
}

static int set_choice(const struct opt *o, const char *who, const char *text)
{
    size_t n = strlen(text);
    const char *at = o->choices;
    while (*at) {
        size_t len = strcspn(at, "|");
        if (len == n && !strncasecmp(at, text, n)) {
            const char *kept = choice_kept(at, len);
            if (!kept)
                return -ENOMEM;
            *(const char **)o->value = kept;
            return 0;
        }
        at += len + (at[len] == '|');
    }
    return err_usage("%s: \"%s\" is not one of %s", who, text, o->choices);
}

static int set_list(const struct opt *o, const char *who, const char *text)
{
    struct opt_list *l = o->value;
    if (l->n == OPT_LIST_MAX)
        return err_usage("%s: given more than %d times", who, OPT_LIST_MAX);
    l->item[l->n++] = text;
    return 0;
}

static int set_rest(const struct opt *o, const char *text)
{
    struct opt_rest *r = o->value;
    const char **item = mem_grow(r->item, r->n + 1, sizeof *item, "the arguments");
    if (!item)
        return -ENOMEM;
    r->item = item;
    r->item[r->n++] = text;
    return 0;
}

static int set_flag(const struct opt *o, const char *who, const char *text)
{
    static const char *const yes[] = {"1", "yes", "true", "on"};
    static const char *const no[] = {"0", "no", "false", "off"};
    for (int i = 0; i < 4; i++) {
        if (!strcasecmp(text, yes[i]))
            return *(bool *)o->value = true, 0;
        if (!strcasecmp(text, no[i]))
            return *(bool *)o->value = false, 0;
    }
    return err_usage("%s: \"%s\" is not one of yes|no", who, text);
}

static int set(struct opt *o, enum opt_from from, const char *text)
{
    char who[96];
    called(o, from, who);
    /* replaces a list of lower precedence */
    if (o->kind == OPT_LIST && from != o->from)
        ((struct opt_list *)o->value)->n = 0;
    o->from = from;
    if (!*text)
        return err_usage("%s: the value is empty", who);
    switch (o->kind) {
    case OPT_FLAG:
        return set_flag(o, who, text);
    case OPT_INT:
    case OPT_BYTES:
        return set_number(o, who, text);
    case OPT_REAL:
        return set_real(o, who, text);
    case OPT_CHOICE:
        return set_choice(o, who, text);
    case OPT_LIST:
        return set_list(o, who, text);
    case OPT_REST:
        return set_rest(o, text);
    case OPT_TEXT:
        *(const char **)o->value = text;
        return 0;
    case OPT_ASK:
        return err_usage("%s: \"%s\" is not %s", who, text, o->arg);
    case OPT_TITLE:
    case OPT_NOTE:
        break;
    }
    return 0;
}

struct opt *opt_find(const struct opt_program *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (p->table[i].name && p->table[i].kind != OPT_NOTE &&
            !strcmp(p->table[i].name, name))
            return &p->table[i];
    return NULL;
}

static struct opt *find_letter(const struct opt_program *p, char letter)
{
    for (int i = 0; i < p->n; i++)
        if (letter && p->table[i].letter == letter)
            return &p->table[i];
    return NULL;
}

/* The positional that takes argument `index`; one that takes the rest takes all
 * from there. */
static struct opt *positional(const struct opt_program *p, int index)
{
    for (int i = 0; i < p->n; i++)
        if (opt_positional(&p->table[i]) && (!index-- || p->table[i].kind == OPT_REST))
            return &p->table[i];
    return NULL;
}

static int set_presets(const struct opt_program *p)
{
    int rc = 0;
    for (int i = 0; i < p->n && !rc; i++)
        if (p->table[i].preset)
            rc = set(&p->table[i], OPT_DEFAULT, p->table[i].preset);
    return rc;
}

/* ---- reducing the table --------------------------------------------------------- */

static bool is_taken(unsigned needs, unsigned takes)
{
    return (needs & takes) == needs;
}

/* Reserves as many bytes as `text` has, until the program ends: an entry that is
 * removed from the table leaves its value behind. NULL: no room. */
static char *choices_room(const char *text)
{
    static char room[1024];
    static size_t used;
    size_t bytes = strlen(text) + 1;
    if (bytes > sizeof room - used)
        return NULL;
    used += bytes;
    return room + used - bytes;
}

/* Keeps the choices that are taken; returns their number, or -ENOMEM. */
static int take_choices(struct opt *o, unsigned takes)
{
    int left = 0;
    const char *at = o->choices;
    char *text = choices_room(at);
    if (!text)
        return mem_none(NULL, 0, "the options");
    *text = 0;
    for (int i = 0; *at && i < OPT_CHOICES_MAX; i++) {
        size_t len = strcspn(at, "|");
        if (is_taken(o->choice_needs[i], takes)) {
            size_t n = strlen(text);
            o->choice_help[left] = o->choice_help[i];
            o->choice_text[left] = o->choice_text[i];
            sprintf(text + n, "%s%.*s", left++ ? "|" : "", (int)len, at);
        }
        at += len + (at[len] == '|');
    }
    for (int i = left; i < OPT_CHOICES_MAX; i++)
        o->choice_help[i] = o->choice_text[i] = NULL;
    o->choices = text;
    return left;
}

/* Reduces an entry. Returns 1 if it stays, 0, or -errno. */
static int opt_reduce(struct opt *o, unsigned takes)
{
    unsigned any = 0;
    int rc = 0, left = 2;
    for (int i = 0; i < OPT_CHOICES_MAX; i++)
        any |= o->choice_needs[i];
    if (!is_taken(any, takes))
        left = take_choices(o, takes);
    if (left == 1)
        o->preset = o->choices;
    if (left > 1 && is_taken(o->needs, takes))
        return 1;
    if (left >= 0 && o->preset)
        rc = set(o, OPT_DEFAULT, o->preset);
    return left < 0 ? left : rc;
}

int opt_take(struct opt_program *p, unsigned takes)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        int rc = opt_reduce(&p->table[i], takes);
        if (rc < 0)
            return rc;
        bool title = p->table[i].kind == OPT_TITLE;
        if (title && n && p->table[n - 1].kind == OPT_TITLE)
            n--;
        if (rc)
            p->table[n++] = p->table[i];
    }
    p->n = n;
    return 0;
}

/* ---- values --------------------------------------------------------------------- */

static int set_environment(const struct opt_program *p)
{
    int rc = 0;
    for (int i = 0; i < p->n && !rc; i++) {
        const char *text = p->table[i].env ? getenv(p->table[i].env) : NULL;
        if (text && *text)
            rc = set(&p->table[i], OPT_ENVIRONMENT, text);
    }
    return rc;
}

bool opt_negatable(const struct opt *o)
{
    return o->kind == OPT_FLAG ||
           (o->kind == OPT_CHOICE && o->bare && strstr(o->choices, "|no"));
}

/* ---- what an unknown name may mean ---------------------------------------------- */

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

/* The number of characters to insert, remove, replace, or swap with the next one to
 * make `a` of `b`. */
static int name_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    int rows[3][MOST + 1]; /* two rows before, the row before, this one */
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > MOST || m > MOST)
        return MOST;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = lesser(lesser(last[j], now[j - 1]) + 1,
                            last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = lesser(now[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *opt_nearer(const char *word, const char *so_far, const char *name)
{
    int limit = 1 + (int)strlen(word) / 5;
    int distance = name_distance(word, name);
    bool nearer = !so_far || distance < name_distance(word, so_far);
    return distance <= limit && nearer ? name : so_far;
}

/* Refuses an option that is not in the table. */
static int refuse_unknown(const struct opt_program *p, const char *name)
{
    const char *meant = NULL;
    for (int i = 0; i < p->n; i++)
        if (p->table[i].name && !opt_positional(&p->table[i]))
            meant = opt_nearer(name, meant, p->table[i].name);
    if (meant)
        return err_usage("unknown option --%s: did you mean --%s? %s --help lists the "
                         "options",
                         name, meant, p->name);
    return err_usage("unknown option --%s; %s --help lists the options", name, p->name);
}

/* Handles "--name", "--name=value", "--name value" (unless the value is optional),
 * "--no-name". Moves *i past a value. */
static int set_long(const struct opt_program *p, int argc, char **argv, int *i)
{
    char name[64];
    const char *arg = argv[*i] + 2;
    size_t n = strcspn(arg, "=");
    snprintf(name, sizeof name, "%.*s", (int)n, arg);
    struct opt *o = opt_find(p, name);
    if (!o && !strncmp(name, "no-", 3) && (o = opt_find(p, name + 3)) &&
        opt_negatable(o) && !arg[n])
        return set(o, OPT_COMMAND_LINE, "no");
    if (!o || opt_positional(o))
        return refuse_unknown(p, name);
    if (arg[n])
        return set(o, OPT_COMMAND_LINE, arg + n + 1);
    if (o->kind == OPT_FLAG)
        return set(o, OPT_COMMAND_LINE, "yes");
    if (o->bare)
        return set(o, OPT_COMMAND_LINE, o->bare);
    if (*i + 1 >= argc)
        return err_usage("option --%s needs a value: %s", name, o->arg ? o->arg : "");
    return set(o, OPT_COMMAND_LINE, argv[++*i]);
}

int opt_set(const struct opt_program *p, const char *name, const char *text)
{
    struct opt *o = opt_find(p, name);
    if (!o || o->kind == OPT_ASK || o->kind == OPT_TITLE)
        return refuse_unknown(p, name);
    return set(o, OPT_COMMAND_LINE, text);
}

/* ---- all values at once --------------------------------------------------------- */

struct opt_saved {
    enum opt_from from;
    union {
        bool flag;
        int64_t number;
        double real;
        const char *text;
        struct opt_list list;
        struct opt_rest rest;
    } value;
};

static size_t value_bytes(const struct opt *o)
{
    switch (o->kind) {
    case OPT_FLAG:
        return sizeof(bool);
    case OPT_INT:
    case OPT_BYTES:
        return sizeof(int64_t);
    case OPT_REAL:
        return sizeof(double);
    case OPT_TEXT:
    case OPT_CHOICE:
        return sizeof(const char *);
    case OPT_LIST:
        return sizeof(struct opt_list);
    case OPT_REST:
        return sizeof(struct opt_rest);
    case OPT_ASK:
    case OPT_TITLE:
    case OPT_NOTE:
        break;
    }
    return 0;
}

int opt_save(const struct opt_program *p, struct opt_saved **saved)
{
    struct opt_saved *all = *saved = mem_new(p->n, sizeof *all, "the options");
    if (!all)
        return -ENOMEM;
    for (int i = 0; i < p->n; i++) {
        all[i].from = p->table[i].from;
        if (p->table[i].value)
            memcpy(&all[i].value, p->table[i].value, value_bytes(&p->table[i]));
    }
    return 0;
}

void opt_restore(const struct opt_program *p, const struct opt_saved *saved)
{
    for (int i = 0; i < p->n; i++) {
        p->table[i].from = saved[i].from;
        if (p->table[i].value)
            memcpy(p->table[i].value, &saved[i].value, value_bytes(&p->table[i]));
    }
}

/* ---- the command line ----------------------------------------------------------- */

static int set_short(const struct opt_program *p, int argc, char **argv, int *i)
{
    struct opt *o = find_letter(p, argv[*i][1]);
    const char *rest = argv[*i] + 2;
    if (!o || (o->kind == OPT_FLAG && *rest))
        return err_usage("unknown option %s; %s --help lists the options", argv[*i],
                         p->name);
    if (o->kind == OPT_FLAG)
        return set(o, OPT_COMMAND_LINE, "yes");
    if (*rest)
        return set(o, OPT_COMMAND_LINE, rest);
    if (*i + 1 >= argc)
        return err_usage("option -%c needs a value: %s", o->letter,
                         o->arg ? o->arg : "");
    return set(o, OPT_COMMAND_LINE, argv[++*i]);
}

static int set_arguments(const struct opt_program *p, int argc, char **argv)
{
    int rc = 0, seen = 0;
    bool only_positionals = false;
    for (int i = 1; i < argc && !rc; i++) {
        const char *a = argv[i];
        bool dash = a[0] == '-' && a[1] && !isdigit((unsigned char)a[1]);
        if (!only_positionals && !strcmp(a, "--"))
            only_positionals = true;
        else if (!only_positionals && dash)
            rc = a[1] == '-' ? set_long(p, argc, argv, &i)
                             : set_short(p, argc, argv, &i);
        else {
            struct opt *o = positional(p, seen++);
            rc = o ? set(o, OPT_COMMAND_LINE, a)
                   : err_usage("one argument too many: \"%s\"; usage: %s [options] %s",
                               a, p->name, p->line);
        }
    }
    if (rc)
        return rc;
    struct opt *missing = positional(p, seen);
    bool given = missing && missing->kind == OPT_REST &&
                 ((const struct opt_rest *)missing->value)->n;
    if (missing && missing->required && !given)
        return err_usage("%s is missing; usage: %s [options] %s", missing->name,
                         p->name, p->line);
    return 0;
}

/* The OPT_ASK entry of `arg`, "--list-engines" or "--list-engines=json"; NULL: none. */
static const struct opt *asked_entry(const struct opt_program *p, const char *arg)
{
    for (int i = 0; i < p->n; i++) {
        const struct opt *o = &p->table[i];
        char bare[64], with_arg[64];
        if (o->kind != OPT_ASK)
            continue;
        snprintf(bare, sizeof bare, "--%s", o->name);
        snprintf(with_arg, sizeof with_arg, "--%s=%s", o->name, o->arg);
        if (!strcmp(arg, bare) || !strcmp(arg, with_arg))
            return o;
    }
    return NULL;
}

/* True for what build-aux/manual asks. */
static bool is_for_manual(const char *arg)
{
    return !strcmp(arg, "--help=options") || !strcmp(arg, "--help=environment");
}

/* The argument that asks for something other than a run; NULL: none. */
static const char *opt_asked(const struct opt_program *p, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") ||
            !strcmp(argv[i], "--version") || is_for_manual(argv[i]) ||
            asked_entry(p, argv[i]))
            return argv[i];
    return NULL;
}

int opt_parse(const struct opt_program *p, int argc, char **argv)
{
    int rc = set_presets(p);
    if (opt_asked(p, argc, argv))
        return OPT_ASKED;
    if (!rc)
        rc = set_environment(p);
    return rc ? rc : set_arguments(p, argc, argv);
}

bool opt_speaks(void)
{
    static const char *const rank_of[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                          "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof rank_of / sizeof rank_of[0]; i++) {
        const char *rank = getenv(rank_of[i]);
        if (rank)
            return !strcmp(rank, "0");
    }
    return true;
}

void opt_answer(const struct opt_program *p, const char *version, int argc, char **argv)
{
    const char *what = opt_asked(p, argc, argv);
    const struct opt *entry = what ? asked_entry(p, what) : NULL;
    if (what && opt_speaks() && !strcmp(what, "--version"))
        printf("%s (Leadline) %s\n", p->name, version);
    else if (entry && opt_speaks())
        entry->answer(strchr(what, '='), stdout);
    else if (what && opt_speaks() && !strcmp(what, "--help=options"))
        opt_manual_options(p, stdout);
    else if (what && opt_speaks() && !strcmp(what, "--help=environment"))
        opt_manual_environment(p, stdout);
    else if (what && opt_speaks())
        opt_help(p, stdout);
}

bool opt_early(const struct opt_program *p, const char *version, int argc, char **argv,
               int *status)
{
    program_begin();
    *status = EXIT_GOOD;
    if (!opt_asked(p, argc, argv))
        return false;
    opt_answer(p, version, argc, argv);
    *status = opt_speaks() ? program_end(p->name, EXIT_GOOD) : EXIT_GOOD;
    return true;
}

/* Prints `text` wrapped, the first line at column `at`, the next ones at `indent`. */
static void wrap(FILE *out, const char *text, int at, int indent, int width)
{
    bool first = true;
    while (*text) {
        int n = (int)strcspn(text, " \n");
        if (!first && at + 1 + n > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", n, text);
        at += n;
        text += n + (text[n] != 0);
        first = false;
    }
    fputc('\n', out);
}

/* Appends a and b; returns the new length. */
static size_t append(char *text, size_t size, size_t n, const char *a, const char *b)
{
    return n < size ? n + (size_t)snprintf(text + n, size - n, "%s%s", a, b) : n;
}

/* Formats the help: choices, their meaning, the variable and the preset. */
static void help_text(const struct opt *o, char *text, size_t size)
{
    const char *between = o->help ? "; " : "";
    size_t n = 0;
    text[0] = 0;
    if (o->choices)
        n = append(text, size, 0, o->choices, o->help ? ": " : "; ");
    n = append(text, size, n, "", o->help ? o->help : "");
    for (int i = 0; i < OPT_CHOICES_MAX; i++)
        if (o->choice_help[i]) {
            n = append(text, size, n, between, o->choice_help[i]);
            between = "; ";
        }
    if (o->env)
        n = append(text, size, n, "; environment ", o->env);
    if (o->preset && o->kind != OPT_FLAG && n < size)
        snprintf(text + n, size - n, " [%s]", o->preset);
}

static void help_entry(const struct opt *o, FILE *out)
{
    enum { INDENT = 26, WIDTH = 80 };
    char head[96], text[1024], letter[8] = "";
    bool negatable = opt_negatable(o) && o->preset && !strcmp(o->preset, "yes");
    const char *arg = o->arg && !opt_positional(o) ? o->arg : "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "  %s%s%s%s%s%s%s%s", letter,
             opt_positional(o) ? "" : "--", negatable ? "[no-]" : "", o->name,
             o->bare ? "[" : "", *arg ? "=" : "", arg, o->bare ? "]" : "");
    help_text(o, text, sizeof text);
    fprintf(out, "%-*s", INDENT, head);
    if (strlen(head) >= INDENT)
        fprintf(out, "\n%*s", INDENT, "");
    wrap(out, text, INDENT, INDENT, WIDTH);
}

void opt_help(const struct opt_program *p, FILE *out)
{
    fprintf(out, "usage: %s [options] %s\n\n", p->name, p->line);
    wrap(out, p->about, 0, 0, 80);
    if (p->n && p->table[0].kind != OPT_TITLE)
        fputc('\n', out);
    for (int i = 0; i < p->n; i++) {
        if (p->table[i].kind == OPT_TITLE)
            fprintf(out, "\n%s\n", p->table[i].help);
        else if (p->table[i].kind != OPT_NOTE)
            help_entry(&p->table[i], out);
    }
    fputs("\n  -h, --help              this text\n"
          "  --version               the version\n",
          out);
}

static const char *list_text(const char *const *item, int items, char *out, int size)
{
    int n = 0;
    out[0] = 0;
    for (int i = 0; i < items && n < size; i++)
        n += snprintf(out + n, (size_t)(size - n), "%s%s", i ? "," : "", item[i]);
    return out;
}

const char *opt_word(const struct opt *o)
{
    return o->word && *(const int64_t *)o->value == -1 ? o->word : NULL;
}

const char *opt_text(const struct opt *o, char *out, int size)
{
    const char *text;
    switch (o->kind) {
    case OPT_FLAG:
        snprintf(out, (size_t)size, "%s", *(bool *)o->value ? "yes" : "no");
        break;
    case OPT_INT:
    case OPT_BYTES:
        if (opt_word(o))
            snprintf(out, (size_t)size, "%s", opt_word(o));
        else
            snprintf(out, (size_t)size, "%lld", (long long)*(int64_t *)o->value);
        break;
    case OPT_REAL:
        snprintf(out, (size_t)size, "%.17g", *(double *)o->value);
        break;
    case OPT_TEXT:
    case OPT_CHOICE:
        text = *(const char **)o->value;
        snprintf(out, (size_t)size, "%s", text ? text : "");
        break;
    case OPT_LIST:
        return list_text(((const struct opt_list *)o->value)->item,
                         ((const struct opt_list *)o->value)->n, out, size);
    case OPT_REST:
        return list_text(((const struct opt_rest *)o->value)->item,
                         ((const struct opt_rest *)o->value)->n, out, size);
    case OPT_ASK:
    case OPT_TITLE:
    case OPT_NOTE:
        out[0] = 0;
    }
    return out;
}

static void write_items(const char *const *item, int items, FILE *out)
{
    for (int i = 0; i < items; i++)
        fprintf(out, "%s%s", i ? "\n" : "", item[i]);
}

/* Writes an option with its name as in messages. */
static void write_one(const struct opt *o, FILE *out)
{
    char text[64];
    const char *whole = opt_text(o, text, sizeof text);
    fprintf(out, "%s%s%c", opt_positional(o) ? "" : "--", o->name, 0);
    if (o->kind == OPT_TEXT || o->kind == OPT_CHOICE)
        whole = *(const char **)o->value ? *(const char **)o->value : "";
    if (o->kind == OPT_LIST)
        write_items(((const struct opt_list *)o->value)->item,
                    ((const struct opt_list *)o->value)->n, out);
    else if (o->kind == OPT_REST)
        write_items(((const struct opt_rest *)o->value)->item,
                    ((const struct opt_rest *)o->value)->n, out);
    else
        fputs(whole, out);
    fprintf(out, "%c%s%s%c", 0,
            o->from == OPT_ENVIRONMENT ? "environment variable " : "",
            o->from == OPT_ENVIRONMENT ? o->env : opt_from_text(o->from), 0);
}

void opt_write_all(const struct opt_program *p, FILE *out)
{
    for (int i = 0; i < p->n; i++)
        if (p->table[i].name && p->table[i].value)
            write_one(&p->table[i], out);
}

const char *opt_from_text(enum opt_from from)
{
    switch (from) {
    case OPT_ENVIRONMENT:
        return "environment";
    case OPT_COMMAND_LINE:
        return "command line";
    case OPT_DEFAULT:
        break;
    }
    return "default";
}
