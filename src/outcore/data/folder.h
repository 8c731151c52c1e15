/* A folder of documents that all lanes of all ranks make, each some of them, and that
 * is one for all: a file each, with its number as its name. */
#ifndef OUTCORE_DATA_FOLDER_H
#define OUTCORE_DATA_FOLDER_H

#include "io/whole.h"
#include "outcore/data/documents.h"
#include "run/run.h"

enum { DATA_FOLDER_PATH = 4096 };

struct data_folder {
    char path[DATA_FOLDER_PATH];
    bool made; /* by the run, and there */
};

/* **Collective**, in a phase. Makes the folder d->path, which must not be there.
 * Returns the agreed verdict. */
int data_folder_create(struct run *r, struct data_folder *d);

struct data_fill {
    const struct data_folder *folder;
    const struct documents *documents;
    int first_lane; /* those before it do nothing */
    enum io_replace how;
    bool sync_each; /* fsync of each file, and not of all at the end */
    bool sync_end;
};

/* Local, on the rank's thread, in a phase: all its lanes write their documents, which
 * take r->buffer of each: data_folder_room(). A failure is kept. */
void data_folder_fill(struct run *r, const struct data_fill *fill);
int64_t data_folder_room(const struct documents *d);

/* Local. The folder that a path leads to, "." where it names none, and the name in it,
 * "" where it is a folder's. 0, or -ENAMETOOLONG with a sentence. */
int data_folder_of(const char *path, char folder[DATA_FOLDER_PATH], const char **name);

/* **Collective**, between or in phases. Removes it with all that is in it; nothing
 * where it is not there. Returns the agreed verdict. */
int data_folder_remove(struct run *r, struct data_folder *d);

#endif
