/* The threads of a rank: they wait for work, do it, and report its end. While a lane
 * works, its own thread owns its data; while it waits, the first thread does. */
#include "run/lanes.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "run/inside.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lane { /* a lane other than the first */
    struct run_lanes *team;
    int number; /* of the lane; `view` may change before the thread is there */
    struct run view;
    pthread_t thread;
    bool started;
    int64_t cpu_ns; /* processor time of the thread in its body */
};

struct run_lanes {
    pthread_mutex_t lock; /* protects the members below, but not `lane` */
    pthread_cond_t begun, done;
    run_lane_body *body;
    void *context;
    int64_t turn; /* number of bodies started */
    int busy;     /* lanes still working */
    bool ended;
    const struct phase **phase; /* of all lanes */
    int n;                      /* entries of `lane` */
    struct lane lane[];
};

/* ---- the threads ----------------------------------------------------------------- */

/* Waits for the next body. Returns false if there is none. */
static bool lane_await(struct run_lanes *t, int64_t turn)
{
    pthread_mutex_lock(&t->lock);
    while (t->turn == turn && !t->ended)
        pthread_cond_wait(&t->begun, &t->lock);
    bool some = t->turn != turn;
    pthread_mutex_unlock(&t->lock);
    return some;
}

static void lane_done(struct run_lanes *t)
{
    pthread_mutex_lock(&t->lock);
    t->busy--;
    pthread_cond_signal(&t->done);
    pthread_mutex_unlock(&t->lock);
}

static void *lane_live(void *lane)
{
    struct lane *l = lane;
    struct run_lanes *t = l->team;
    err_lane(l->number);
    for (int64_t turn = 0; lane_await(t, turn); turn++) {
        phase_act(l->view.phase, ACT_COMPUTE);
        l->cpu_ns = -clock_thread_ns();
        t->body(&l->view, t->context);
        l->cpu_ns += clock_thread_ns();
        phase_act(l->view.phase, ACT_IDLE);
        lane_done(t);
    }
    return NULL;
}

static int lane_start(struct lane *l)
{
    int rc = thread_start(&l->thread, 0, lane_live, l);
    l->started = !rc;
    if (!rc)
        return 0;
    return err_set(rc, NULL, -1,
                   "thread %d of %d cannot be started: %s: take fewer threads, or see "
                   "what limits them (ulimit -u)",
                   l->number, l->view.lanes, strerror(-rc));
}

/* ---- beginning and end ----------------------------------------------------------- */

/* Makes the lane's view the rank's present state, but for the lane's own members. */
static void lane_look(struct lane *l, const struct run *r)
{
    struct run *v = &l->view;
    struct run own = *v;
    *v = *r;
    v->team = NULL;
    v->lane = l->number;
    v->worker = r->worker + l->number;
    v->phase = own.phase;
    v->file = own.file;
    v->buffer = own.buffer;
    v->buffer_count = own.buffer_count;
    memcpy(v->buffers, own.buffers, sizeof own.buffers);
    v->progress.on = false; /* lane 0 of rank 0 shows the progress of all */
    v->checked = v->bad = 0;
    v->origin = (struct run_origin){0};
    v->care_ns = v->queue_ns = 0;
    memset(v->cpu_ns, 0, sizeof v->cpu_ns);
}

static int lane_open(struct run *r, int i)
{
    struct lane *l = &r->team->lane[i - 1];
    l->team = r->team;
    l->number = i;
    int rc = phase_open(&l->view.phase);
    if (!rc)
        live_watch(r, l->view.phase, i);
    lane_look(l, r);
    r->team->phase[i] = l->view.phase;
    return rc ? rc : lane_start(l);
}

static struct run_lanes *lanes_alloc(int lanes)
{
    int n = lanes - 1;
    struct run_lanes *t =
        mem_new(1, sizeof *t + (size_t)n * sizeof t->lane[0], "threads");
    const struct phase **phase = mem_new(lanes, sizeof *phase, "threads");
    if (!t || !phase) {
        free(t);
        free(phase);
        return NULL;
    }
    t->n = n;
    t->phase = phase;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

int run_lanes_open(struct run *r, int lanes)
{
    int rc = 0;
    if (lanes < 2)
        return 0;
    r->team = lanes_alloc(lanes);
    if (!r->team)
        return -ENOMEM;
    r->lanes = lanes;
    for (int i = 1; i < lanes && !rc; i++)
        rc = lane_open(r, i);
    if (rc)
        run_lanes_close(r);
    return rc;
}

static void lanes_stop(struct run_lanes *t)
{
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->n; i++)
        if (t->lane[i].started)
            pthread_join(t->lane[i].thread, NULL);
}

void run_lanes_close(struct run *r)
{
    struct run_lanes *t = r->team;
    if (!t)
        return;
    lanes_stop(t);
    for (int i = 0; i < t->n; i++)
        phase_close(&t->lane[i].view.phase);
    pthread_cond_destroy(&t->begun);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    free(t->phase);
    free(t);
    r->team = NULL;
    r->lanes = 1;
}

struct run *run_lane_of(struct run *r, int i)
{
    return i ? &r->team->lane[i - 1].view : r;
}

/* ---- work ------------------------------------------------------------------------ */

static void lanes_begin(struct run_lanes *t, run_lane_body *body, void *context)
{
    pthread_mutex_lock(&t->lock);
    t->body = body;
    t->context = context;
    t->busy = t->n;
    t->turn++;
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

void lanes_take(struct run *r)
{
    for (int i = 0; r->team && i < r->team->n && !r->failed; i++)
        r->failed = r->team->lane[i].view.failed;
}

static void lanes_await(struct run *r)
{
    struct run_lanes *t = r->team;
    enum act before = phase_act(r->phase, ACT_IDLE);
    pthread_mutex_lock(&t->lock);
    while (t->busy)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
    phase_act(r->phase, before);
    lanes_take(r);
}

/* Charges the process's remaining processor time, which is that of an engine's helper
 * threads, to reads and writes in proportion to their calls. */
static void lanes_charge(struct run *r, int64_t ns, const int64_t before[ACT_COUNT])
{
    static const enum act kinds[] = {ACT_READ, ACT_WRITE};
    int64_t calls[ACT_COUNT];
    for (int i = 0; i < 2; i++)
        calls[kinds[i]] = lanes_calls(r, kinds[i]) - before[kinds[i]];
    int64_t all = calls[ACT_READ] + calls[ACT_WRITE];
    for (int i = 0; i < 2 && all && ns > 0; i++)
        r->cpu_ns[kinds[i]] +=
            (int64_t)((double)ns * (double)calls[kinds[i]] / (double)all);
}

static void lanes_work(struct run *r, run_lane_body *body, void *context)
{
    int64_t calls[ACT_COUNT] = {
        [ACT_READ] = lanes_calls(r, ACT_READ), [ACT_WRITE] = lanes_calls(r, ACT_WRITE)};
    int64_t helpers_ns = clock_thread_ns() - clock_cpu_ns();
    lanes_begin(r->team, body, context);
    err_lane(0);
    body(r, context);
    err_lane(-1);
    lanes_await(r);
    helpers_ns += clock_cpu_ns() - clock_thread_ns();
    for (int i = 0; i < r->team->n; i++)
        helpers_ns -= r->team->lane[i].cpu_ns;
    if (r->queues)
        lanes_charge(r, helpers_ns, calls);
}

void run_lanes(struct run *r, run_lane_body *body, void *context)
{
    if (r->team)
        lanes_work(r, body, context);
    else
        body(r, context);
}

/* ---- phases ---------------------------------------------------------------------- */

void lanes_begin_phase(struct run *r, const char *name)
{
    for (int i = 0; r->team && i < r->team->n; i++) {
        struct lane *l = &r->team->lane[i];
        lane_look(l, r);
        phase_begin(l->view.phase, name, r->rep);
        phase_act(l->view.phase, ACT_IDLE);
    }
}

/* Adds a lane's counts to the rank's. The kernel counts for the whole process: lane 0
 * has its figures, and the other lanes report none. */
static void lane_fold(struct run *r, struct run *v)
{
    r->checked += v->checked;
    r->bad += v->bad;
    r->origin.looked_bytes += v->origin.looked_bytes;
    r->origin.resident_bytes += v->origin.resident_bytes;
    r->care_ns += v->care_ns;
    r->queue_ns += v->queue_ns;
    for (int a = 0; a < ACT_COUNT; a++)
        r->cpu_ns[a] += v->cpu_ns[a];
    if (v->phase->act[ACT_READ].calls)
        phase_device(v->phase, ACT_READ, 0);
}

void lanes_end_phase(struct run *r)
{
    for (int i = 0; r->team && i < r->team->n; i++) {
        phase_end(r->team->lane[i].view.phase);
        lane_fold(r, &r->team->lane[i].view);
    }
}

void lanes_fail(struct run *r)
{
    for (int i = 0; r->team && i < r->team->n; i++)
        r->team->lane[i].view.failed = r->failed;
}

int64_t lanes_calls(struct run *r, enum act a)
{
    const struct phase *const *p = lanes_phases(r);
    int64_t calls = p[0]->act[a].calls;
    for (int i = 1; r->team && i <= r->team->n; i++)
        calls += p[i]->act[a].calls;
    return calls;
}

const struct phase *const *lanes_phases(struct run *r)
{
    const struct phase **all =
        r->team ? r->team->phase : (const struct phase **)&r->phase;
    all[0] = r->phase;
    return all;
}
