/* Plans of a program's files, for libldad to read. */
#ifndef LDADC_PLAN_H
#define LDADC_PLAN_H

#include "ldadc/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct plan_request {
    const char *file;    /* as analyse names it, or its path; NULL: there is one */
    const char *trace;   /* NULL: nothing is taken from a run */
    const char *iotrace; /* the program that reads it */
    FILE *out;
};

enum plan_result { PLAN_GOOD, PLAN_NONE, PLAN_BROKEN };

/* Local. Prints a line for each number of ranks, or says in `why` (room bytes) why
 * there is no plan. PLAN_BROKEN: the program cannot be analysed (err_get). */
enum plan_result plan_program(const struct analyse_request *r,
                              const struct plan_request *p, char *why, int room);

#ifdef __cplusplus
}
#endif

#endif
