/* What is the same in all programs: from argv to the exit status. */
#include "run/workload.h"
#include "base/buf.h"
#include "base/err.h"

/* What all repetitions use. */
struct workload_run {
    struct run *r;
    const struct workload *w;
    struct run_need need;
};

/* ---- a repetition --------------------------------------------------------------- */

static int workload_open_file(struct run_file *f, int flags)
{
    run_file_of(f, run_shifted(f->run, flags & IO_WRITE ? 0 : 1));
    return run_file_open(f, flags);
}

static int workload_stage(const struct workload_run *m, const struct stage *s)
{
    struct run *r = m->r;
    struct run_file *f = s->flags ? m->need.file : NULL;
    if (s->phase)
        run_phase_begin(r, s->phase);
    int rc = f ? workload_open_file(f, s->flags) : 0;
    if (!rc)
        rc = s->body(r, s->context);
    if (rc && !r->failed)
        r->failed = rc;
    if (f)
        run_file_close(f, s->flags & IO_WRITE);
    return s->phase ? run_phase_end(r)
                    : (r->failed = err_agree(r->world.comm, r->failed));
}

static int workload_stages(const struct workload_run *m)
{
    int rc = 0;
    for (const struct stage *s = m->w->stages; s->body; s++) {
        int verdict = rc && !s->always ? 0 : workload_stage(m, s);
        rc = rc ? rc : verdict;
    }
    return rc;
}

static int workload_repetition(const struct workload_run *m)
{
    const struct run_need *n = &m->need;
    run_rep_begin(m->r);
    if (n->file)
        run_file_name(n->file, m->r, n->role, n->layout, n->layout->slot_bytes,
                      n->depth);
    if (n->buffer_bytes && !m->r->verify)
        run_noise(m->r, m->r->buffer, n->buffer_bytes);
    int rc = workload_stages(m);
    int removed = n->file ? run_file_remove(n->file) : 0;
    if (rc || removed)
        return rc ? rc : removed;
    run_rep_end(m->r);
    if (m->w->figures)
        m->w->figures(m->r);
    return 0;
}

/* ---- what it needs -------------------------------------------------------------- */

/* What follows from a layout is not said twice. */
static int settle_layout(struct run_need *n)
{
    const struct layout *l = n->layout;
    int rc = l ? layout_check(l) : 0;
    if (!l || rc)
        return rc;
    n->order = layout_text(l->order);
    n->files = n->files ? n->files : 1;
    n->disk_bytes = layout_files(l) * layout_file_bytes(l);
    return 0;
}

static int workload_plan(struct run *r, const struct workload *w, struct run_need *n)
{
    int rc = w->plan(r, n);
    if (!rc)
        rc = settle_layout(n);
    if (!rc)
        rc = run_check_shift(r->options, r->world.size);
    n->depth = n->depth ? n->depth : 1;
    n->passes = n->passes ? n->passes : r->options->repeat;
    return err_agree(r->world.comm, rc);
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

static int workload_buffer(struct run *r, int64_t bytes)
{
    void *buf = NULL;
    if (!bytes)
        return 0;
    int rc = buf_alloc(&buf, bytes, "transfers");
    r->buffer = buf;
    if (rc)
        return rc;
    run_buffer(r, buf, bytes);
    return 0;
}

static int workload_open(const struct workload_run *m)
{
    int rc = workload_buffer(m->r, m->need.buffer_bytes);
    if (!rc && m->w->open)
        rc = m->w->open(m->r);
    return err_agree(m->r->world.comm, rc);
}

/* ---- the run -------------------------------------------------------------------- */

static int workload_repeat(const struct workload_run *m, int argc, char **argv)
{
    const struct run_need *n = &m->need;
    struct run *r = m->r;
    if (n->layout)
        run_plan(r, n->layout);
    int rc = run_ready(r, argc, argv, n->memory_bytes, n->disk_bytes, n->order,
                       n->depth, n->steps);
    if (!rc)
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
    if (w->close)
        w->close(r);
    buf_free(r->buffer);
    return rc;
}

int run_main(const struct workload *w, int argc, char **argv)
{
    static struct run r; /* what the workload's calls come back to may point to it */
    struct opt_program p = {.name = w->name,
                            .line = w->line,
                            .about = w->about,
                            .table = w->table,
                            .n = w->options};
    int status, rc = opt_take(&p, w->takes);
    if (!run_start(&r, &p, w->run, &argc, &argv, &status))
        return status;
    rc = rc ? rc : r.failed;
    return run_finish(&r, rc ? rc : workload_all(&r, w, argc, argv));
}
