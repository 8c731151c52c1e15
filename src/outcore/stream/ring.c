#include "outcore/stream/passing.h"
#include <time.h>

/* Time to spin before sleeping: the other lane needs less for a small file. */
#define SPIN_NS 20000

/* A sleeping lane is woken when half of the slots are filled (or free), so that one
 * thread switch serves that many files. It wakes by itself after this time, as a slow
 * reader fills half of the slots late: the later, the more slots there are. */
enum { NAP_NS = 50000, LONG_NAP_NS = 1000000 };

/* ---- bells ----------------------------------------------------------------------- */

void bell_open(struct bell *b, int slots)
{
    pthread_condattr_t how;
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->rung, &how);
    pthread_condattr_destroy(&how);
    b->awaited = false;
    b->nap_ns = slots < RING_BATCH ? NAP_NS : LONG_NAP_NS;
}

void bell_close(struct bell *b)
{
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->rung);
}

/* Wakes the waiting lane. The caller has already published what it waits for: either we
 * see that it waits, or it sees our write. */
static void bell_ring(struct bell *b)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&b->awaited, memory_order_relaxed))
        return;
    pthread_mutex_lock(&b->lock);
    pthread_cond_signal(&b->rung);
    pthread_mutex_unlock(&b->lock);
}

static void bell_sleep(struct bell *b, bell_ready *ready, void *context)
{
    int64_t until_ns = clock_ns() + b->nap_ns;
    struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
    pthread_mutex_lock(&b->lock);
    atomic_store(&b->awaited, true);
    atomic_thread_fence(memory_order_seq_cst);
    if (!ready(context))
        pthread_cond_timedwait(&b->rung, &b->lock, &until);
    atomic_store(&b->awaited, false);
    pthread_mutex_unlock(&b->lock);
}

void bell_await(struct bell *b, struct run *r, bool at_once, bell_ready *ready,
                void *context)
{
    if (ready(context))
        return;
    enum act before = phase_act(r->phase, ACT_IDLE);
    int64_t begin_ns = r->phase->switch_ns;
    while (!ready(context))
        if (at_once || clock_ns() - begin_ns > SPIN_NS)
            bell_sleep(b, ready, context);
    phase_act(r->phase, before);
}

/* ---- rings ----------------------------------------------------------------------- */

void ring_open(struct ring *g, int slots, bool at_once, struct bell *data)
{
    g->slots = slots;
    g->at_once = at_once;
    g->data = data;
    ring_empty(g);
    bell_open(&g->room, slots);
}

void ring_empty(struct ring *g)
{
    g->filled = g->taken = 0;
    g->taken_seen = g->filled_seen = 0;
    g->ended = false;
}

void ring_close(struct ring *g)
{
    bell_close(&g->room);
}

/* Loads the other lane's counter only if the value seen last does not suffice, as each
 * load moves its cache line from core to core. */
bool ring_has_room(struct ring *g, int64_t k)
{
    if (k - g->taken_seen >= g->slots)
        g->taken_seen = atomic_load_explicit(&g->taken, memory_order_acquire);
    return k - g->taken_seen < g->slots;
}

struct wanted {
    struct ring *ring;
    int64_t k;
};

static bool is_free(void *wanted)
{
    const struct wanted *w = wanted;
    return ring_has_room(w->ring, w->k);
}

struct slot *ring_room(struct ring *g, struct run *r, int64_t k)
{
    struct wanted w = {g, k};
    bell_await(&g->room, r, g->at_once, is_free, &w);
    return &g->slot[k % g->slots];
}

void ring_fill(struct ring *g)
{
    int64_t filled = atomic_load_explicit(&g->filled, memory_order_relaxed) + 1;
    atomic_store_explicit(&g->filled, filled, memory_order_release);
    if (2 * (filled - g->taken_seen) < g->slots)
        return;
    g->taken_seen = atomic_load_explicit(&g->taken, memory_order_acquire);
    if (2 * (filled - g->taken_seen) >= g->slots)
        bell_ring(g->data);
}

void ring_end(struct ring *g)
{
    atomic_store_explicit(&g->ended, true, memory_order_release);
    bell_ring(g->data);
}

struct slot *ring_next(struct ring *g)
{
    int64_t k = atomic_load_explicit(&g->taken, memory_order_relaxed);
    if (k == g->filled_seen)
        g->filled_seen = atomic_load_explicit(&g->filled, memory_order_acquire);
    return k == g->filled_seen ? NULL : &g->slot[k % g->slots];
}

void ring_take(struct ring *g)
{
    int64_t taken = atomic_load_explicit(&g->taken, memory_order_relaxed) + 1;
    atomic_store_explicit(&g->taken, taken, memory_order_release);
    if (2 * (g->filled_seen - taken) > g->slots)
        return;
    g->filled_seen = atomic_load_explicit(&g->filled, memory_order_acquire);
    if (2 * (g->filled_seen - taken) <= g->slots)
        bell_ring(&g->room);
}

bool ring_is_over(struct ring *g)
{
    return atomic_load_explicit(&g->ended, memory_order_acquire) && !ring_next(g);
}
