/* Scheme D: slaves sort soundings by bins and pack them in the PFM's form; the I/O node
 * copies them into its blocks. */
#include "base/mem.h"
#include "pfmload/schemes/heap.h"
#include "run/lanes.h"
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

static void scheme_d_take(void *heap, const uint8_t *buf, int64_t n, int from)
{
    (void)from;
    packets_add(heap, buf, n);
}

static void d_io_node(struct load *l)
{
    struct receiver v;
    struct heap h;
    int rc = receiver_open(&v, l), opened = heap_open(&h, l, load_memory(l));
    if (load_ready(l, rc ? rc : opened))
        receiver_run(&v, roles_slaves(l), scheme_d_take, &h);
    heap_flush(&h);
    heap_close(&h);
    receiver_close(&v);
}

static void d_slave(struct load *l)
{
    packets_slave(l, CHANNEL_UNLIMITED);
}

static void load_d(struct load *l)
{
    roles_play(l, d_io_node, d_slave);
}

const struct scheme scheme_d = {
    .name = "D", .ranks_min = 3, .reads_back = true, .load = load_d};

/* ---- D with a thread ------------------------------------------------------------- */

/* Scheme D with two threads on the I/O node, as in the paper's section 3: one receives,
 * one writes, and buffers wait in a queue between them. The queue of 2002 grew until
 * the node swapped. Here a slave needs a credit for each buffer it sends, and gets it
 * back when the buffer is written, so that no more than --queue-limit buffers are ever
 * in transit or waiting; 0 removes the limit. */

/* Lanes of the I/O node; the first one's thread is MPI's. */
enum { RECEIVER, WRITER, LANES };

struct buffer {
    struct buffer *next;  /* in the queue, or in the list of free buffers */
    struct buffer *other; /* in the list of all buffers */
    int from;             /* the slave that sent it */
    int64_t n;            /* bytes in it */
    uint8_t data[ROLES_MESSAGE];
};

struct queue {
    struct load *l;
    int64_t limit, available; /* limit of buffers, 0: none; bytes of memory
                               * available before */
    struct heap heap;         /* for the writing lane */
    /* for the receiving lane: */
    struct buffer *all, *free;
    int64_t buffers;
    /* for both: */
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t filled, written;
    struct buffer *full, **full_end; /* waiting buffers, the oldest first */
    struct buffer *done;             /* written buffers */
    int64_t held, peak;              /* buffers that wait or are being written; and
                                      * their maximum */
    bool ended;
    int failed;
};

/* ---- the writing lane ----------------------------------------------------------- */

static struct buffer *next_full(struct queue *q)
{
    struct phase *p = q->heap.r->phase;
    struct buffer *b;
    enum act before = phase_act(p, ACT_IDLE);
    while (!q->full && !q->ended)
        pthread_cond_wait(&q->filled, &q->lock);
    phase_act(p, before);
    b = q->full;
    if (b)
        q->full = b->next;
    if (!q->full)
        q->full_end = &q->full;
    return b;
}

static void scheme_d_threaded_write_all(struct queue *q)
{
    struct buffer *b;
    pthread_mutex_lock(&q->lock);
    while ((b = next_full(q))) {
        pthread_mutex_unlock(&q->lock);
        packets_add(&q->heap, b->data, b->n); /* does nothing after a failure */
        pthread_mutex_lock(&q->lock);
        q->failed = q->heap.r->failed;
        q->held--;
        b->next = q->done;
        q->done = b;
        pthread_cond_signal(&q->written);
    }
    pthread_mutex_unlock(&q->lock);
    heap_flush(&q->heap);
}

/* ---- the receiving lane --------------------------------------------------------- */

static bool make_buffer(struct queue *q)
{
    struct buffer *b = malloc(sizeof *b);
    if (!b)
        return false;
    b->next = q->free;
    q->free = b;
    b->other = q->all;
    q->all = b;
    q->buffers++;
    return true;
}

static uint8_t *scheme_d_room(void *queue)
{
    struct queue *q = queue;
    if (!q->free && (!q->limit || q->buffers < q->limit))
        make_buffer(q); /* after a failure there are other buffers to wait for */
    struct buffer *b = q->free;
    if (!b)
        return NULL;
    q->free = b->next;
    return b->data;
}

static void scheme_d_threaded_take(void *queue, const uint8_t *data, int64_t n,
                                   int from)
{
    struct queue *q = queue;
    struct buffer *b = (void *)(uintptr_t)(data - offsetof(struct buffer, data));
    b->n = n;
    b->from = from;
    b->next = NULL;
    pthread_mutex_lock(&q->lock);
    *q->full_end = b;
    q->full_end = &b->next;
    q->held++;
    q->peak = q->held > q->peak ? q->held : q->peak;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static void give_back(struct queue *q, struct buffer *done)
{
    while (done) {
        struct buffer *next = done->next;
        done->next = q->free;
        q->free = done;
        if (q->limit)
            roles_give_credit(q->l, done->from);
        done = next;
    }
}

/* Waits briefly for a written buffer, as messages may come, too; if the queue is full
 * this is idle time. */
static void wait_for_written(struct queue *q)
{
    enum { MOMENT_NS = 500000, SECOND_NS = 1000000000 };
    struct phase *p = q->l->r->phase;
    enum act before = phase_act(p, q->held == q->limit ? ACT_IDLE : p->now);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += MOMENT_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    pthread_cond_timedwait(&q->written, &q->lock, &until);
    phase_act(p, before);
}

static bool pause_receiving(void *queue)
{
    struct queue *q = queue;
    pthread_mutex_lock(&q->lock);
    bool any = q->held || q->done;
    if (q->held && !q->done)
        wait_for_written(q);
    struct buffer *done = q->done;
    int failed = q->failed;
    q->done = NULL;
    pthread_mutex_unlock(&q->lock);
    give_back(q, done);
    load_fail(q->l, failed);
    return any;
}

/* ---- beginning and end ---------------------------------------------------------- */

static void make_lock(struct queue *q)
{
    pthread_condattr_t attr;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    /* the time limit must not depend on the time of day */
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&q->written, &attr);
    pthread_condattr_destroy(&attr);
}

/* Sets the lane that transfers the files. */
static void files_of(struct load *l, struct run *r)
{
    l->blocks.run = l->bins.run = r;
}

static int queue_open(struct queue **out, struct load *l)
{
    struct queue *q = *out = mem_new(1, sizeof *q, "the queue");
    if (!q)
        return -ENOMEM;
    q->l = l;
    q->limit = l->set->queue_limit;
    q->available = world_memory_available();
    q->full_end = &q->full;
    make_lock(q);
    if (!make_buffer(q) || (q->limit != 1 && !make_buffer(q)))
        return mem_none(NULL, sizeof(struct buffer), "a buffer of the queue");
    files_of(l, run_lane_of(l->r, WRITER));
    return heap_open(&q->heap, l, load_memory(l));
}

static void warn_of_memory(const struct queue *q)
{
    int64_t bytes = q->peak * ROLES_MESSAGE;
    if (!q->limit && q->available > 0 && bytes > q->available / 2)
        report_warning(q->l->r->report, "queue_memory",
                       "%lld buffers waited, which is more than half of the memory: "
                       "set --queue-limit",
                       (long long)q->peak);
}

static void queue_close(struct queue *q)
{
    if (!q)
        return;
    files_of(q->l, q->l->r);
    q->l->peak = q->peak;
    warn_of_memory(q);
    heap_close(&q->heap);
    while (q->all) {
        struct buffer *b = q->all;
        q->all = b->other;
        free(b);
    }
    pthread_cond_destroy(&q->filled);
    pthread_cond_destroy(&q->written);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void receive_all(struct queue *q)
{
    struct receiver_keep keep = {scheme_d_room, pause_receiving, q};
    struct receiver v;
    receiver_start(&v, q->l, &keep);
    receiver_run(&v, roles_slaves(q->l), scheme_d_threaded_take, q);
    pthread_mutex_lock(&q->lock);
    q->ended = true;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static void work(struct run *r, void *queue)
{
    if (r->lane == WRITER)
        scheme_d_threaded_write_all(queue);
    else
        receive_all(queue);
}

static void io_node(struct load *l)
{
    struct queue *q;
    if (load_ready(l, queue_open(&q, l)))
        run_lanes(l->r, work, q);
    queue_close(q);
}

/* This slave's share of the queue's credits; the first slaves get the remainder. */
static int64_t credits(const struct load *l)
{
    int64_t limit = l->set->queue_limit, slaves = roles_slaves(l);
    int64_t slave = l->r->world.rank - LOAD_SLAVES;
    return limit ? limit / slaves + (slave < limit % slaves) : CHANNEL_UNLIMITED;
}

static void slave(struct load *l)
{
    packets_slave(l, credits(l));
}

static void load_d_threaded(struct load *l)
{
    roles_play(l, io_node, slave);
}

const struct scheme scheme_d_threaded = {.name = "D-threaded",
                                         .ranks_min = 3,
                                         .reads_back = true,
                                         .lanes = LANES,
                                         .load = load_d_threaded};
