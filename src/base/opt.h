/* One table per program drives parsing, --help, defaults, the "options" group of the
 * report, and the OPTIONS and ENVIRONMENT sections of the manual. Order of precedence:
 * command line, environment, default. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
    OPT_FLAG,   /* bool: --quiet */
    OPT_INT,    /* int64_t within [min, max] */
    OPT_BYTES,  /* int64_t within [min, max]; k, M, G, KiB, MB ... */
    OPT_REAL,   /* double within [min, max] */
    OPT_TEXT,   /* const char *, not empty */
    OPT_CHOICE, /* const char *: one of choices, in any case; stored as listed */
    OPT_LIST,   /* struct opt_list: may be repeated */
    OPT_REST,   /* struct opt_rest: a positional that takes all remaining arguments */
    OPT_ASK,    /* no value: it is answered, as --help, and nothing else is done */
    OPT_TITLE,  /* not an option: a heading */
    OPT_NOTE    /* not an option: what a program's manual adds to the `text` of the
                 * shared option `name` */
};

enum opt_from { OPT_DEFAULT, OPT_ENVIRONMENT, OPT_COMMAND_LINE };

#define OPT_LIST_MAX 64
struct opt_list {
    int n;
    const char *item[OPT_LIST_MAX];
};

struct opt_rest {
    int n;
    const char **item; /* live until the program ends */
};

#define OPT_CHOICES_MAX 8

struct opt {
    enum opt_kind kind;
    const char *name;    /* "io-method"; a positional is in capitals: "NPIX" */
    char letter;         /* 'n', or 0 */
    const char *env;     /* "IOMETHOD", or NULL */
    void *value;         /* of the type given at the kind */
    const char *preset;  /* the default as text; NULL: none (value stays as it is) */
    const char *bare;    /* value if none is given; NULL: a value is needed */
    const char *arg;     /* shown after the name in --help: "N", "DIR" */
    const char *choices; /* OPT_CHOICE: "POSIX|MPI" */
    const char *unit;    /* "B", "s", "1"; NULL for text */
    const char *word;    /* INT, BYTES: a word allowed in place of a number, stored
                          * as -1 */
    double min, max;     /* both 0: unlimited (but INT and BYTES are never < 0) */
    unsigned needs;      /* bits of opt_take; 0: every program has it */
    unsigned choice_needs[OPT_CHOICES_MAX];   /* the same for each choice */
    const char *choice_help[OPT_CHOICES_MAX]; /* appended to `help` for choices that
                                               * are there */
    const char *choice_text[OPT_CHOICES_MAX]; /* the manual's words for a choice, where
                                               * they are more than its help */
    bool workload; /* reports that differ in it are not comparable */
    bool fixed;    /* it cannot differ between the arms of --compare */
    bool required; /* a positional that must be given */
    const char *help;
    const char *text; /* what the manual says in place of `help`, where it says more;
                       * its markup: below */
    void (*answer)(bool with_arg, FILE *out); /* OPT_ASK: answers --name,
                                               * or --name=arg */
    enum opt_from from;                       /* set by opt_parse */
};

/* The markup of `text` and `choice_text`: *bold* for literals, _italic_ for arguments.
 * A blank line begins a paragraph; a backslash takes the next character as it is.
 * Without marks, and in helps too, options ("--dir") become bold, and the option's own
 * argument italic. The default is added, and choices, but for those that `text` has in
 * bold. */

struct opt_program {
    const char *name;  /* "madbench" */
    const char *line;  /* "NPIX NBIN [NGANG ...]" */
    const char *about; /* one paragraph */
    struct opt *table;
    int n;
};

/* Local. Before opt_parse: removes the entries from the table, and the choices from
 * entries, that need a bit which `takes` lacks; empty titles, too. Removed entries have
 * their preset; an option with only one choice left is removed, and has that value.
 * Returns 0, or -ENOMEM. */
int opt_take(struct opt_program *p, unsigned takes);

/* Local. Sets presets, then reads the environment, then argv. Returns 0, or -EINVAL
 * with a sentence (err_usage) that names the option and the values allowed; or
 * OPT_ASKED if --help, --version or an OPT_ASK is among the arguments: then only
 * presets are set. An empty environment variable counts as unset. */
#define OPT_ASKED 1
int opt_parse(const struct opt_program *p, int argc, char **argv);

/* Local. To be called first: begins the program (base/program.h), and answers --help,
 * --version and OPT_ASK. Returns true if the program should end, with *status. Programs
 * that start MPI call world_early (world/world.h) instead. */
bool opt_early(const struct opt_program *p, const char *version, int argc, char **argv,
               int *status);

/* Local. Prints what --help, --version or an OPT_ASK asks for, on the process that
 * speaks (the launcher's rank 0). */
void opt_answer(const struct opt_program *p, const char *version, int argc,
                char **argv);

/* Local. True if this process is the one of its launch that prints, by the launcher's
 * variables; true without a launcher. Works before MPI starts. */
bool opt_speaks(void);

void opt_help(const struct opt_program *p, FILE *out);

/* Local. Writes a section of the manual, as roff: for --help=options and
 * --help=environment, which build-aux/manual asks for. */
void opt_manual_options(const struct opt_program *p, FILE *out);
void opt_manual_environment(const struct opt_program *p, FILE *out);

/* Local. True for an argument without a dash: "NPIX". */
bool opt_positional(const struct opt *o);

/* Local. True for a flag, and for a choice that has "no" and needs no value. */
bool opt_negatable(const struct opt *o);

/* Local. The word given in place of a number; NULL: none. */
const char *opt_word(const struct opt *o);

/* Local. Formats the present value in `out`. Returns `out`. */
const char *opt_text(const struct opt *o, char *out, int size);
const char *opt_from_text(enum opt_from from);

/* Local. Writes all options, each as three strings that end with a zero byte: its
 * name ("--dir"), its present value (items of lists on lines of their own), and
 * its origin. */
void opt_write_all(const struct opt_program *p, FILE *out);

/* Local. What a user may have meant by `word`, which is no name: `name` if it is like
 * it and more so than `so_far`, or else `so_far`. NULL: nothing yet. */
const char *opt_nearer(const char *word, const char *so_far, const char *name);

/* Local. The entry called `name`; NULL if there is none. */
struct opt *opt_find(const struct opt_program *p, const char *name);

/* Local. After opt_parse: gives one option a value, as if the command line had it.
 * Errors as opt_parse. */
int opt_set(const struct opt_program *p, const char *name, const char *text);

/* Local. Copies the present values of all options to *saved, to be freed by the caller.
 * Returns 0, or -ENOMEM with a sentence. opt_restore makes them the present values. */
struct opt_saved;
int opt_save(const struct opt_program *p, struct opt_saved **saved);
void opt_restore(const struct opt_program *p, const struct opt_saved *saved);

#endif
