/* The analysis, as its command asks for it. */
#ifndef LDADC_REPORT_ANALYSE_H
#define LDADC_REPORT_ANALYSE_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct setting {
    const char *name; /* of a variable, as analyse prints it */
    int64_t value;
};

struct analyse_request {
    const char *const *file;
    int files;
    const char *const *flag; /* the compiler's */
    int flags;
    const char *commands; /* a folder with a compile_commands.json; or NULL */
    FILE *text, *json, *dot, *graph, *skeleton; /* NULL: not wanted */
    const int64_t *np;                          /* numbers of processes to count for */
    int nps;
    const struct setting *set;
    int sets;
};

/* Local. Before it: what holds of the program's variables (poly/assume.h). 0, or
 * -EINVAL with a sentence. */
int analyse_assume(const char *relation);

/* Local. Returns 0, or -errno with a sentence: the program does not compile (the
 * compiler has said why, on stderr), or a number or variable to count with, or that
 * something is assumed of, is none. */
int analyse_program(const struct analyse_request *r);

#ifdef __cplusplus
}
#endif

#endif
