/* Findings: what a run does to its files that costs it time, most important first,
 * each with its evidence and a remedy. Filled in one pass over the events of all logs
 * in time order, in memory that does not grow with their number. */
#ifndef IOTRACE_FINDINGS_FINDINGS_H
#define IOTRACE_FINDINGS_FINDINGS_H

#include "base/opt.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is looked at, and how. Sizes: 0: as the file systems say. */
struct findings_ask {
    const char *run;
    bool all;             /* nothing is folded */
    int64_t rank;         /* -1: all */
    struct opt_list file; /* globs; none: all */
    const char *only;     /* "ID,ID": findings looked for; NULL: all */
    const char *phase;    /* a region of the program; NULL: all of the run */
    const char *process;  /* a program's name or a pid; NULL: all */
    const char *client;   /* "host" or "rank": who holds a lock */
    double floor_s;       /* what has less at stake is no finding */
    int64_t small_bytes, block_bytes, lock_bytes;
};

#define FINDINGS_FLOOR_S 0.005 /* unless something else is asked for */

enum severity { SEVERITY_BELOW, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

struct findings;

/* Local. 0, or -errno with a sentence; free with findings_free in both cases. */
int findings_make(struct findings **f, const struct findings_ask *ask);
void findings_free(struct findings **f);

/* Local. At most 40 lines of 100 columns; each finding in full; all as JSON. */
void findings_look(const struct findings *f, FILE *out);
void findings_text(const struct findings *f, FILE *out);
void findings_json(const struct findings *f, FILE *out);

/* Local. The highest severity of any finding; -1: there is none. */
int findings_worst(const struct findings *f);

/* Local. The exit status of a command over the run that ended with `rc`. */
int findings_status(const struct findings *f, int rc);

#endif
