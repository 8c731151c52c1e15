/* Many small files for outcore stream, generated or in an existing folder: listed, read
 * by readers and a consumer (passing.h), written. */
#ifndef OUTCORE_STREAM_MANY_H
#define OUTCORE_STREAM_MANY_H

#include "outcore/data/folder.h"
#include "outcore/data/make.h"
#include "outcore/stream/passing.h"
#include "outcore/stream/sink.h"

/* ---- large files ----------------------------------------------------------------- */

/* A large file whose parts the lanes read in order, one part per lane, each into its
 * own sink. The file is divided into sections, each of which is a "file" to the sink:
 * so the sums do not depend on how parts are assigned to lanes. */

struct large {
    struct data_file file;
    struct data_rows rows; /* of one byte each, if it is generated */
    uint64_t key;
    int slots;
    int64_t slot_bytes;
    struct sink *sink; /* one per lane */
};

/* Local. Sets the contents: `bytes` bytes that follow from the seed. */
void large_prepare(struct large *g, int64_t bytes, uint64_t seed);

/* Local. Returns the most bytes of a lane's r->buffer that a stream needs. */
int64_t large_memory(int64_t slots, int64_t slot_bytes);

/* Local, on the rank's thread, in a phase, with the file open: all lanes read their
 * parts through g->slots slots; plainly: through one. A failure is kept. */
void large_run(struct large *g, struct run *r, bool plainly);

/* Local, on the rank's thread: adds the sums that follow from the seed. */
void large_expect(struct large *g, struct run *r);

/* ---- many files ------------------------------------------------------------------ */

struct many {
    struct data_folder folder;
    bool given;
    struct documents documents; /* the generated ones */
    int version;                /* version of the words that was written last */
    struct names names;         /* those of this rank */
    enum names_order order;
    const char *list; /* NULL: all files in the folder; else a file with names */
    int64_t gone;     /* how many of this rank's names had vanished */
    bool deep;        /* recurses into subfolders; then names are a/b/c */
    struct passing passing;
};

/* Local. Sets the folder to an existing one. 0, or -ENAMETOOLONG with a sentence. */
int many_give(struct many *m, const char *path);

/* **Collective**, outside of phases or within. Lists the folder, anew each time it is
 * called, as it may have changed: each rank keeps the names that are its own, in order.
 * Returns the agreed verdict: -ENOENT if there is no file in it. An entry that is
 * neither a file nor, with `deep`, a folder is refused. */
int many_list(struct run *r, struct many *m);

/* **Collective.** Makes the folder and its documents in a phase `make`, which is not
 * part of the work. Returns the agreed verdict. */
int many_make(struct run *r, struct many *m);

/* Local, on the rank's thread, in a phase. All lanes write their documents. */
void many_write(struct run *r, struct many *m, enum io_replace how, bool sync_each,
                bool sync_end);

/* Local, on the rank's thread, outside of phases. Computes the expected sums of the
 * sinks; all lanes together add them to lane[]. */
void many_expect(struct run *r, struct many *m, struct sink lane[]);

void many_free(struct many *m);

#endif
