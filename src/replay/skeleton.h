/* A skeleton as it is replayed (leadline-skeleton/1, doc/skeleton.md): files, phases
 * and steps. Reading any file ends with a sentence, or with numbers that make sense:
 * plans are sound, and every reference is to something that exists. */
#ifndef REPLAY_SKELETON_H
#define REPLAY_SKELETON_H

#include "algebra/descriptor.h"
#include "algebra/sequence.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    SKELETON_FILES_MOST = 4096,
    SKELETON_PHASES_MOST = 64,
    SKELETON_STEPS_MOST = 1 << 16,
    SKELETON_BUFFER_MOST = 1 << 30,
    SKELETON_RANKS_MOST = 1 << 24
};

enum skeleton_use { USE_NONE, USE_ONE, USE_EACH, USE_SEVERAL };

struct skeleton_file {
    enum skeleton_use use;
    int64_t files, inputs, bytes;
};

/* Some of the ranks, at equal distances. */
struct skeleton_ranks {
    int64_t first, step, ranks;
};

struct skeleton_descriptor {
    struct ldad_plan plan;
    int64_t repeats;
};

struct skeleton_plan {
    struct skeleton_ranks of;
    struct skeleton_descriptor *d;
    int ds;
    /* `order` is the order of descriptors, else they come one after the other */
    bool listed;
    struct sequence order;
};

enum skeleton_level { LEVEL_POSIX, LEVEL_STDIO, LEVEL_MPI, LEVEL_OTHER };

struct skeleton_step {
    bool there;
    int phase, file;
    /* The step is a sync, a drop of the file's pages from memory, or a flush of a
     * stream; else it is transfers. */
    bool sync, drop, flush;
    bool after_all; /* for a sync: all ranks wait for each other before it */
    bool write;     /* writes; else reads */
    enum skeleton_level level;
    bool collective, nonblocking;
    bool within;          /* a library that the program called made it */
    int64_t buffer;       /* buffer of the stream; 0: the library's choice */
    int64_t calls, bytes; /* transfers that moved something */
    int64_t ranks, empty; /* ranks that made such calls; calls that moved nothing */
    struct skeleton_plan *plan;
    int plans;
    int64_t drawn_calls, drawn_bytes, unplaced_calls, unplaced_bytes;
    double pause_s; /* mean pause before a call; < 0: the skeleton does not say */
};

struct skeleton_order {
    struct skeleton_ranks of;
    struct sequence is;
};

struct skeleton_phase {
    struct skeleton_order *order;
    int orders;
    int64_t lost;   /* ranks whose order is not known */
    double think_s; /* a rank's mean time between calls */
};

struct skeleton {
    int64_t ranks;
    struct skeleton_file *file;
    struct skeleton_phase *phase;
    struct skeleton_step *step; /* indexed by number */
    int files, phases, steps;
};

/* Local. Reads a skeleton from the text of the file `path`. Returns 0, or -errno with a
 * sentence; free it in both cases. */
int skeleton_read(struct skeleton *s, const char *path, const char *text,
                  int64_t bytes);
void skeleton_free(struct skeleton *s);

/* Local. Returns the place of a rank among them, 0..; -1: it is not one of them. */
int64_t skeleton_place(const struct skeleton_ranks *of, int64_t rank);

/* Local. True if a step moves bytes. */
static inline bool skeleton_moves(const struct skeleton_step *t)
{
    return !t->sync && !t->drop && !t->flush;
}

/* Local. Return a rank's plan and order; NULL: it does nothing, or it is not known. */
const struct skeleton_plan *skeleton_plan_of(const struct skeleton_step *t,
                                             int64_t rank);
const struct sequence *skeleton_order_of(const struct skeleton_phase *p, int64_t rank);

/* Local. Returns the number of calls that one rank makes by a plan. */
int64_t skeleton_plan_calls(const struct skeleton_plan *p);

/* Local. Adds n `times` times, up to INT64_MAX, which stands for that much or more. */
void skeleton_sum(int64_t *to, int64_t n, int64_t times);

#endif
