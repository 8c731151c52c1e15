/* The manual's sections that a table writes, as roff: OPTIONS and ENVIRONMENT. They are
 * put into pages by build-aux/manual. */
#include "base/opt.h"
#include <ctype.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------ */

/* The place in a text with our markup, and what is open there. */
struct writer {
    FILE *out;
    const char *arg; /* the option's argument, which is set in italics; NULL: none */
    char font;       /* R, B or I */
    bool option;     /* the font was opened by "--", and ends with the word */
    bool plain;      /* a help: its '*' and '_' mean nothing else */
    bool start;      /* of a line */
};

static void put_text(struct writer *w, const char *text)
{
    fputs(text, w->out);
    w->start = false;
}

static void put_font(struct writer *w, char font)
{
    fprintf(w->out, "\\f%c", font);
    w->font = font;
    w->option = false;
    w->start = false;
}

/* Writes a character so that roff takes it for itself. `word`: it begins one. */
static void put_char(struct writer *w, char c, bool word)
{
    if (w->start && (c == '.' || c == '\''))
        put_text(w, "\\&");
    if (c == '\\')
        put_text(w, "\\e");
    else if (c == '-' && (w->font == 'B' || word))
        put_text(w, "\\-");
    else if (c == '~')
        put_text(w, "\\(ti");
    else if (c == '^')
        put_text(w, "\\(ha");
    else
        fputc(c, w->out);
    w->start = false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the option's argument, if it stands at `at` as a word of its own. */
static size_t arg_length(const struct writer *w, const char *at)
{
    size_t n = w->arg ? strspn(w->arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;
    return n && !strncmp(at, w->arg, n) && !in_word(at[n]) ? n : 0;
}

/* True if the sign '*' or '_' at `at` opens or closes its font. */
static bool is_mark(const struct writer *w, const char *at, char before)
{
    char font = '\0';
    if (*at == '*')
        font = 'B';
    if (*at == '_')
        font = 'I';
    if (!font || w->option || w->plain)
        return false;
    return w->font == font
               ? !isalnum((unsigned char)at[1])
               : w->font == 'R' && !isalnum((unsigned char)before) && at[1] != ' ';
}

/* Writes what begins at `at` with its font; returns the characters taken. */
static size_t put_piece(struct writer *w, const char *at, char before)
{
    size_t n = in_word(before) ? 0 : arg_length(w, at);
    if (w->option && !in_word(*at) && !strchr("-=[]|", *at))
        put_font(w, 'R');
    if (is_mark(w, at, before)) {
        put_font(w, w->font != 'R' ? 'R' : *at == '*' ? 'B' : 'I');
        return 1;
    }
    if (*at == '\\' && at[1]) {
        put_char(w, at[1], false);
        return 2;
    }
    if (n && w->font == 'R') {
        fprintf(w->out, "\\fI%.*s\\fR", (int)n, at);
        w->start = false;
        return n;
    }
    if (w->font == 'R' && !in_word(before) && !strncmp(at, "--", 2) &&
        isalpha((unsigned char)at[2])) {
        put_font(w, 'B');
        w->option = true;
    }
    put_char(w, *at, !in_word(before) && before != '-');
    return 1;
}

/* Writes a text as lines, one for each sentence: roff fills them again. Blank
 * lines part paragraphs. */
static void put_lines(struct writer *w, const char *text)
{
    char before = ' ';
    w->start = true;
    w->font = 'R';
    w->option = false;
    while (*text) {
        bool ends = before == '.' && *text == ' ';
        if (!strncmp(text, "\n\n", 2)) {
            fputs("\n.IP\n", w->out);
            text += 2;
            w->start = true;
            before = ' ';
        } else if (ends && !w->option && w->font == 'R') {
            fputc('\n', w->out);
            before = *text++;
            w->start = true;
        } else {
            size_t n = put_piece(w, text, before);
            before = text[n - 1];
            text += n;
        }
    }
    if (w->font != 'R')
        put_font(w, 'R');
}

/* Writes a text, or a help, as a sentence. */
static void put_sentence(const struct opt *o, const char *text, bool plain, FILE *out)
{
    struct writer w = {.out = out, .arg = o->arg, .plain = plain};
    char copy[8192];
    size_t n = (size_t)snprintf(copy, sizeof copy, "%s", text);
    bool verbatim = isupper((unsigned char)text[1]) || text[1] == '.';
    if (!verbatim)
        copy[0] = (char)toupper((unsigned char)copy[0]);
    put_lines(&w, copy);
    fputs(n && strchr(".:?", text[n - 1]) ? "\n" : ".\n", out);
}

/* ---- entries --------------------------------------------------------------------- */

/* The name as the heading of its paragraph: "-b, --bytes=BYTES". */
static void put_head(const struct opt *o, FILE *out)
{
    struct writer w = {.out = out};
    bool negatable = opt_negatable(o) && o->preset && !strcmp(o->preset, "yes");
    char name[96];
    fputs(".TP\n", out);
    if (opt_positional(o)) {
        fprintf(out, ".I %s\n", o->name);
        return;
    }
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    snprintf(name, sizeof name, "*--%s%s%s*", negatable ? "[no-]" : "", o->name,
             o->arg && !o->bare ? "=" : "");
    put_lines(&w, name);
    if (o->arg)
        fprintf(out, "%s\\fI%s\\fR%s", o->bare ? "[\\fB=\\fR" : "", o->arg,
                o->bare ? "]" : "");
    if (o->word)
        fprintf(out, "|\\fB%s\\fR", o->word);
    fputc('\n', out);
}

/* The meaning of a choice: its own text, or what is after "choice: " in its help. */
static const char *meaning(const struct opt *o, int i, size_t name)
{
    const char *help = o->choice_help[i];
    if (o->choice_text[i] || !help)
        return o->choice_text[i];
    return help + (help[name] == ':' ? name + 2 : 0);
}

/* Writes a choice with its meaning as a paragraph of the list, unless the option's text
 * has it. Returns true if there is a list now. */
static bool put_choice(const struct opt *o, int i, const char *at, bool list, FILE *out)
{
    int n = (int)strcspn(at, "|");
    const char *text = i < OPT_CHOICES_MAX ? meaning(o, i, (size_t)n) : NULL;
    struct writer w = {.out = out};
    char name[64];
    snprintf(name, sizeof name, "*%.*s*", n, at);
    if (o->text && strstr(o->text, name) && !o->choice_text[i])
        return list;
    fprintf(out, "%s.TP\n", list ? "" : ".RS\n");
    put_lines(&w, name);
    fputc('\n', out);
    if (text)
        put_sentence(o, text, !o->choice_text[i], out);
    else
        fputs("\\&\n", out);
    return true;
}

/* Writes the choices that the text does not name. */
static void put_choices(const struct opt *o, FILE *out)
{
    const char *at = o->choices;
    bool list = false;
    for (int i = 0; *at; i++) {
        list = put_choice(o, i, at, list, out);
        at += strcspn(at, "|");
        at += *at == '|';
    }
    fputs(list ? ".RE\n.IP\n" : "", out);
}

/* Names the choices, where none is explained. */
static void name_choices(const struct opt *o, FILE *out)
{
    const char *at = o->choices;
    fputs("One of ", out);
    while (*at) {
        int n = (int)strcspn(at, "|");
        struct writer w = {.out = out};
        char name[64];
        snprintf(name, sizeof name, "*%.*s*", n, at);
        put_lines(&w, name);
        at += n + (at[n] == '|');
        fputs(!*at ? ".\n" : strchr(at, '|') ? ", " : " or ", out);
    }
}

static bool choices_explained(const struct opt *o)
{
    for (int i = 0; i < OPT_CHOICES_MAX; i++)
        if (o->choice_help[i] || o->choice_text[i])
            return true;
    return false;
}

static void put_default(const struct opt *o, FILE *out)
{
    struct writer w = {.out = out};
    char text[256];
    if (!o->preset || o->kind == OPT_FLAG)
        return;
    snprintf(text, sizeof text, "Default: *%s*%s.", o->preset,
             o->unit && !strcmp(o->unit, "s") && strcmp(o->preset, "0") ? " s" : "");
    put_lines(&w, strcmp(o->preset, ".") ? text : "Default: the current directory.");
    fputc('\n', out);
}

/* Writes what programs add to the text of a shared option. */
static void put_notes(const struct opt_program *p, const struct opt *o, FILE *out)
{
    for (int i = 0; i < p->n; i++)
        if (p->table[i].kind == OPT_NOTE && !strcmp(p->table[i].name, o->name)) {
            fputs(".IP\n", out);
            put_sentence(o, p->table[i].text, false, out);
        }
}

static void put_entry(const struct opt_program *p, const struct opt *o, FILE *out)
{
    const char *text = o->text ? o->text : o->help;
    put_head(o, out);
    if (text && *text)
        put_sentence(o, text, !o->text, out);
    if (o->choices && choices_explained(o)) {
        fputs(text && *text ? "" : "One of these:\n", out);
        put_choices(o, out);
    } else if (o->choices && !o->text) {
        name_choices(o, out);
    }
    put_default(o, out);
    if (o->env)
        fprintf(out, "Environment: \\fB%s\\fR.\n", o->env);
    put_notes(p, o, out);
}

void opt_manual_options(const struct opt_program *p, FILE *out)
{
    bool whole = !strchr(p->name, ' '); /* not one command among others */
    bool titles = false;
    for (int i = 0; i < p->n; i++) {
        const struct opt *o = &p->table[i];
        if (o->kind == OPT_TITLE) {
            titles = true;
            fprintf(out, ".SS %.*s\n", (int)strcspn(o->help, ":"), o->help);
        } else if (o->kind != OPT_NOTE) {
            put_entry(p, o, out);
        }
    }
    if (!titles && !whole)
        return;
    fputs(titles ? ".SS Help\n" : "", out);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a summary of the options.\n"
          ".TP\n\\fB\\-\\-version\\fR\nPrint the version.\n",
          out);
}

void opt_manual_environment(const struct opt_program *p, FILE *out)
{
    for (int i = 0; i < p->n; i++)
        if (p->table[i].env)
            fprintf(out, ".TP\n.B %s\nAs \\fB\\-\\-%s\\fR.\n", p->table[i].env,
                    p->table[i].name);
}
