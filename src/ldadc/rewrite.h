/* Rewrites programs so that their files are partitioned: MPI-IO's calls become
 * libldad's. */
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
     .help = "also files of which ranks read mostly what others wrote", \
     .text = "Include files whose bytes are mostly read by other ranks."}
/* clang-format on */

enum rewrite_result {
    REWRITE_GOOD,
    REWRITE_NOTHING,
    REWRITE_BROKEN,
    REWRITE_UNWRITTEN
};

struct rewrite_request {
    /* Path of each new source; NULL: nothing is written. */
    const char *const *out;
    bool lines; /* the compiler's errors must name the old sources */
    bool all;   /* also files whose ranks read mostly what others wrote */
    /* Output about each file, and if nothing is written, about changes; NULL: none is
     * wanted. */
    FILE *said;
};

/* Local. Rewrites a program. REWRITE_NOTHING: no file of the program can be
 * partitioned, and nothing is written. REWRITE_BROKEN: the program cannot be analysed
 * (err_get). REWRITE_UNWRITTEN: a new source cannot be written (err_get). */
enum rewrite_result rewrite_program(const struct analyse_request *r,
                                    const struct rewrite_request *w);

#ifdef __cplusplus
}
#endif

#endif
