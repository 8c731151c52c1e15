#include "report/phase.h"
#include "base/err.h"
#include <errno.h>
#include <iotrace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const act_name[ACT_COUNT] = {
    [ACT_COMPUTE] = "compute",       [ACT_COMMUNICATE] = "communicate",
    [ACT_OPEN_CLOSE] = "open_close", [ACT_READ] = "read",
    [ACT_WRITE] = "write",           [ACT_SYNC] = "sync",
    [ACT_CHECK] = "check",           [ACT_IDLE] = "idle"};

int phase_open(struct phase **p)
{
    *p = calloc(1, sizeof **p);
    int64_t *hist = calloc(2 * HIST_SIZE, sizeof *hist);
    if (!*p || !hist) {
        free(*p);
        free(hist);
        *p = NULL;
        return err_set(-ENOMEM, NULL, -1, "no memory for the phase's histograms");
    }
    (*p)->act[ACT_READ].hist = hist;
    (*p)->act[ACT_WRITE].hist = hist + HIST_SIZE;
    return 0;
}

void phase_close(struct phase **p)
{
    if (*p)
        free((*p)->act[ACT_READ].hist); /* the writes' are in the same piece */
    free(*p);
    *p = NULL;
}

static bool phase_running(const struct phase *p)
{
    return p->begin_ns && !p->end_ns;
}

void phase_begin(struct phase *p, const char *name, int rep)
{
    for (int a = 0; a < ACT_COUNT; a++) {
        int64_t *hist = p->act[a].hist;
        if (hist)
            memset(hist, 0, HIST_SIZE * sizeof *hist);
        p->act[a] =
            (struct phase_act){.device_bytes = PHASE_DEVICE_UNTOLD, .hist = hist};
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    p->rep = rep;
    p->now = ACT_COMPUTE;
    p->end_ns = 0;
    p->utc_end[0] = 0;
    clock_utc(p->utc_begin);
    iotrace_begin(p->name); /* a region, where the program is traced */
    p->begin_ns = p->switch_ns = clock_ns();
}

void phase_end(struct phase *p)
{
    if (!phase_running(p))
        return;
    phase_act(p, ACT_COMPUTE);
    iotrace_end(p->name);
    p->end_ns = p->switch_ns; /* not a second reading: the parts add up exactly */
    clock_utc(p->utc_end);
}

enum act phase_act(struct phase *p, enum act a)
{
    enum act was = p->now;
    if (phase_running(p)) {
        int64_t t = clock_ns();
        p->act[was].ns += t - p->switch_ns;
        p->switch_ns = t;
    }
    p->now = a;
    return was;
}

void phase_move(struct phase *p, enum act from, enum act to, int64_t ns)
{
    phase_act(p, p->now); /* so that what is being counted has been */
    p->act[from].ns -= ns;
    p->act[to].ns += ns;
}

void phase_transfer(struct phase *p, enum act a, int64_t bytes, int64_t latency_ns)
{
    struct phase_act *x = &p->act[a];
    x->calls++;
    x->bytes += bytes;
    if (latency_ns > x->latency_max_ns)
        x->latency_max_ns = latency_ns;
    if (x->hist)
        x->hist[hist_bucket(latency_ns)]++;
}

void phase_add(struct phase *p, const struct phase *of_thread)
{
    for (int a = 0; a < ACT_COUNT; a++) {
        struct phase_act *x = &p->act[a];
        const struct phase_act *y = &of_thread->act[a];
        x->calls += y->calls;
        x->bytes += y->bytes;
        if (y->latency_max_ns > x->latency_max_ns)
            x->latency_max_ns = y->latency_max_ns;
        for (int i = 0; x->hist && i < HIST_SIZE; i++)
            x->hist[i] += y->hist[i];
    }
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
