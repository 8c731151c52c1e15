/* --compare: arms, which are settings of the program's options, measured in turn within
 * one run. Each round makes a repetition of every arm, in an order drawn anew, so what
 * slows down the storage for a while meets all arms alike. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include "run/run.h"

#define ARMS_MAX 64
#define ARMS_FACTORS 8

struct arms_setting {
    const char *option, *value;
};

struct arms_value { /* a value of a factor: its name, and the settings it stands for */
    const char *name;
    int settings;
    struct arms_setting setting[ARMS_FACTORS];
};

struct arms_factor {
    const char *option; /* "arms": named settings */
    int values;
    struct arms_value value[ARMS_MAX];
};

struct arms_place { /* the storage of an arm's --dir */
    struct io_fs fs;
    struct io_stack stack;
    bool counters, counts_here;
};

struct arm {
    char name[128];
    int value[ARMS_FACTORS]; /* the index of each factor's value */
    struct err failed;       /* code 0: it takes part */
    struct run_origin origin;
    struct arms_place place;
};

struct arms {
    int factors, n;
    struct arms_factor factor[ARMS_FACTORS];
    struct arm arm[ARMS_MAX];
    struct opt_saved *given; /* all options, as the user gave them */
    char *text;              /* into which names and values point */
    double width;            /* of --until, as a share; 0: none */
    double budget_s;         /* 0: no limit */
};

/* Local, after opt_parse. Parses --compare and --compare-arms, and checks every value.
 * Returns 0 and r->arms, with the first arm's settings in place, or NULL without these
 * options; or -EINVAL with a sentence. */
int arms_open(struct run *r);
void arms_close(struct run *r);

/* Local. Gives the options the settings of arm k. */
int arms_apply(struct run *r, int k);

/* **Collective**, after run_ready: looks at the directories of the other arms, for
 * files of `disk_bytes` in all. Returns the agreed verdict. */
int compare_look(struct run *r, int64_t disk_bytes, const char *layout);

/* **Collective**, once the report is open. Makes rounds of repetitions until one of
 * --rounds, --until, --budget, a signal or the end of the batch job ends them. `once`
 * makes a repetition of the arm whose settings are in place, and returns the agreed
 * verdict; an arm that fails is left out from then on. Returns 0 if two arms remain, or
 * there were rounds enough for intervals; the failure of the first arm that failed is
 * then for compare_verdict. */
int compare_rounds(struct run *r, int (*once)(void *context), void *context);

/* **Collective**, before the report is closed: warns, for each arm, if memory served
 * what it read. */
void compare_warn(struct run *r);

/* Local, the same on every rank. After the report is closed: records the failure of an
 * arm that was left out, so that the program ends with it. Returns it, or rc. */
int compare_verdict(struct run *r, int rc);

#endif
