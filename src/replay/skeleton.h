/* A skeleton as it is replayed (leadline-skeleton/1, doc/skeleton.md): files, phases
 * and steps. Whatever a file holds, reading it ends with a sentence, or with numbers
 * that make sense: plans are sound, and what refers to something refers to what is
 * there. */
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
    bool listed; /* the order of descriptors is `order`, else their own */
    struct sequence order;
};

enum skeleton_level { LEVEL_POSIX, LEVEL_STDIO, LEVEL_MPI, LEVEL_OTHER };

struct skeleton_step {
    bool there;
    int phase, file;
    /* No transfers: a sync, the file's pages leave memory, or a stream's bytes do. */
    bool sync, drop, flush;
    bool after_all; /* a sync: all ranks wait for each other before it */
    bool write;     /* else it reads */
    enum skeleton_level level;
    bool collective, nonblocking;
    bool within;          /* a library made it, and the program called that */
    int64_t buffer;       /* of the stream; 0: the library's choice */
    int64_t calls, bytes; /* of transfers: those that moved something */
    int64_t ranks, empty; /* that made such calls; calls that moved nothing */
    struct skeleton_plan *plan;
    int plans;
    int64_t drawn_calls, drawn_bytes, unplaced_calls, unplaced_bytes;
    double pause_s; /* before each call, on average; < 0: the skeleton does not say */
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
    struct skeleton_step *step; /* by number */
    int files, phases, steps;
};

/* Local. Reads it from the text of the file `path`. 0, or -errno with a sentence; free
 * it in both cases. */
int skeleton_read(struct skeleton *s, const char *path, const char *text,
                  int64_t bytes);
void skeleton_free(struct skeleton *s);

/* Local. Which of them a rank is, 0..; -1: none. */
int64_t skeleton_place(const struct skeleton_ranks *of, int64_t rank);

/* Local. Whether a step moves bytes. */
static inline bool skeleton_moves(const struct skeleton_step *t)
{
    return !t->sync && !t->drop && !t->flush;
}

/* Local. What a rank does; NULL: nothing, or it is not known. */
const struct skeleton_plan *skeleton_plan_of(const struct skeleton_step *t,
                                             int64_t rank);
const struct sequence *skeleton_order_of(const struct skeleton_phase *p, int64_t rank);

/* Local. The calls of a plan's one rank. */
int64_t skeleton_plan_calls(const struct skeleton_plan *p);

/* Local. Adds n so many times; INT64_MAX stands for all that is as much, or more. */
void skeleton_sum(int64_t *to, int64_t n, int64_t times);

#endif
