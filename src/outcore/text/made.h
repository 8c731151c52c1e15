/* Generated sections, for --cost=none: as long as those of the 2007 study's eight
 * modules must have been, with contents that follow from the name of the file. So the
 * I/O is that of the pipeline, and no time goes into text. No MPI, no files.
 *
 * For the 3183 documents (9,840,000 bytes) the output has 49.4 MB, writing it anew in
 * each module 204.4 MB, and reading it three times in each 494.7 MB, as in the study's
 * Table 4.2. The study does not say how this grows from module to module; it says that
 * bytes grow rapidly in the last four. */
#ifndef OUTCORE_TEXT_MADE_H
#define OUTCORE_TEXT_MADE_H

#include <stdint.h>

enum { MADE_MODULES = 8 };

/* Local. Returns the size of an output after modules 0 .. m, for an input of in_bytes
 * bytes with that name (as the first line has it). */
int64_t made_bytes(int m, const char *name, int64_t in_bytes);

/* Local. Writes to `to` the bytes that module m appends: made_bytes(m) - made_bytes(m -
 * 1) of them, which it returns. */
int64_t made_section(int m, const char *name, int64_t in_bytes, char *to);

/* ---- the walk -------------------------------------------------------------------- */

/* Finds the sections of an output, whoever wrote it: "LEX1 NAME\n", then each
 * "%%SECTION BYTES\n", so many bytes, "\n". No MPI, no files. */

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
