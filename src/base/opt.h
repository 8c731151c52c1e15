/* One table per program drives parsing, --help, defaults and the "options" group
 * of the report. Order of precedence: command line, environment, default. */
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
    OPT_REST,   /* struct opt_rest: a positional that takes all that are left */
    OPT_ASK,    /* no value: as --help, it is answered, and nothing else done */
    OPT_TITLE   /* no option: a heading in --help */
};

enum opt_from { OPT_DEFAULT, OPT_ENVIRONMENT, OPT_COMMAND_LINE };

#define OPT_LIST_MAX 64
struct opt_list {
    int n;
    const char *item[OPT_LIST_MAX];
};

struct opt_rest {
    int n;
    const char **item; /* lives as long as the program */
};

#define OPT_CHOICES_MAX 8

struct opt {
    enum opt_kind kind;
    const char *name;    /* "io-method"; a positional is in capitals: "NPIX" */
    char letter;         /* 'n', or 0 */
    const char *env;     /* "IOMETHOD", or NULL */
    void *value;         /* as said at the kind */
    const char *preset;  /* the default as text; NULL: none (value is left alone) */
    const char *bare;    /* its value where it is given without one; NULL: needs one */
    const char *arg;     /* what --help shows after the name: "N", "DIR" */
    const char *choices; /* OPT_CHOICE: "POSIX|MPI" */
    const char *unit;    /* "B", "s", "1"; NULL for text */
    const char *word;    /* INT, BYTES: what may be said in a number's place: -1 */
    double min, max;     /* both 0: not limited (but INT and BYTES are never < 0) */
    unsigned needs;      /* bits of opt_take; 0: any program has it */
    unsigned choice_needs[OPT_CHOICES_MAX]; /* likewise of each of the choices */
    const char
        *choice_help[OPT_CHOICES_MAX]; /* said after `help`, of those there are */
    bool workload; /* two reports that differ in it are not comparable */
    bool required; /* a positional that must be given */
    const char *help;
    void (*answer)(bool with_arg, FILE *out); /* OPT_ASK: to --name, or --name=arg */
    enum opt_from from;                       /* set by opt_parse */
};

struct opt_program {
    const char *name;  /* "madbench" */
    const char *line;  /* "NPIX NBIN [NGANG ...]" */
    const char *about; /* one paragraph */
    struct opt *table;
    int n;
};

/* Local. Before opt_parse: takes those entries out of the table, and those choices out
 * of entries, that need a bit which `takes` has not; titles of nothing, too. What is
 * taken out has its preset; so is an option that has one choice left, and it has that
 * one. 0, or -ENOMEM. */
int opt_take(struct opt_program *p, unsigned takes);

/* Local. Presets, then environment, then argv. Returns 0, or -EINVAL with a
 * sentence (err_usage) that names the option and the values allowed; or OPT_ASKED where
 * --help, --version or an OPT_ASK is among the arguments: only the presets count then.
 * An empty environment variable counts as unset. */
#define OPT_ASKED 1
int opt_parse(const struct opt_program *p, int argc, char **argv);

/* Local. What a program does first: begins it (base/program.h), and answers --help,
 * --version and OPT_ASK. Returns true if the program should end, with *status. Programs
 * that start MPI call world_early (world/world.h) instead. */
bool opt_early(const struct opt_program *p, const char *version, int argc, char **argv,
               int *status);

/* Local. Prints what --help, --version or an OPT_ASK asks for, on the process that
 * speaks (the launcher's rank 0). */
void opt_answer(const struct opt_program *p, const char *version, int argc,
                char **argv);

/* Local. Whether this process is the one of its launch that prints, by the
 * launcher's variables: true without a launcher. Works before MPI does. */
bool opt_speaks(void);

void opt_help(const struct opt_program *p, FILE *out);

/* Local. The word that was said in a number's place; NULL: there is none. */
const char *opt_word(const struct opt *o);

/* Local. The present value as text, into `out`. Returns `out`. */
const char *opt_text(const struct opt *o, char *out, int size);
const char *opt_from_text(enum opt_from from);

/* Local. All options, each as three strings that end with a zero byte: its name
 * ("--dir"), its present value (items of lists on lines of their own), and where that
 * came from. */
void opt_write_all(const struct opt_program *p, FILE *out);

/* Local. The entry called `name`; NULL if there is none. */
struct opt *opt_find(const struct opt_program *p, const char *name);

#endif
