/* The interface of the analysis for its commands. */
#ifndef LDADC_REPORT_ANALYSE_H
#define LDADC_REPORT_ANALYSE_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct setting {
    const char *name; /* name of a variable, as analyse prints it */
    int64_t value;
};

struct analyse_request {
    const char *const *file;
    int files;
    const char *const *flag; /* flags for the compiler */
    int flags;
    const char *commands; /* a folder with a compile_commands.json; or NULL */
    FILE *text, *json, *dot, *graph, *skeleton; /* NULL: not wanted */
    const int64_t *np;                          /* numbers of processes to count with */
    int nps;
    const struct setting *set;
    int sets;
};

/* Local. Assumes a relation of the program's variables (poly/assume.h); call it before
 * the analysis. Returns 0, or -EINVAL with a sentence. */
int analyse_assume(const char *relation);

/* Local. Analyses a program. Returns 0, or -errno with a sentence: the program does not
 * compile (the compiler's messages are on stderr), or a number or variable for counting
 * or for an assumption is not valid. */
int analyse_program(const struct analyse_request *r);

#ifdef __cplusplus
}
#endif

#endif
