/* Where the PFM goes: made whole in a folder of its own beside its place, and moved
 * from there when it is complete: its data first, then the handle file. All of it on
 * one rank.
 *
 * A lock keeps other loads of the same name out from the first look to the end. As
 * locks do not work on every file system, nor for other programs, a load also remembers
 * what was there, and is refused where that has changed when it is to be replaced. */
#ifndef PFMLOAD_INPUT_DEST_H
#define PFMLOAD_INPUT_DEST_H

#include "hydro/pfm.h"

enum { DEST_FILES = 6 }; /* of a PFM */

/* Tells one state of a PFM from another. A file that is not there is all zero. */
struct dest_state {
    struct {
        int64_t inode, bytes, modified_s, modified_ns;
    } file[DEST_FILES];
};

struct dest {
    char handle[PFM_PATH]; /* "DIR/OUT.pfm" */
    char data[PFM_PATH];   /* "DIR/OUT.pfm.data" */
    /* until it is published: */
    char part[PFM_PATH];        /* "DIR/OUT.pfm.ID", a folder, and in it: */
    char part_handle[PFM_PATH]; /* "DIR/OUT.pfm.ID/OUT.pfm" */
    char part_data[PFM_PATH];
    bool replaces;          /* a PFM that is there already */
    struct dest_state base; /* what was there when it was first looked at */
    char lock_path[PFM_PATH];
    int lock; /* descriptor; -1: not locked */
};

/* Local. Names the PFM, `output` in `dir`. Returns 0, or -ENAMETOOLONG with a
 * sentence. */
int dest_name(struct dest *d, const char *dir, const char *output);

/* Local. Names the folder that it is made in; `id` makes it unique. */
void dest_name_part(struct dest *d, const char *id);

/* Local. Keeps the PFM to this process until dest_unlock. Returns 0, or -errno with a
 * sentence: -EBUSY, another load has it. */
int dest_lock(struct dest *d);
void dest_unlock(struct dest *d);

/* Local. Whether it can be made: nothing is there, or (`replaces`) a PFM is, which
 * becomes d->base. Returns 0 or -errno with a sentence. */
int dest_check(struct dest *d, bool replaces);

/* Local. Whether what is there is still d->base. Returns 0, or -ESTALE with a
 * sentence. */
int dest_check_base(const struct dest *d);

/* Local. Makes the temporary folders, which signals remove from then on. Files that are
 * made in them must be in the table of base/scratch.h. Returns 0 or -errno with a
 * sentence. */
int dest_begin(struct dest *d);

/* Local. Gives data and handle file, which are complete and synced, their names, and
 * makes that durable. A PFM that was there is removed only then. Returns 0 or -errno
 * with a sentence: then what was there still is, also where that is no longer
 * d->base. */
int dest_publish(struct dest *d);

/* Local. This process removes none of its files any more: they have got their names, or
 * another rank has removed them. */
void dest_forget(const struct dest *d);

/* Local. Removes what is left of the temporary folders, with the files in them. */
void dest_remove(struct dest *d);

#endif
