/* The analysis, as its command asks for it. */
#ifndef LDADC_ANALYSE_H
#define LDADC_ANALYSE_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct analyse_request {
    const char *const *file;
    int files;
    const char *const *flag; /* the compiler's */
    int flags;
    FILE *text, *json; /* NULL: not wanted */
};

/* Local. Returns 0, or 1 where the program does not compile; the compiler has said why,
 * on stderr. */
int analyse_program(const struct analyse_request *r);

#ifdef __cplusplus
}
#endif

#endif
