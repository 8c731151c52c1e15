/* --engines: several I/O engines that one run compares. */
#ifndef OUTCORE_AIO_ENGINES_H
#define OUTCORE_AIO_ENGINES_H

#include "run/run.h"

#define ENGINES_MOST 16

struct engines {
    int n;
    const char *spec[ENGINES_MOST]; /* "aio:descriptors=4" */
    char text[1024];                /* memory of their texts */
    char absent[1024];              /* with "all": unusable ones, and the reason */
};

/* **Collective.** Parses the engines in `list`: "posix,aio:descriptors=4,threads=8",
 * where a word with "=" and without ":" is an option of the engine before it; "all"
 * means those of the paper and later ones that can be used here; NULL means that of
 * IOMETHOD. Returns 0, or, on every rank, -errno with a sentence. Sets r->engine to one
 * that stores files, if there is one. */
int engines_parse(struct engines *e, struct run *r, const char *list);

/* Local. The engine at position `turn` of a repetition: each is first in one
 * of them. */
int engines_turn(const struct engines *e, int rep, int turn);

/* Local. True if one of them stores what is written. */
bool engines_store(const struct engines *e);

#endif
