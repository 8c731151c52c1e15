/* replay: a skeleton's files, phases and steps, done again. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/skeleton.h"
#include "run/lanes.h"
#include "run/workload.h"

#define REPLAY_RECORDED "RECORDED" /* filetype where none is asked for */
#define REPLAY_DEPTH 4             /* --depth, likewise */

struct replay_settings {
    const char *path, *think, *think_as;
    bool as_recorded;
    int64_t depth; /* 0: not asked for */
    struct run_options run;
};

/* What of a skeleton is not done again, and why. */
struct replay_left {
    int64_t calls, bytes;
};

struct replay_file { /* of a role */
    struct run_file f;
    bool made;   /* it is there */
    bool before; /* it is made before the first phase */
    bool each;   /* there is one for each rank, in the skeleton */
    int alone;   /* the only rank that uses it; -1: there are several */
    /* What is transferred in the skeleton ends, and begins; where each rank has a file,
     * in this rank's. */
    int64_t bytes, begin;
    /* How it is stored: a file for each rank, or one for all; `shift` is from a place
     * in the skeleton to that in the file. */
    bool own;
    bool parts; /* it is partitioned, by `plan` */
    struct ldad_plan plan;
    int64_t shift, stored_bytes, low, high; /* low to high: what this rank transfers */
    struct replay_handle *last;             /* that this rank transferred with */
};

struct replay_handle { /* a file, while a phase has it open in one way */
    int file;
    bool collective;
    enum skeleton_level level;
    int64_t buffer; /* of a stream */
    char engine[32];
    int flags; /* enum io_flags */
    struct run_file f;
    struct run_file *more; /* of the other threads (--threads); NULL: there are none */
};

struct replay_versions { /* that a file may have in a phase, newest first */
    int n;
    int version[SKELETON_PHASES_MOST + 1];
};

struct replay {
    struct replay_settings set;
    struct skeleton is;
    struct replay_file *file;
    struct replay_handle *handle; /* of the phase that runs */
    int handles;
    double factor; /* of the time between calls; 0: none */
    int64_t largest;
    int depth;          /* transfers of a rank under way, at most */
    int64_t slot_bytes; /* memory of each */
    const char *inner;  /* the engine of what is not partitioned, where something is */
    bool *meets; /* of each phase: whether its syncs of shared files are waited for */
    struct replay_left library, unplaced, directories, streams, syncs;
    int64_t drawn_calls, nonblocking_calls, within_calls;
    int64_t write_bytes, read_bytes, calls;
};

/* ---- what a step asks for next (extents.c) ------------------------------------- */

struct replay_extents {
    const struct skeleton_plan *plan; /* NULL: nothing */
    int64_t place;                    /* of the rank in it */
    struct sequence_walk walk;
    int64_t at, times; /* the descriptor, and how often it still comes */
    int64_t chunk, chunks;
    struct ldad is;
};

/* Local. Begins with what `rank` does of a step. */
void replay_extents_begin(struct replay_extents *x, const struct skeleton_step *t,
                          int64_t rank);

/* Local. The next place and size; false: no descriptor has more. */
bool replay_extents_next(struct replay_extents *x, int64_t *offset, int64_t *bytes);

/* ---- what is in the files (content.c) ------------------------------------------ */

/* All bytes of a file are one block's: its number, who has it where each rank has one,
 * and the phase that wrote. So what is read shows which file, place and phase it is of,
 * whoever wrote it, and in how many pieces. Buffers begin at a multiple of 8 bytes of
 * the file: replay_lead bytes before what is transferred. */
static inline int64_t replay_lead(int64_t offset)
{
    return offset & 7;
}

/* Local. Fills `buf`, which begins replay_lead(offset) bytes before `offset`. */
void replay_fill(struct run *r, int file, int version, void *buf, int64_t offset,
                 int64_t bytes);

/* Local. Checks it; each piece must be of one of the versions. A failure is kept. */
void replay_check(struct run *r, int file, const char *path,
                  const struct replay_versions *v, void *buf, int64_t offset,
                  int64_t bytes);

/* Local. Those that file `n` may have in a phase, for this rank's reads. */
struct replay_versions replay_versions_of(const struct run *r, int n, int phase);

/* Local. The first phase that has written all of a file that this rank may read; the
 * number of phases: none has. */
int replay_covered_from(const struct run *r, int n);

/* Local. Whether this rank may read of file `n` in a phase what others write in it, and
 * nothing says that they have: ranks that wait for each other in other ways than by
 * syncs leave no trace. `meets`: whether all wait for each other after syncs. */
bool replay_races(const struct run *r, int n, int phase, bool meets);

/* ---- transfers (flight.c) ------------------------------------------------------ */

struct replay_flight {
    struct run_io io;
    struct replay_handle *handle;
    char *buf;     /* slot_bytes; begins replay_lead(place) bytes before req.buf */
    int64_t place; /* in the skeleton's file */
};

struct replay_flights { /* of a rank in a phase */
    struct run *r;
    int phase;
    struct replay_flight *slot; /* a ring: those under way, the oldest first; or that
                                 * threads have not made yet */
    int slots, first, under_way;
    struct replay_versions *versions; /* by file; n 0: not asked for yet */
    int64_t polled_ns, visible_ns;
};

/* Local. -ENOMEM with a sentence. Closing awaits all, in both cases. */
int replay_flights_open(struct replay_flights *l, struct run *r, int phase);
void replay_flights_close(struct replay_flights *l);

/* Local (collective with --collective). Transfers from or to a place of a file, with
 * data that are made, or checked. With IOMODE=ASYNC it is under way afterwards; what it
 * must not overtake, and what has its slot, is awaited before. Failures are kept. */
void replay_fly(struct replay_flights *l, struct replay_handle *h, enum io_op op,
                int64_t place, int64_t bytes);

/* Local. Awaits the n oldest; those of a file, with all that began before. */
void replay_land(struct replay_flights *l, int n);
void replay_land_file(struct replay_flights *l, int file);

/* Local. To be called often while nothing else is done: moves on what is under way. */
void replay_poll(struct replay_flights *l);

/* ---- what is done (plan.c, phases.c) ------------------------------------------- */

int replay_plan(struct run *r, struct run_need *n);
int replay_prepare(struct run *r, void *context);
int replay_phases(struct run *r, void *context);

/* Local. Whether several ranks use a file together. */
bool replay_is_shared(const struct replay *p, int n);

/* **Collective.** The bytes of all files of a role; INT64_MAX: more than can be. */
int64_t replay_file_bytes(const struct run *r, int n);

/* **Collective.** How files are stored, as FILETYPE says. The agreed verdict: a
 * sentence where a file cannot be stored so. */
int replay_store(struct run *r);

/* Local. Whether a step is done again. */
bool replay_is_done(const struct replay *p, const struct skeleton_step *t);

#endif
