/* The destination of a load: a PFM is made in a directory of its own beside its place,
 * and moved there when it is complete: its data first, then the handle file. All on
 * one rank.
 *
 * A lock excludes other loads of the same name from the first look to the end. As
 * locks do not work on every file system, nor for other programs, a load also
 * remembers the state of the old PFM, and is refused if that has changed when it is to
 * be replaced. */
#ifndef PFMLOAD_INPUT_DEST_H
#define PFMLOAD_INPUT_DEST_H

#include "hydro/pfm.h"

enum { DEST_FILES = 6 }; /* files of a PFM */

/* Identifies a state of a PFM. A missing file is all zero. */
struct dest_state {
    struct {
        int64_t inode, bytes, modified_s, modified_ns;
    } file[DEST_FILES];
};

struct dest {
    char handle[PFM_PATH]; /* "DIR/OUT.pfm" */
    char data[PFM_PATH];   /* "DIR/OUT.pfm.data" */
    /* before publication: */
    char part[PFM_PATH];        /* "DIR/OUT.pfm.ID", a directory, and in it: */
    char part_handle[PFM_PATH]; /* "DIR/OUT.pfm.ID/OUT.pfm" */
    char part_data[PFM_PATH];
    bool replaces;          /* an existing PFM */
    struct dest_state base; /* state of the old PFM at the first look */
    char lock_path[PFM_PATH];
    int lock; /* descriptor; -1: not locked */
};

/* Local. Names the PFM, `output` in `dir`. Returns 0, or -ENAMETOOLONG with a
 * sentence. */
int dest_name(struct dest *d, const char *dir, const char *output);

/* Local. Names the directory that it is made in; `id` makes it unique. */
void dest_name_part(struct dest *d, const char *id);

/* Local. Locks the PFM until dest_unlock. Returns 0, or -errno with a sentence: -EBUSY,
 * another load has it. */
int dest_lock(struct dest *d);
void dest_unlock(struct dest *d);

/* Local. Checks that it can be made: nothing is there, or (`replaces`) a PFM, whose
 * state becomes d->base. Returns 0, or -errno with a sentence. */
int dest_check(struct dest *d, bool replaces);

/* Local. Checks that the old PFM is still in the state d->base. Returns 0, or -ESTALE
 * with a sentence. */
int dest_check_base(const struct dest *d);

/* Local. Makes the temporary directories, which signals remove from then on. Files
 * that are made in them must be in the table of base/scratch.h. Returns 0, or -errno
 * with a sentence. */
int dest_begin(struct dest *d);

/* Local. Renames data and handle file, which must be complete and synced, to their
 * final names, durably. An old PFM is removed only then. Returns 0, or -errno with a
 * sentence; the old PFM is then still there, even if it is no longer d->base. */
int dest_publish(struct dest *d);

/* Local. Stops this process from removing its files: they have their final names, or
 * another rank has removed them. */
void dest_forget(const struct dest *d);

/* Local. Removes the temporary directories, with the files in them. */
void dest_remove(struct dest *d);

#endif
