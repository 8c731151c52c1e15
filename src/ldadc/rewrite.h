/* Programs with their files partitioned: MPI-IO's calls become libldad's. */
#ifndef LDADC_REWRITE_H
#define LDADC_REWRITE_H

#include "ldadc/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An entry of option tables. */
/* clang-format off */
#define REWRITE_ALL(flag) \
    {.kind = OPT_FLAG, .name = "all", .value = &(flag), .preset = "no", \
     .help = "also files of which ranks read mostly what others wrote"}
/* clang-format on */

enum rewrite_result {
    REWRITE_GOOD,
    REWRITE_NOTHING,
    REWRITE_BROKEN,
    REWRITE_UNWRITTEN
};

struct rewrite_request {
    /* Where each of the sources goes; NULL: nothing is written. */
    const char *const *out;
    bool lines; /* errors of the compiler shall name the sources */
    bool all;   /* also files whose ranks read mostly what others wrote */
    FILE *said; /* what becomes of each file, and where nothing is written, what would
                 * change; NULL: not wanted */
};

/* Local. REWRITE_NOTHING: no file of the program can be partitioned, and nothing is
 * written. REWRITE_BROKEN: the program cannot be analysed (err_get).
 * REWRITE_UNWRITTEN: a new source cannot be written (err_get). */
enum rewrite_result rewrite_program(const struct analyse_request *r,
                                    const struct rewrite_request *w);

#ifdef __cplusplus
}
#endif

#endif
