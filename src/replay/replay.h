/* replay: repeats a skeleton's files, phases and steps. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/skeleton.h"
#include "run/lanes.h"
#include "run/workload.h"

#define REPLAY_RECORDED "RECORDED" /* the default file type */
#define REPLAY_DEPTH 4             /* the default of --depth */

struct replay_settings {
    const char *path, *think, *think_as;
    bool as_recorded;
    int64_t depth; /* 0: not asked for */
    struct run_options run;
};

/* Calls of a skeleton that are left out, for one reason. */
struct replay_left {
    int64_t calls, bytes;
};

struct replay_file { /* the file, or files, of a role */
    struct run_file f;
    bool made;   /* the file exists */
    bool before; /* made before the first phase */
    bool each;   /* in the skeleton, each rank has one */
    int alone;   /* the only rank that uses it; -1: several do */
    /* The end and the begin of the transfers in the skeleton; of this rank's transfers,
     * if each rank has a file. */
    int64_t bytes, begin;
    /* The way in which the file is stored. `own`: as one file for each rank, else as
     * one for all; `shift`: added to a place in the skeleton, it gives the place in the
     * file. */
    bool own;
    bool parts; /* partitioned by `plan` */
    struct ldad_plan plan;
    /* low to high: the range that this rank transfers */
    int64_t shift, stored_bytes, low, high;
    struct replay_handle *last; /* the handle of this rank's last transfer */
};

struct replay_handle { /* a file, while a phase has it open in one way */
    int file;
    bool collective;
    enum skeleton_level level;
    int64_t buffer; /* buffer of a stream, in bytes */
    char engine[32];
    int flags; /* enum io_flags */
    struct run_file f;
    /* files of the other threads (--threads); NULL: there are none */
    struct run_file *more;
};

struct replay_versions { /* versions that a file may have in a phase, newest first */
    int n;
    int version[SKELETON_PHASES_MOST + 1];
};

struct replay {
    struct replay_settings set;
    struct skeleton is;
    struct replay_file *file;
    struct replay_handle *handle; /* handles of the current phase */
    int handles;
    double factor; /* factor of the time between calls; 0: no pauses */
    int64_t largest;
    int depth;          /* most transfers of a rank in flight */
    int64_t slot_bytes; /* memory of each slot */
    const char *inner;  /* the engine for files that are not partitioned, if some are */
    bool *meets; /* per phase: ranks wait for each other at syncs of shared files */
    struct replay_left library, unplaced, directories, streams, syncs;
    int64_t drawn_calls, nonblocking_calls, within_calls;
    int64_t write_bytes, read_bytes, calls;
};

/* ---- the next place of a step (extents.c) -------------------------------------- */

struct replay_extents {
    const struct skeleton_plan *plan; /* NULL: there is nothing to do */
    int64_t place;                    /* the rank's place in the plan */
    struct sequence_walk walk;
    int64_t at, times; /* the descriptor, and its remaining repeats */
    int64_t chunk, chunks;
    struct ldad is;
};

/* Local. Begins the calls that `rank` makes in a step. */
void replay_extents_begin(struct replay_extents *x, const struct skeleton_step *t,
                          int64_t rank);

/* Local. Finds the next place and size; false: all descriptors are done. */
bool replay_extents_next(struct replay_extents *x, int64_t *offset, int64_t *bytes);

/* ---- contents of files (content.c) --------------------------------------------- */

/* All bytes of a file are one stamped block, whose stamp names the file, its rank if
 * each rank has one, and the phase that wrote. So what is read shows its file, place
 * and phase, whoever wrote it, and in however many pieces. Buffers begin at a multiple
 * of 8 bytes of the file, replay_lead bytes before the transfer. */
static inline int64_t replay_lead(int64_t offset)
{
    return offset & 7;
}

/* Local. Fills `buf`, which begins replay_lead(offset) bytes before `offset`. */
void replay_fill(struct run *r, int file, int version, void *buf, int64_t offset,
                 int64_t bytes);

/* Local. Checks the bytes in such a buffer; each piece must have one of the versions. A
 * failure is kept. */
void replay_check(struct run *r, int file, const char *path,
                  const struct replay_versions *v, void *buf, int64_t offset,
                  int64_t bytes);

/* Local. Returns the versions of file `n` that this rank may read in a phase. */
struct replay_versions replay_versions_of(const struct run *r, int n, int phase);

/* Local. Returns the first phase after which all bytes of the file that this rank may
 * read are written; the number of phases: there is none. */
int replay_covered_from(const struct run *r, int n);

/* Local. True if this rank may read bytes of file `n` that others write in the same
 * phase, and nothing shows that they have written them: ranks that wait for each other
 * in other ways than by syncs leave no trace. `meets`: all ranks wait for each other
 * after syncs. */
bool replay_races(const struct run *r, int n, int phase, bool meets);

/* ---- transfers (flight.c) ------------------------------------------------------ */

struct replay_flight {
    struct run_io io;
    struct replay_handle *handle;
    char *buf;     /* slot_bytes; begins replay_lead(place) bytes before req.buf */
    int64_t place; /* in the skeleton's file */
};

struct replay_flights { /* transfers of a rank in a phase */
    struct run *r;
    int phase;
    /* a ring: transfers in flight, the oldest first, or those that threads have yet to
     * make */
    struct replay_flight *slot;
    int slots, first, under_way;
    struct replay_versions *versions; /* versions of each file; n 0: not found yet */
    int64_t polled_ns, visible_ns;
};

/* Local. Opens the queue: 0, or -ENOMEM with a sentence. Close it in both cases; that
 * awaits all transfers. */
int replay_flights_open(struct replay_flights *l, struct run *r, int phase);
void replay_flights_close(struct replay_flights *l);

/* Local (collective with --collective). Transfers to or from a place of a file; data
 * are stamped, or checked. With IOMODE=ASYNC the transfer is in flight afterwards;
 * transfers that it must not overtake, and the one that has its slot, are awaited
 * before. Failures are kept. */
void replay_fly(struct replay_flights *l, struct replay_handle *h, enum io_op op,
                int64_t place, int64_t bytes);

/* Local. replay_land awaits the n oldest transfers; replay_land_file those of a file
 * and all that began before them. */
void replay_land(struct replay_flights *l, int n);
void replay_land_file(struct replay_flights *l, int file);

/* Local. Advances transfers in flight; call it often while nothing else is done. */
void replay_poll(struct replay_flights *l);

/* ---- phases and plans (plan.c, phases.c) --------------------------------------- */

int replay_plan(struct run *r, struct run_need *n);
int replay_prepare(struct run *r, void *context);
int replay_phases(struct run *r, void *context);

/* Local. True if several ranks use a file together. */
bool replay_is_shared(const struct replay *p, int n);

/* **Collective.** Returns the bytes of all files of a role; INT64_MAX: too many. */
int64_t replay_file_bytes(const struct run *r, int n);

/* **Collective.** Decides how files are stored, as FILETYPE says. Returns the agreed
 * verdict, with a sentence if a file cannot be stored so. */
int replay_store(struct run *r);

/* Local. True if a step is replayed. */
bool replay_is_done(const struct replay *p, const struct skeleton_step *t);

#endif
