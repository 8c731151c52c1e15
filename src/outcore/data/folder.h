/* A directory of documents that all lanes of all ranks make together: a file for each,
 * with its number as its name. */
#ifndef OUTCORE_DATA_FOLDER_H
#define OUTCORE_DATA_FOLDER_H

#include "io/whole.h"
#include "outcore/data/documents.h"
#include "run/run.h"

enum { DATA_FOLDER_PATH = 4096 };

struct data_folder {
    char path[DATA_FOLDER_PATH];
    bool made; /* made by the run, and present */
};

/* **Collective**, in a phase. Makes the directory d->path, which must not exist.
 * Returns the agreed verdict. */
int data_folder_create(struct run *r, struct data_folder *d);

struct data_fill {
    const struct data_folder *folder;
    const struct documents *documents;
    int first_lane; /* earlier lanes do nothing */
    enum io_replace how;
    bool sync_each; /* fsync each file, instead of all at the end */
    bool sync_end;
};

/* Local, on the rank's thread, in a phase. All lanes write their documents in
 * r->buffer, each of data_folder_room() bytes. A failure is kept. */
void data_folder_fill(struct run *r, const struct data_fill *fill);
int64_t data_folder_room(const struct documents *d);

/* Local. Splits a path into the directory, "." if it names none, and the name in it, ""
 * for a directory. Returns 0, or -ENAMETOOLONG with a sentence. */
int data_folder_of(const char *path, char folder[DATA_FOLDER_PATH], const char **name);

/* **Collective**, between or in phases. Removes the directory with its content, if it
 * is there. Returns the agreed verdict. */
int data_folder_remove(struct run *r, struct data_folder *d);

/* ---- made folders ---------------------------------------------------------------- */

/* Phrases that are planted in documents, from a file with one per line; and the truth
 * about their places. */

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
