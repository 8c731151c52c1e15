/* Phrases that are planted in documents, from a file with one a line; and the truth
 * about where they are. */
#ifndef OUTCORE_DATA_PLANT_H
#define OUTCORE_DATA_PLANT_H

#include "outcore/data/documents.h"

struct plant { /* all zeros: none */
    char *text;
    const char **phrase;
    int64_t n, most;
};

/* Local. Reads the file: each line is a phrase, of 255 bytes at most and without the
 * characters < > & that XML has for itself; empty lines do not count. 0, or -errno with
 * a sentence. */
int plant_read(struct plant *p, const char *path);
void plant_free(struct plant *p);

/* Local. Writes a file that must not be there, a line for each planted phrase: its
 * document's name, where it begins in it, its bytes, and itself, between tabulators.
 * Makes all documents once more, in `room`, which the largest fits in. 0, or
 * -errno with a sentence. */
int plant_truth(const struct documents *d, const char *path, void *room);

#endif
