/* Finds the sections of an output, whoever wrote it: "LEX1 NAME\n", then each
 * "%%SECTION BYTES\n", so many bytes, "\n". No MPI, no files. */
#ifndef OUTCORE_TEXT_WALK_H
#define OUTCORE_TEXT_WALK_H

#include <stdint.h>

enum { WALK_SECTIONS = 13 }; /* of an output that all modules have processed */

struct walk {
    int sections;      /* number of whole sections */
    char section[16];  /* the last one, or the one that is torn */
    int64_t at;        /* offset at which the error begins */
    const char *wrong; /* NULL: it ends with a whole section */
};

/* Local, any thread. Goes through an output of that label. */
struct walk walk_sections(const char *label, const char *data, int64_t bytes);

#endif
