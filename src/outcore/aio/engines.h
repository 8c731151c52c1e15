/* --engines: several I/O engines that one run holds against each other. */
#ifndef OUTCORE_AIO_ENGINES_H
#define OUTCORE_AIO_ENGINES_H

#include "run/run.h"

#define ENGINES_MOST 16

struct engines {
    int n;
    const char *spec[ENGINES_MOST]; /* "aio:descriptors=4" */
    char text[1024];                /* what they point into */
    char absent[1024];              /* of "all": those that are not, and why */
};

/* **Collective.** The engines that `list` names: "posix,aio:descriptors=4,threads=8",
 * where words with "=" and without ":" belong to the engine before; or "all", those of
 * the paper and of after it that can be used here; NULL: that of IOMETHOD. 0, or, on
 * every rank, -errno with a sentence. Leaves r->engine what stores files, if any. */
int engines_parse(struct engines *e, struct run *r, const char *list);

/* Local. Which one has turn number `turn` of a repetition: each is first once. */
int engines_turn(const struct engines *e, int rep, int turn);

/* Local. Whether one of them stores what is written. */
bool engines_store(const struct engines *e);

#endif
