/* The common course of all programs, from argv to the exit status. */
#include "run/workload.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/units.h"
#include "run/lanes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The data that all repetitions use. */
struct workload_run {
    struct run *r;
    const struct workload *w;
    struct run_need need;
    struct io_queue **queue; /* one for each lane that has several files; else NULL */
};

/* ---- a repetition --------------------------------------------------------------- */

int run_files_open(struct run *r, int flags)
{
    for (int k = 0; k < r->files && !r->failed; k++) {
        struct run_file *f = run_file_nth(r, k);
        for (int i = 0; i < r->lanes; i++)
            run_file_of(&f[i],
                        run_shifted(run_lane_of(r, i), flags & IO_WRITE ? 0 : 1));
        run_file_open_lanes(f, r->lanes, flags);
    }
    return r->failed;
}

int run_files_close(struct run *r, bool written)
{
    for (int k = 0; k < r->files; k++)
        run_file_close_lanes(run_file_nth(r, k), r->lanes, written);
    return r->failed;
}

static int workload_remove_files(struct run *r)
{
    int rc = 0;
    for (int k = 0; k < r->files; k++) {
        int removed = run_file_remove_lanes(run_file_nth(r, k), r->lanes);
        rc = rc ? rc : removed;
    }
    return rc;
}

static void workload_name_files(const struct workload_run *m)
{
    const struct run_need *n = &m->need;
    struct run *r = m->r;
    for (int64_t j = 0; j < (int64_t)r->files * r->lanes; j++) {
        int i = (int)(j % r->lanes);
        struct run_file *f = &r->file[j];
        run_file_name(f, run_lane_of(r, i), n->role, n->layout, n->layout->slot_bytes,
                      n->depth);
        f->member = (int)(j / r->lanes);
        f->queue = m->queue ? m->queue[i] : NULL;
    }
}

static int workload_stage(struct run *r, const struct stage *s)
{
    r->aside = s->aside;
    if (s->phase)
        run_phase_begin(r, s->phase);
    int rc = s->flags ? run_files_open(r, s->flags) : 0;
    if (!rc)
        rc = s->body(r, s->context);
    run_fail(r, rc);
    if (s->flags)
        run_files_close(r, s->flags & IO_WRITE);
    return s->phase ? run_phase_end(r)
                    : (r->failed = err_agree(r->world.comm, r->failed));
}

static int workload_stages(const struct workload_run *m)
{
    int rc = 0;
    for (const struct stage *s = m->w->stages; s->body && !rc; s++)
        rc = workload_stage(m->r, s);
    if (rc)
        return rc;
    run_rep_end(m->r);
    if (m->w->figures)
        m->w->figures(m->r);
    return 0;
}

static int workload_repetition(const struct workload_run *m)
{
    const struct run_need *n = &m->need;
    run_rep_begin(m->r);
    if (n->role)
        workload_name_files(m);
    if (n->buffer_bytes && !m->r->verify)
        run_noise(m->r, m->r->buffer, m->r->lanes * n->buffer_bytes);
    int rc = workload_stages(m);
    int removed = n->role ? workload_remove_files(m->r) : 0;
    rc = rc ? rc : removed;
    int put = m->w->put_away ? m->w->put_away(m->r, rc) : 0;
    return rc ? rc : put;
}

/* ---- needs ---------------------------------------------------------------------- */

/* Derives the needs that follow from a layout. */
static int settle_layout(struct run_need *n)
{
    const struct layout *l = n->layout;
    int rc = l ? layout_check(l) : 0;
    if (!l || rc)
        return rc;
    n->order = layout_text(l->order);
    n->files = n->files ? n->files : 1;
    if (!__builtin_mul_overflow(layout_files(l) * n->files, layout_file_bytes(l),
                                &n->disk_bytes))
        return 0;
    return err_usage("the files would exceed 2^63 - 1 bytes: take fewer or smaller "
                     "blocks");
}

static int workload_plan(struct run *r, const struct workload *w, struct run_need *n)
{
    int rc = w->plan(r, n);
    if (!rc)
        rc = settle_layout(n);
    n->depth = n->depth ? n->depth : 1;
    n->passes = n->passes ? n->passes : r->options->repeat;
    rc = err_agree(r->world.comm, rc);
    return rc ? rc : run_settle_shift(r);
}

static int workload_dry(struct run *r, const struct workload *w,
                        const struct run_need *n)
{
    if (!w->plan_print)
        return run_dry(r, n);
    if (r->world.rank == 0 && !r->options->quiet)
        w->plan_print(r, n);
    return run_dry_json(r, n);
}

/* Allocates the buffers, a piece for each lane. */
static int workload_buffers(struct run *r, int64_t bytes)
{
    void *buf = NULL;
    if (!bytes)
        return 0;
    int rc = buf_alloc(&buf, r->lanes * bytes, "transfers");
    r->buffer = buf;
    for (int i = 0; i < r->lanes && !rc; i++) {
        struct run *of = run_lane_of(r, i);
        of->buffer = r->buffer + i * bytes;
        run_buffer(of, of->buffer, bytes);
    }
    return rc;
}

int run_files_make(struct run *r)
{
    r->file = calloc((size_t)r->lanes * (size_t)r->files, sizeof *r->file);
    if (!r->file)
        return err_set(-ENOMEM, NULL, -1, "no memory for %d file%s",
                       r->lanes * r->files, units_s(r->lanes * r->files));
    for (int i = 1; i < r->lanes; i++)
        run_lane_of(r, i)->file = &r->file[i];
    return 0;
}

/* Makes one queue for all files of a lane. */
static int workload_queues(struct workload_run *m)
{
    struct run *r = m->r;
    int rc = 0;
    if (r->files == 1)
        return 0;
    m->queue = calloc((size_t)r->lanes, sizeof(struct io_queue *));
    if (!m->queue)
        return err_set(-ENOMEM, NULL, -1, "no memory for %d queue%s", r->lanes,
                       units_s(r->lanes));
    for (int i = 0; i < r->lanes && !rc; i++)
        rc = run_queue_open(run_lane_of(r, i), &m->queue[i], m->need.depth,
                            m->need.layout->slot_bytes);
    return rc;
}

static void workload_queues_close(struct workload_run *m)
{
    for (int i = 0; i < m->r->lanes && m->queue; i++)
        io_queue_close(&m->queue[i]);
    free(m->queue);
}

static int workload_open(struct workload_run *m)
{
    int rc = workload_buffers(m->r, m->need.buffer_bytes);
    if (!rc && m->need.role)
        rc = run_files_make(m->r);
    if (!rc && m->need.role)
        rc = workload_queues(m);
    rc = err_agree(m->r->world.comm, rc); /* before `open`, which may be collective */
    return rc || !m->w->open ? rc : err_agree(m->r->world.comm, m->w->open(m->r));
}

/* ---- the run -------------------------------------------------------------------- */

static int workload_repeat(struct workload_run *m, int argc, char **argv)
{
    const struct run_need *n = &m->need;
    struct run *r = m->r;
    r->files = n->role ? (int)n->files : 1;
    if (n->layout)
        run_plan(r, n->layout);
    int rc = run_ready(r, argc, argv, n->memory_bytes, n->disk_bytes, n->order,
                       n->depth, n->steps);
    if (rc) /* there may be no report for results */
        return rc;
    rc = workload_open(m);
    for (int64_t i = 0; i < r->options->repeat && !rc; i++)
        rc = workload_repetition(m);
    return m->w->results ? m->w->results(r, rc) : rc;
}

static int workload_all(struct run *r, const struct workload *w, int argc, char **argv)
{
    struct workload_run m = {.r = r, .w = w};
    int rc = workload_plan(r, w, &m.need);
    if (!rc)
        rc = r->options->dry_run ? workload_dry(r, w, &m.need)
                                 : workload_repeat(&m, argc, argv);
    workload_queues_close(&m);
    if (w->close)
        w->close(r);
    buf_free(r->buffer);
    free(r->file);
    return rc;
}

int run_without(const struct workload *w)
{
    return (w->takes & RUN_TAKES_NULL ? 0 : IO_STORES_NOTHING) |
           (w->takes & RUN_TAKES_HDF5 ? 0 : IO_STORES_FORMAT);
}

/* Reduces the program's options to those that it takes, and engines to
 * those available. */
static int workload_options(struct opt_program *p, const struct workload *w)
{
    static char help[IO_ENGINE_CHOICES + 64];
    char choices[IO_ENGINE_CHOICES];
    struct opt *method = opt_find(p, "iomethod");
    snprintf(help, sizeof help, "%s and its options: see --list-engines",
             io_engine_choices(choices, sizeof choices, run_without(w)));
    method->help = help;
    return opt_take(p, w->takes | (w->own_calls ? 0 : RUN_TAKES_ENGINE));
}

int run_main(const struct workload *w, int argc, char **argv)
{
    static struct run r; /* static: callbacks of the workload may keep pointers to it */
    struct opt_program p = {.name = w->name,
                            .line = w->line,
                            .about = w->about,
                            .table = w->table,
                            .n = w->options};
    int status, rc = workload_options(&p, w);
    if (!run_start(&r, w, &p, &argc, &argv, &status))
        return status;
    rc = rc ? rc : r.failed;
    return run_finish(&r, rc ? rc : workload_all(&r, w, argc, argv));
}
