/* Compares a run's trace with the source. */
#ifndef LDADC_CHECK_H
#define LDADC_CHECK_H

#include "ldadc/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct check_request {
    const char *trace;   /* a run's folder, or a log; NULL: there is no run */
    const char *iotrace; /* the program that reads traces */
    FILE *out;
};

enum check_result { CHECK_GOOD, CHECK_DIFFERS, CHECK_BROKEN, CHECK_NO_TRACE };

/* Local. Prints whether reads agree with the writes before them; and for a run, whether
 * each call of the program transferred what was predicted. Memory is for each rank,
 * file and call, not for transfers. CHECK_BROKEN: the program cannot be analysed
 * (err_get). If a trace cannot be read, stderr says why. */
enum check_result check_program(const struct analyse_request *r,
                                const struct check_request *c);

#ifdef __cplusplus
}
#endif

#endif
