/* A ring of slots between a reader and its consumer: one lane fills them, the other
 * empties them, in order. Slots are handed over without a lock; only a lane that waits
 * for longer sleeps on a bell, until the other lane rings it. */
#ifndef OUTCORE_STREAM_RING_H
#define OUTCORE_STREAM_RING_H

#include "run/run.h"
#include <pthread.h>
#include <stdatomic.h>

#define RING_SLOTS_MAX 64
#define RING_BATCH 16 /* slots: half of them are worth a thread switch */

struct slot { /* a cache line, as one is filled while its neighbour is emptied */
    _Alignas(64) char *data;
    int64_t name;  /* number of its file's name; -1: there is no file, and no byte */
    int64_t bytes; /* size of this part */
    bool last;     /* the last part of its file */
};

struct bell { /* wakes one lane */
    atomic_bool awaited;
    pthread_mutex_t lock;
    pthread_cond_t rung;
    int64_t nap_ns; /* longest sleep */
};

struct ring {
    int slots;
    bool at_once; /* a waiting lane sleeps without spinning first */
    struct slot slot[RING_SLOTS_MAX];
    struct bell room;                 /* the reader waits on it */
    struct bell *data;                /* the consumer waits on it, for all its rings */
    _Alignas(64) atomic_llong filled; /* written by the reader: slots handed over */
    int64_t taken_seen;               /* `taken` when it was last loaded */
    atomic_bool ended;                /* no more slots will be filled */
    _Alignas(64) atomic_llong taken;  /* written by the consumer */
    int64_t filled_seen;
};

/* Local. True if the condition that a lane waits for holds. */
typedef bool bell_ready(void *context);

/* Local. Initialises a bell for rings of so many slots, before any other call;
 * frees it. */
void bell_open(struct bell *b, int slots);
void bell_close(struct bell *b);

/* Local, by the lane that owns the bell: waits (ACT_IDLE) until ready() is true.
 * Another lane makes it true and then rings. */
void bell_await(struct bell *b, struct run *r, bool at_once, bell_ready *ready,
                void *context);

/* Local. Initialises an empty ring; frees it. */
void ring_open(struct ring *g, int slots, bool at_once, struct bell *data);
void ring_close(struct ring *g);

/* Local, while no lane uses the ring. Resets it. */
void ring_empty(struct ring *g);

/* Local, by the reader. Waits (ACT_IDLE) until slot number k, 0.. in turn, is free, and
 * returns it; ring_has_room() does not wait. */
struct slot *ring_room(struct ring *g, struct run *r, int64_t k);
bool ring_has_room(struct ring *g, int64_t k);

/* Local, by the reader. Hands over the next slot; ring_end() says that there are
 * no more. */
void ring_fill(struct ring *g);
void ring_end(struct ring *g);

/* Local, by the consumer. ring_next() returns the oldest filled slot, or NULL if there
 * is none now; ring_take() frees it. */
struct slot *ring_next(struct ring *g);
void ring_take(struct ring *g);

/* Local, by the consumer. True if the ring is empty and will stay empty. */
bool ring_is_over(struct ring *g);

#endif
