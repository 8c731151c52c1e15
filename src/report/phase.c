#include "report/phase.h"
#include "base/mem.h"
#include "base/thread.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- series ---------------------------------------------------------------------- */

void series_clear(struct series *s)
{
    memset(s, 0, sizeof *s);
    s->shift = SERIES_SHIFT;
}

static void join_slot(struct series_slot *to, const struct series_slot *from)
{
    to->bytes += from->bytes;
    to->calls += from->calls;
    if (from->longest_ns > to->longest_ns)
        to->longest_ns = from->longest_ns;
}

static void double_length(struct series *s)
{
    for (int i = 0; i < SERIES_SLOTS / 2; i++) {
        struct series_slot pair = s->slot[2 * i];
        join_slot(&pair, &s->slot[2 * i + 1]);
        s->slot[i] = pair;
    }
    memset(s->slot + SERIES_SLOTS / 2, 0, sizeof s->slot / 2);
    s->shift++;
}

void series_grow(struct series *s, int64_t ns, int shift)
{
    while (s->shift < shift || ns >> s->shift >= SERIES_SLOTS)
        double_length(s);
}

void series_join(struct series *s, const struct series *other, int64_t later_ns)
{
    series_grow(s, 0, other->shift);
    for (int i = 0; i < SERIES_SLOTS; i++) {
        int64_t at_ns = ((int64_t)i << other->shift) + later_ns;
        if (!other->slot[i].calls)
            continue;
        at_ns = at_ns > 0 ? at_ns : 0;
        series_grow(s, at_ns, 0);
        join_slot(&s->slot[at_ns >> s->shift], &other->slot[i]);
    }
}

/* ---- phases ---------------------------------------------------------------------- */

const char *const act_name[ACT_COUNT] = {
    [ACT_COMPUTE] = "compute",       [ACT_COMMUNICATE] = "communicate",
    [ACT_OPEN_CLOSE] = "open_close", [ACT_READ] = "read",
    [ACT_WRITE] = "write",           [ACT_SYNC] = "sync",
    [ACT_CHECK] = "check",           [ACT_IDLE] = "idle"};

const char *const phase_op_name[PHASE_OPS] = {
    [PHASE_OP_OPEN] = "open",         [PHASE_OP_CLOSE] = "close",
    [PHASE_OP_STAT] = "stat",         [PHASE_OP_CREATE] = "create",
    [PHASE_OP_UNLINK] = "unlink",     [PHASE_OP_RENAME] = "rename",
    [PHASE_OP_MKDIR] = "mkdir",       [PHASE_OP_RMDIR] = "rmdir",
    [PHASE_OP_READDIR] = "readdir",   [PHASE_OP_CHMOD] = "chmod",
    [PHASE_OP_LINK] = "link",         [PHASE_OP_SYMLINK] = "symlink",
    [PHASE_OP_READLINK] = "readlink", [PHASE_OP_SETXATTR] = "setxattr",
    [PHASE_OP_GETXATTR] = "getxattr", [PHASE_OP_FSYNC] = "fsync"};

/* All counters of a phase, in one block of memory. */
struct counts {
    struct phase phase;
    int64_t hist[2][HIST_SIZE];
    struct series series[3];
    struct phase_calls op[PHASE_OPS];
};
int phase_open(struct phase **p)
{
    struct counts *c = thread_alloc(sizeof *c, "the phase's histograms");
    *p = c ? &c->phase : NULL;
    if (!c)
        return -ENOMEM;
    for (int i = 0; i < 2; i++)
        c->phase.act[ACT_READ + i].hist = c->hist[i];
    for (int i = 0; i < 3; i++) {
        c->phase.act[ACT_OPEN_CLOSE + i].series = &c->series[i];
        series_clear(&c->series[i]);
    }
    c->phase.op = c->op;
    return 0;
}

void phase_close(struct phase **p)
{
    free(*p); /* the first member of its block */
    *p = NULL;
}

static bool phase_running(const struct phase *p)
{
    return p->begin_ns && !p->end_ns;
}

static void clear(struct phase_act *x)
{
    if (x->hist)
        memset(x->hist, 0, HIST_SIZE * sizeof *x->hist);
    if (x->series)
        series_clear(x->series);
    *x = (struct phase_act){
        .device_bytes = PHASE_DEVICE_UNTOLD, .hist = x->hist, .series = x->series};
}

void phase_begin(struct phase *p, const char *name, int rep)
{
    for (int a = 0; a < ACT_COUNT; a++)
        clear(&p->act[a]);
    memset(p->op, 0, PHASE_OPS * sizeof *p->op);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->rep = rep;
    p->now = ACT_COMPUTE;
    p->mixed = p->paused = false;
    p->end_ns = 0;
    p->utc_end[0] = 0;
    clock_utc(p->utc_begin);
    p->begin_ns = p->switch_ns = clock_ns();
}

void phase_end(struct phase *p)
{
    if (!phase_running(p))
        return;
    phase_act(p, ACT_COMPUTE);
    p->end_ns = p->switch_ns; /* not read again, so that the parts add up exactly */
    clock_utc(p->utc_end);
}

enum act phase_act_at(struct phase *p, enum act a, int64_t ns)
{
    enum act was = p->now;
    if (phase_running(p) && ns > p->switch_ns) {
        p->act[was].ns += ns - p->switch_ns;
        p->switch_ns = ns;
    }
    p->now = a;
    if (p->live)
        __atomic_store_n(&p->live->act, a, __ATOMIC_RELAXED);
    return was;
}

enum act phase_act(struct phase *p, enum act a)
{
    return phase_act_at(p, a, phase_running(p) ? clock_ns() : 0);
}

void phase_move(struct phase *p, enum act from, enum act to, int64_t ns)
{
    phase_act(p, p->now); /* so that its time is booked */
    p->act[from].ns -= ns;
    p->act[to].ns += ns;
}

static void add_live(struct phase_live *l, int i, int64_t bytes, int64_t latency_ns)
{
    __atomic_store_n(&l->bytes[i], l->bytes[i] + bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&l->calls[i], l->calls[i] + 1, __ATOMIC_RELAXED);
    if (latency_ns > __atomic_load_n(&l->longest_ns[i], __ATOMIC_RELAXED))
        __atomic_store_n(&l->longest_ns[i], latency_ns, __ATOMIC_RELAXED);
}

void phase_transfer(struct phase *p, enum act a, int64_t bytes, int64_t start_ns,
                    int64_t end_ns)
{
    struct phase_act *x = &p->act[a];
    int64_t latency_ns = end_ns - start_ns;
    x->calls++;
    x->bytes += bytes;
    if (latency_ns > x->latency_max_ns)
        x->latency_max_ns = latency_ns;
    if (x->hist) {
        x->hist[hist_bucket(latency_ns)]++;
        series_add(x->series, end_ns - p->begin_ns, bytes, latency_ns);
        if (p->live)
            add_live(p->live, (int)a - ACT_READ, bytes, latency_ns);
    }
}

enum act phase_op_act(enum phase_op op)
{
    return op == PHASE_OP_FSYNC ? ACT_SYNC : ACT_OPEN_CLOSE;
}

void phase_op(struct phase *p, enum phase_op op, int64_t start_ns, int64_t end_ns)
{
    struct phase_calls *x = &p->op[op];
    int64_t latency_ns = end_ns - start_ns;
    struct phase_act *act = &p->act[phase_op_act(op)];
    act->calls++;
    if (act->series)
        series_add(act->series, end_ns - p->begin_ns, 0, latency_ns);
    x->calls++;
    x->ns += latency_ns;
    if (latency_ns > x->latency_max_ns)
        x->latency_max_ns = latency_ns;
    x->hist[hist_bucket(latency_ns)]++;
}

void phase_device(struct phase *p, enum act a, int64_t bytes)
{
    int64_t *sum = &p->act[a].device_bytes;
    if (bytes < 0 || *sum == PHASE_DEVICE_UNKNOWN)
        *sum = PHASE_DEVICE_UNKNOWN;
    else
        *sum = (*sum == PHASE_DEVICE_UNTOLD ? 0 : *sum) + bytes;
}

void phase_visible(struct phase *p, enum act a, int64_t submit_ns, int64_t wait_ns)
{
    p->act[a].submit_ns += submit_ns;
    p->act[a].wait_ns += wait_ns;
}
