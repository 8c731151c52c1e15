/* Examines a directory before something is measured in it: what its file system can do,
 * and where it does what it says. A probe tries one such thing in a folder of its own,
 * and ends with an answer; one that cannot tell says "not known" and why. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/format/json.h"
#include "world/world.h"

struct doctor_value {
    const char *name; /* "fsync_s" */
    double value;
};

enum { DOCTOR_VALUES = 8, DOCTOR_FINDINGS = 40 };

struct doctor_finding {
    const char *probe; /* "direct", or "append_nodes" between two nodes */
    const char *title; /* "direct I/O" */
    char answer[96];   /* "yes", "in name only": words that do not vary by themselves */
    char text[400];    /* observations; "": none */
    const char *means; /* consequence for a measurement */
    int values;
    struct doctor_value value[DOCTOR_VALUES];
};

struct doctor {
    int n;
    struct doctor_finding finding[DOCTOR_FINDINGS];
};

/* **Collective** on w->comm. Examines `dir`, on rank 0, and by one more process of its
 * node and one rank of each other node. Takes seconds. Everything made in
 * `dir` is removed again, also by a signal. *d is filled on
 * rank 0, and may be NULL elsewhere. Returns the agreed
 * verdict: 0, or -errno with a sentence if nothing can be made in `dir`. */
int doctor_examine(struct doctor *d, const struct world *w, const char *dir);

/* Local. Prints the findings as a table. */
void doctor_print(const struct doctor *d, FILE *out);

/* Local. Writes an object `key` with a member for each probe. */
void doctor_put(const struct doctor *d, struct json *j, const char *key);

#endif
