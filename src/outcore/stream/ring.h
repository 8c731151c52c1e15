/* Slots between a reader and its consumer: one lane fills them, one empties them, in
 * their order. Slots are handed over without a lock; only who waits for longer sleeps
 * by one, until the other rings. */
#ifndef OUTCORE_STREAM_RING_H
#define OUTCORE_STREAM_RING_H

#include "run/run.h"
#include <pthread.h>
#include <stdatomic.h>

#define RING_SLOTS_MAX 64
#define RING_BATCH 16 /* slots: half of them are worth a change of threads */

struct slot { /* a cache line: one is filled while its neighbour is emptied */
    _Alignas(64) char *data;
    int64_t name;  /* the number of its file's; -1: there is no file, and no byte */
    int64_t bytes; /* of this part */
    bool last;     /* of its file */
};

struct bell { /* by which one lane is woken */
    atomic_bool awaited;
    pthread_mutex_t lock;
    pthread_cond_t rung;
    int64_t nap_ns; /* of a sleep, at most */
};

struct ring {
    int slots;
    bool at_once; /* who waits sleeps, and does not look for a while before */
    struct slot slot[RING_SLOTS_MAX];
    struct bell room;                 /* the reader's */
    struct bell *data;                /* the consumer's, of all its rings */
    _Alignas(64) atomic_llong filled; /* the reader's: so many were handed over */
    int64_t taken_seen;               /* of `taken`, when it was last looked at */
    atomic_bool ended;                /* and there are no more */
    _Alignas(64) atomic_llong taken;  /* the consumer's */
    int64_t filled_seen;
};

/* Local. Whether what a lane waits for is there. */
typedef bool bell_ready(void *context);

/* Local. Before all others, of rings with so many slots, and its end. */
void bell_open(struct bell *b, int slots);
void bell_close(struct bell *b);

/* Local, of the lane whose bell it is: waits until it is ready, which another lane sees
 * to before it rings (ACT_IDLE). */
void bell_await(struct bell *b, struct run *r, bool at_once, bell_ready *ready,
                void *context);

/* Local. An empty ring; and its end. */
void ring_open(struct ring *g, int slots, bool at_once, struct bell *data);
void ring_close(struct ring *g);

/* Local, while nobody uses it. It begins anew. */
void ring_empty(struct ring *g);

/* Local, of the reader. Slot number k, 0.. in turn, once it is free: waits for it
 * (ACT_IDLE). */
struct slot *ring_room(struct ring *g, struct run *r, int64_t k);
bool ring_has_room(struct ring *g, int64_t k);

/* Local, of the reader. The next slot is filled; there are no more. */
void ring_fill(struct ring *g);
void ring_end(struct ring *g);

/* Local, of the consumer. The oldest filled slot; NULL: there is none now. And it is
 * free again. */
struct slot *ring_next(struct ring *g);
void ring_take(struct ring *g);

/* Local, of the consumer. Nothing is in it, and nothing will come. */
bool ring_is_over(struct ring *g);

#endif
