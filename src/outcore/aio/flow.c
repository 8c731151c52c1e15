#include "outcore/aio/flow.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "run/workload.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ------------------------------------------------------------------------ */

/* Divides a stream into operations, and these into sets. Arithmetic only. */

int sets_make(struct sets *s, int64_t bytes, int64_t set_bytes, int64_t per_set)
{
    if (set_bytes % per_set)
        return err_usage("--set-bytes=%lld is no multiple of --set=%lld: the "
                         "operations of a set are equally large",
                         (long long)set_bytes, (long long)per_set);
    *s = (struct sets){
        .bytes = bytes, .op_bytes = set_bytes / per_set, .per_set = per_set};
    s->ops = units_div_up(bytes, s->op_bytes);
    s->sets = units_div_up(s->ops, per_set);
    return 0;
}

struct sets_op sets_op(const struct sets *s, int64_t i)
{
    struct sets_op op = {.offset = i * s->op_bytes, .bytes = s->op_bytes};
    if (op.bytes > s->bytes - op.offset)
        op.bytes = s->bytes - op.offset;
    return op;
}

int64_t sets_first(const struct sets *s, int64_t k)
{
    return k * s->per_set;
}

int64_t sets_count(const struct sets *s, int64_t k)
{
    int64_t left = s->ops - sets_first(s, k);
    return left < s->per_set ? left : s->per_set;
}

int64_t sets_bytes(const struct sets *s, int64_t k)
{
    struct sets_op last = sets_op(s, sets_first(s, k) + sets_count(s, k) - 1);
    return last.offset + last.bytes - sets_first(s, k) * s->op_bytes;
}

/* ---- engines --------------------------------------------------------------------- */

/* True if a word is an option of the engine before it. */
static bool is_option(const char *word, size_t n)
{
    const char *equals = memchr(word, '=', n), *colon = memchr(word, ':', n);
    return equals && !colon;
}

/* Splits e->text into words; options stay with their engine. */
static int flow_split(struct engines *e)
{
    char *at = e->text, *end;
    while (*at) {
        if (e->n == ENGINES_MOST)
            return err_usage("--engines: %d are the most", ENGINES_MOST);
        e->spec[e->n++] = at;
        end = at + strcspn(at, ",");
        while (*end && is_option(end + 1, strcspn(end + 1, ",")))
            end += 1 + strcspn(end + 1, ",");
        at = end + (*end == ',');
        *end = 0;
    }
    return e->n ? 0 : err_usage("--engines names none");
}

static int check(struct engines *e, struct run *r, int i)
{
    int rc = io_engine_of_method(e->spec[i], run_without(r->workload), &e->spec[i]);
    return rc ? rc : run_engine(r, e->spec[i]);
}

static void leave_out(struct engines *e, const char *name)
{
    size_t n = strlen(e->absent);
    snprintf(e->absent + n, sizeof e->absent - n, "%s%s (%.200s)", n ? "; " : "", name,
             err_get()->text);
    err_clear();
}

/* Takes the engines that all ranks can use: nodes may differ. */
static int take_usable(struct engines *e, struct run *r)
{
    static const char *const known[] = {"posix",   "aio",   "libaio",
                                        "threads", "uring", "mmap"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        e->spec[e->n] = known[i];
        if (err_agree(r->world.comm, check(e, r, e->n)))
            leave_out(e, known[i]);
        else
            e->n++;
    }
    return e->n ? 0 : err_usage("--engines=all: %s", e->absent);
}

static int take_listed(struct engines *e, struct run *r, const char *list)
{
    int rc = 0;
    if (snprintf(e->text, sizeof e->text, "%s", list) >= (int)sizeof e->text)
        return err_usage("--engines is too long a list");
    rc = flow_split(e);
    for (int i = 0; i < e->n && !rc; i++)
        rc = check(e, r, i);
    return rc;
}

int engines_parse(struct engines *e, struct run *r, const char *list)
{
    int rc = 0;
    *e = (struct engines){.n = 0};
    if (!list)
        e->spec[e->n++] = r->engine;
    else if (!strcmp(list, "all"))
        rc = take_usable(e, r);
    else
        rc = take_listed(e, r, list);
    for (int i = 0; i < e->n && !rc; i++)
        if (io_engine_stores(e->spec[i]) || i == e->n - 1) {
            rc = run_engine(r, e->spec[i]);
            break;
        }
    return err_agree(r->world.comm, rc);
}

int engines_turn(const struct engines *e, int rep, int turn)
{
    return (turn + rep - 1) % e->n;
}

bool engines_store(const struct engines *e)
{
    for (int i = 0; i < e->n; i++)
        if (io_engine_stores(e->spec[i]))
            return true;
    return false;
}

/* ---- the flow -------------------------------------------------------------------- */

/* ---- memory ---------------------------------------------------------------------- */

static int64_t depth_of(const struct flow *f)
{
    return f->in_flight * f->sets.per_set;
}

static int flow_open_lane(struct flow *f, struct flow_lane *l)
{
    size_t depth = (size_t)depth_of(f);
    l->io = mem_new(depth, sizeof *l->io, "operations");
    l->req = mem_new(depth, sizeof *l->req, "operations");
    if (!l->io || !l->req)
        return -ENOMEM;
    if (f->consume.how != CONSUME_COPY)
        return 0;
    return buf_alloc(&l->copy, f->sets.op_bytes * f->sets.per_set, "a copy");
}

int flow_open(struct flow *f, int lanes)
{
    int rc = 0;
    f->lane = mem_new(lanes, sizeof *f->lane, "streams");
    if (!f->lane)
        return -ENOMEM;
    for (int i = 0; i < lanes && !rc; i++)
        rc = flow_open_lane(f, &f->lane[i]);
    return rc;
}

void flow_close(struct flow *f, int lanes)
{
    for (int i = 0; f->lane && i < lanes; i++) {
        free(f->lane[i].io);
        free(f->lane[i].req);
        buf_free(f->lane[i].copy);
    }
    free(f->lane);
    f->lane = NULL;
}

/* ---- threads --------------------------------------------------------------------- */

int flow_threads(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/task");
    const struct dirent *d;
    if (!dir)
        return 0;
    while ((d = readdir(dir)))
        n += d->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* Counts threads in each set: an engine's helpers may start with the first operations
 * or later. */
static void look_at_threads(struct run *r, struct flow_lane *l)
{
    if (r->lane)
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    int n = flow_threads();
    l->threads = n > l->threads ? n : l->threads;
    phase_act(r->phase, before);
}

/* ---- one operation --------------------------------------------------------------- */

struct flowing { /* a lane in a phase */
    struct run *r;
    struct flow *f;
    struct flow_lane *l;
};

static struct io_req flow_request(const struct flowing *w, int64_t i, char *buf)
{
    struct run *r = w->r;
    struct sets_op o = sets_op(&w->f->sets, i);
    int64_t start = r->shared ? r->file->place * w->f->sets.bytes : 0;
    struct io_req req = {
        .op = w->f->op, .buf = buf, .offset = start + o.offset, .bytes = o.bytes};
    if (req.op == IO_OP_WRITE)
        run_stamp(r, buf, o.bytes, (int)i, 1);
    else if (w->f->checks)
        run_poison(r, buf, o.bytes);
    return req;
}

/* Adds the operation to the run's first failure; later failures are its
 * consequences. */
static void name_failed(const struct flowing *w, int64_t k, const struct run_io *t,
                        int64_t n)
{
    struct err e = err_copy();
    char text[sizeof e.text];
    int64_t i = 0;
    while (i < n && !t[i].req.rc)
        i++;
    if (i == n || e.lane != err_lane_now() || !strncmp(e.text, "set ", 4))
        return;
    memcpy(text, e.text, sizeof text);
    snprintf(e.text, sizeof e.text,
             "set %lld of %lld failed by its operation %lld of %lld: %.*s",
             (long long)k + 1, (long long)w->f->sets.sets, (long long)i + 1,
             (long long)n, (int)sizeof text / 2, text);
    err_put(&e);
}

/* ---- set by set ------------------------------------------------------------------ */

/* The memory of set k. */
static struct run_io *set_io(const struct flowing *w, int64_t k)
{
    return w->l->io + k % w->f->in_flight * w->f->sets.per_set;
}

static char *set_buf(const struct flowing *w, int64_t k)
{
    const struct sets *s = &w->f->sets;
    return w->r->buffer + k % w->f->in_flight * s->per_set * s->op_bytes;
}

/* Starts timing care for blocks: while another set is in flight this counts as time of
 * that set, or it would hide some of it. */
static int64_t care_begins(const struct flowing *w)
{
    return w->r->phase->act[ACT_CHECK].ns;
}

static void care_ends(const struct flowing *w, int64_t begin_ns, bool others)
{
    struct run *r = w->r;
    int64_t ns = r->phase->act[ACT_CHECK].ns - begin_ns;
    if (!others || !r->queues)
        return;
    phase_move(r->phase, ACT_CHECK, run_act_of(w->f->op), ns);
    r->care_ns += ns;
}

static void set_start(const struct flowing *w, int64_t k, bool others)
{
    const struct sets *s = &w->f->sets;
    struct run_io *t = set_io(w, k);
    char *buf = set_buf(w, k);
    int64_t n = sets_count(s, k), care = care_begins(w);
    for (int64_t i = 0; i < n; i++)
        t[i].req = flow_request(w, sets_first(s, k) + i, buf + i * s->op_bytes);
    care_ends(w, care, others);
    run_submit_list(w->r->file, t, (int)n);
    if (w->r->failed)
        name_failed(w, k, t, n);
}

static int64_t set_await(const struct flowing *w, int64_t k)
{
    struct run_io *t = set_io(w, k);
    int64_t n = sets_count(&w->f->sets, k), last_ns = 0;
    for (int64_t i = 0; i < n && !w->r->failed; i++) {
        run_await(w->r->file, &t[i]);
        last_ns = t[i].req.end_ns > last_ns ? t[i].req.end_ns : last_ns;
    }
    if (w->r->failed)
        name_failed(w, k, t, n);
    return last_ns;
}

static void set_use(const struct flowing *w, int64_t k, bool others)
{
    const struct sets *s = &w->f->sets;
    const struct run_io *t = set_io(w, k);
    int64_t n = sets_count(s, k), care = care_begins(w);
    for (int64_t i = 0; i < n && w->f->checks; i++)
        run_check(w->r->file, t[i].req.buf, t[i].req.offset, t[i].req.bytes,
                  (int)(sets_first(s, k) + i), 1);
    care_ends(w, care, others);
    if (w->f->op == IO_OP_READ)
        w->l->checksum += consume(&w->f->consume, set_buf(w, k), sets_bytes(s, k),
                                  s->per_set * s->op_bytes, w->l->copy);
}

/* True if the set after k was complete before k was, at last_ns. */
static bool is_overtaken(const struct flowing *w, int64_t k, int64_t last_ns)
{
    const struct sets *s = &w->f->sets;
    if (w->f->in_flight < 2 || k + 1 >= s->sets)
        return false;
    const struct run_io *next = set_io(w, k + 1);
    for (int64_t i = 0; i < sets_count(s, k + 1); i++)
        if (!next[i].req.end_ns || next[i].req.end_ns >= last_ns)
            return false;
    return true;
}

static void flow_sets(const struct flowing *w)
{
    const struct flow *f = w->f;
    int64_t begun = 0, ahead = f->in_flight;
    for (; begun < ahead && begun < f->sets.sets; begun++)
        set_start(w, begun, begun > 0);
    look_at_threads(w->r, w->l);
    for (int64_t k = 0; k < f->sets.sets && !w->r->failed; k++) {
        int64_t last_ns = set_await(w, k);
        bool others = k + 1 < begun;
        if (w->r->failed)
            return;
        w->l->late_sets += is_overtaken(w, k, last_ns);
        set_use(w, k, others);
        progress_step(&w->r->progress, sets_count(&f->sets, k), w->r->phase->name);
        if (begun < f->sets.sets)
            set_start(w, begun++, others);
        if (k == f->sets.sets / 2)
            look_at_threads(w->r, w->l);
    }
}

/* ---- a queue kept full ----------------------------------------------------------- */

static struct io_req queue_make(const void *flowing, int64_t i, int slot)
{
    const struct flowing *w = flowing;
    int64_t first = depth_of(w->f), ops = w->f->sets.ops;
    if (i == (first < ops ? first : ops - 1) || i == ops / 2)
        look_at_threads(w->r, w->l);
    return flow_request(w, i, w->r->buffer + slot * w->f->sets.op_bytes);
}

static void queue_done(void *flowing, const struct io_req *req, int64_t i, int slot)
{
    const struct flowing *w = flowing;
    const struct sets *s = &w->f->sets;
    (void)slot;
    if (w->f->checks)
        run_check(w->r->file, req->buf, req->offset, req->bytes, (int)i, 1);
    enum act before = phase_act(w->r->phase, ACT_COMPUTE);
    w->l->checksum += consume(&w->f->consume, req->buf, req->bytes,
                              s->per_set * s->op_bytes, w->l->copy);
    phase_act(w->r->phase, before);
}

static void flow_queue(struct flowing *w)
{
    bool reads = w->f->op == IO_OP_READ;
    bool uses = reads && (w->f->checks || w->f->consume.how != CONSUME_NONE);
    struct run_queue q = {.make = queue_make,
                          .done = uses ? queue_done : NULL,
                          .context = w,
                          .total = w->f->sets.ops,
                          .all_visible = w->r->verify || uses};
    run_queue(w->r->file, w->l->req, &q);
}

/* ---- both ------------------------------------------------------------------------ */

void flow_run(struct run *r, void *flow)
{
    struct flow *f = flow;
    struct flowing w = {r, f, &f->lane[r->lane]};
    enum act a = run_act_of(f->op);
    w.l->late_sets = 0;
    w.l->checksum = 0;
    w.l->threads = 0;
    w.l->begin_ns = clock_ns();
    if (f->queue)
        flow_queue(&w);
    else
        flow_sets(&w);
    w.l->end_ns = clock_ns();
    if (!f->queue && r->queues)
        r->queue_ns += r->phase->act[a].ns;
}
