/* Many small files for outcore stream: made, or a folder that is there; listed, read by
 * readers and a consumer (passing.h), written. */
#ifndef OUTCORE_STREAM_MANY_H
#define OUTCORE_STREAM_MANY_H

#include "outcore/data/folder.h"
#include "outcore/stream/passing.h"

struct many {
    struct data_folder folder;
    bool given;
    struct documents documents; /* where they are made */
    int version;                /* of their words: the one that was written last */
    struct names names;         /* those of this rank */
    enum names_order order;
    const char *list; /* NULL: all in the folder; or a file with names */
    int64_t gone;     /* of these, those that were not there to this rank */
    bool deep;        /* folders in it are gone into, and names are a/b/c */
    struct passing passing;
};

/* Local. Its folder is that one, which exists. 0, or -ENAMETOOLONG with a sentence. */
int many_give(struct many *m, const char *path);

/* **Collective**, outside of phases or within. Lists the folder, as often as it has
 * changed: each rank keeps the names that are its own, in order. Returns the agreed
 * verdict: -ENOENT where there is no file in it; what is neither a file nor, if it goes
 * deep, a folder is refused. */
int many_list(struct run *r, struct many *m);

/* **Collective.** Phase `make`, none of the work: the folder and its documents. Returns
 * the agreed verdict. */
int many_make(struct run *r, struct many *m);

/* Local, on the rank's thread, in a phase. All lanes write their documents. */
void many_write(struct run *r, struct many *m, enum io_replace how, bool sync_each,
                bool sync_end);

/* Local, on the rank's thread, outside of phases: what sinks would come to, all lanes
 * together adding to lane[]. */
void many_expect(struct run *r, struct many *m, struct sink lane[]);

void many_free(struct many *m);

#endif
