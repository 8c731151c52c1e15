/* Plans of a program's files, in the form that libldad reads. */
#ifndef LDADC_PLAN_H
#define LDADC_PLAN_H

#include "ldadc/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct plan_request {
    const char *file;    /* analyse's name for it, or its path; NULL: there is one */
    const char *trace;   /* NULL: use no run */
    const char *iotrace; /* the program that reads traces */
    FILE *out;
};

enum plan_result { PLAN_GOOD, PLAN_NONE, PLAN_BROKEN };

/* Local. Prints a line for each number of ranks, or writes to `why` (room bytes) why
 * there is no plan. PLAN_BROKEN: the program cannot be analysed (err_get). */
enum plan_result plan_program(const struct analyse_request *r,
                              const struct plan_request *p, char *why, int room);

#ifdef __cplusplus
}
#endif

#endif
