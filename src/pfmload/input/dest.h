/* Where the PFM goes: made whole in a folder of its own beside its place, and moved
 * from there when it is complete: its data first, then the handle file. All of it on
 * one rank. */
#ifndef PFMLOAD_INPUT_DEST_H
#define PFMLOAD_INPUT_DEST_H

#include "hydro/pfm.h"

struct dest {
    char handle[PFM_PATH]; /* "DIR/OUT.pfm" */
    char data[PFM_PATH];   /* "DIR/OUT.pfm.data" */
    /* until it is published: */
    char part[PFM_PATH];        /* "DIR/OUT.pfm.ID", a folder, and in it: */
    char part_handle[PFM_PATH]; /* "DIR/OUT.pfm.ID/OUT.pfm" */
    char part_data[PFM_PATH];
    bool replaces; /* a PFM that is there already */
};

/* Local. Names the PFM, `output` in `dir`. Returns 0, or -ENAMETOOLONG with a
 * sentence. */
int dest_name(struct dest *d, const char *dir, const char *output);

/* Local. Names the folder that it is made in; `id` makes it unique. */
void dest_name_part(struct dest *d, const char *id);

/* Local. Whether it can be made: nothing is there, or (`replaces`) a PFM is. Returns 0
 * or -errno with a sentence. */
int dest_check(struct dest *d, bool replaces);

/* Local. Makes the temporary folders, which signals remove from then on. Files that are
 * made in them must be in the table of base/scratch.h. Returns 0 or -errno with a
 * sentence. */
int dest_begin(struct dest *d);

/* Local. Gives data and handle file, which are complete and synced, their names, and
 * makes that durable. A PFM that was there is removed only then. Returns 0 or -errno
 * with a sentence: then what was there still is. */
int dest_publish(struct dest *d);

/* Local. This process removes none of its files any more: they have got their names, or
 * another rank has removed them. */
void dest_forget(const struct dest *d);

/* Local. Removes what is left of the temporary folders, with the files in them. */
void dest_remove(struct dest *d);

#endif
