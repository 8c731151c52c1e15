/* Phrases that are planted in documents, from a file with one per line; and the truth
 * about their places. */
#ifndef OUTCORE_DATA_PLANT_H
#define OUTCORE_DATA_PLANT_H

#include "outcore/data/documents.h"

struct plant { /* all zeros: none */
    char *text;
    const char **phrase;
    int64_t n, most;
};

/* Local. Reads the file: each line is a phrase, of at most 255 bytes and
 * without the XML characters < > &; empty lines are skipped. Returns 0, or
 * -errno with a sentence. */
int plant_read(struct plant *p, const char *path);
void plant_free(struct plant *p);

/* Local. Writes a new file with a line for each planted phrase: its document's name,
 * its offset in it, its bytes, and the phrase, separated by tabs. Makes all
 * documents again, in `room`, which must fit the largest. Returns 0, or -errno with
 * a sentence. */
int plant_truth(const struct documents *d, const char *path, void *room);

#endif
