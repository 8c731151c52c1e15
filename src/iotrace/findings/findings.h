/* Findings: habits of a run that cost it time in its files, most important first, each
 * with its evidence and a remedy. They are made in one pass over the events of all logs
 * in time order, in memory that does not grow with the number of events. */
#ifndef IOTRACE_FINDINGS_FINDINGS_H
#define IOTRACE_FINDINGS_FINDINGS_H

#include "base/opt.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The scope of findings. Sizes of 0: as the file systems say. */
struct findings_ask {
    const char *run;
    bool all;             /* fold nothing */
    int64_t rank;         /* -1: all */
    struct opt_list file; /* globs; empty: all */
    const char *only;     /* "ID,ID": the findings to look for; NULL: all */
    const char *phase;    /* a region of the program; NULL: the whole run */
    const char *process;  /* a program's name or a pid; NULL: all */
    const char *client;   /* "host" or "rank": the holder of a lock */
    double floor_s;       /* less at stake is no finding */
    int64_t small_bytes, block_bytes, lock_bytes;
};

#define FINDINGS_FLOOR_S 0.005 /* the default */

enum severity { SEVERITY_BELOW, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

struct findings;

/* Local. Makes the findings. Returns 0, or -errno with a sentence; free with
 * findings_free in both cases. */
int findings_make(struct findings **f, const struct findings_ask *ask);
void findings_free(struct findings **f);

/* Local. Print a look of at most 40 lines of 100 columns, each finding in full, and all
 * as JSON. */
void findings_look(const struct findings *f, FILE *out);
void findings_text(const struct findings *f, FILE *out);
void findings_json(const struct findings *f, FILE *out);

/* Local. Lists all findings that there are. */
void findings_list(bool json, FILE *out);

/* Local. Returns the highest severity of any finding; -1: there is none. */
int findings_worst(const struct findings *f);

/* Local. Returns the exit status of a command over the run that ended with `rc`. */
int findings_status(const struct findings *f, int rc);

#endif
