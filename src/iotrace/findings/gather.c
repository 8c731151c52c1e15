/* Makes one pass over all logs of a run in time order. For each call it finds its
 * caller, the call that encloses it, and whether it counts; then it counts it. */
#include "base/mem.h"
#include "iotrace/findings/inside.h"
#include "iotrace/read/names.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 8
#define LANES_MAX 4096

/* A call that may have others within it. */
struct frame {
    int64_t start_ns, end_ns;
    struct within in; /* the calls that enclose its children */
    uint8_t kind;
    bool outer; /* takes no time in files itself; calls in it are the program's */
    bool init;  /* within MPI_Init or MPI_Finalize */
    bool folded, skipped;
};

struct lane { /* the state of a thread */
    struct frame frame[LEVELS];
    int depth;
};

struct reading { /* the state of a log */
    struct log *log;
    uint32_t actor;
    uint32_t *cell; /* number of the cell + 1, by the log's number of the file */
    uint32_t *file; /* number of the file + 1, likewise */
    uint32_t names;
    struct lane *lane;
    uint32_t lanes;
    int64_t init_end_ns, finalize_ns;
    int regions; /* open regions among those asked for */
    bool table, wanted;
};

/* ---- actors ----------------------------------------------------------------- */

static void actor_name(struct actor *a, const struct log_info *i)
{
    const char *slash = strrchr(i->exe, '/');
    const char *program = slash ? slash + 1 : *i->exe ? i->exe : i->app;
    snprintf(a->program, sizeof a->program, "%.*s", (int)sizeof a->program - 1,
             program);
    snprintf(a->app, sizeof a->app, "%.*s", (int)sizeof a->app - 1, i->app);
    snprintf(a->argv, sizeof a->argv, "%.*s", (int)sizeof a->argv - 1, i->argv);
}

static int actor_new(struct findings *f, const struct log_info *i, int32_t pid,
                     uint32_t *actor)
{
    if (f->actors == f->actor_room) {
        uint32_t room = f->actor_room ? 2 * f->actor_room : 16;
        struct actor *more = mem_grow(f->actor, room, sizeof *more, "the findings");
        if (!more)
            return f->memory = -ENOMEM;
        f->actor = more;
        f->actor_room = room;
    }
    struct actor *a = &f->actor[ *actor = f->actors++];
    *a = (struct actor){.rank = i->rank, .pid = pid, .waited_ns = -1};
    actor_name(a, i);
    snprintf(a->host, sizeof a->host, "%.*s", (int)sizeof a->host - 1, i->host);
    a->scope = f->ask.all || !f->ranks || i->rank >= 0;
    while (strcmp(f->actor[a->client].host, a->host) != 0)
        a->client++;
    struct actor *host = &f->actor[a->client];
    f->hosts += a->scope && !host->host_counts;
    host->host_counts = host->host_counts || a->scope;
    return 0;
}

/* Finds the actor. Processes of one rank are one actor, such as the shell that started
 * it. */
static int actor_of(struct findings *f, const struct log_info *i, int32_t pid,
                    uint32_t *actor)
{
    for (uint32_t k = f->actors; k-- > 0;)
        if (i->rank >= 0 ? f->actor[k].rank == i->rank
                         : f->actor[k].rank < 0 && f->actor[k].pid == pid) {
            *actor = k;
            return 0;
        }
    return actor_new(f, i, pid, actor);
}

static bool process_wanted(const struct findings *f, const struct log_info *i)
{
    char pid[16];
    const char *slash = strrchr(i->exe, '/');
    snprintf(pid, sizeof pid, "%d", i->pid);
    if (f->ask.rank >= 0 && i->rank != f->ask.rank)
        return false;
    return !f->ask.process || !strcmp(f->ask.process, pid) ||
           !strcmp(f->ask.process, i->app) ||
           !strcmp(f->ask.process, slash ? slash + 1 : i->exe);
}

/* ---- names ------------------------------------------------------------------ */

static int names_grow(struct findings *f, struct reading *r, uint32_t id)
{
    uint32_t cells = r->names;
    uint32_t *cell = list_reach(r->cell, &cells, id, sizeof *cell, "the findings");
    if (!cell)
        return f->memory = -ENOMEM;
    r->cell = cell;
    uint32_t *file = list_reach(r->file, &r->names, id, sizeof *file, "the findings");
    if (!file)
        return f->memory = -ENOMEM;
    r->file = file;
    return 0;
}

/* Returns an absolute name. A file that was opened by a relative name has an absolute
 * one by its descriptor, and both must be one file. */
static const char *whole_name(const struct log *l, uint32_t id, char *out, size_t room)
{
    const char *name = log_name(l, id), *cwd = log_info(l)->cwd;
    /* such as "pipe:[7]" */
    bool other = *name == '|' || name[strcspn(name, ":/")] == ':';
    if (!*name || *name == '/' || other || !strcmp(name, "?") || *cwd != '/')
        return name;
    while (!strncmp(name, "./", 2))
        name += 2 + strspn(name + 2, "/");
    snprintf(out, room, "%s/%s", strcmp(cwd, "/") ? cwd : "", name);
    return out;
}

/* Returns the file's number + 1; 0: none, or none that is followed. */
static uint32_t file_number(struct findings *f, struct reading *r, uint32_t id)
{
    uint32_t file;
    char name[8192];
    if (id < r->names && r->file[id])
        return r->file[id];
    if (id == 0 || names_grow(f, r, id))
        return 0;
    if (!r->file[id]) {
        if (file_add(f, whole_name(r->log, id, name, sizeof name), &file))
            return 0;
        r->file[id] = file + 1;
        file_facts(f, file, r->log, id);
    }
    return r->file[id];
}

static struct cell *cell_of(struct findings *f, struct reading *r, uint32_t actor,
                            uint32_t id, uint32_t file)
{
    if (r->cell[id] && f->cell[r->cell[id] - 1].actor == actor)
        return &f->cell[r->cell[id] - 1];
    struct cell *c = cell_get(f, actor, file);
    if (c)
        r->cell[id] = (uint32_t)(c - f->cell) + 1;
    else
        f->unseen.unfollowed++;
    return c;
}

/* ---- nesting of calls ------------------------------------------------------- */

static struct lane *gather_lane_of(struct findings *f, struct reading *r,
                                   uint32_t thread)
{
    uint32_t n = thread % LANES_MAX;
    struct lane *lane = list_reach(r->lane, &r->lanes, n, sizeof *lane, "the findings");
    if (!lane) {
        f->memory = -ENOMEM;
        return NULL;
    }
    r->lane = lane;
    return &lane[n];
}

/* Returns the last call of the level above that encloses this one. */
static struct frame *parent_of(struct lane *lane, const struct event *e)
{
    int level = e->level < LEVELS ? e->level : LEVELS - 1;
    if (level == 0 || level > lane->depth)
        return NULL;
    struct frame *p = &lane->frame[level - 1];
    return e->start_ns >= p->start_ns && e->start_ns <= p->end_ns ? p : NULL;
}

static struct frame *push_frame(struct lane *lane, const struct event *e,
                                const struct frame *parent, const struct call *call)
{
    int level = e->level < LEVELS ? e->level : LEVELS - 1;
    struct frame *p = &lane->frame[level];
    struct frame fresh = {.start_ns = e->start_ns,
                          .end_ns = e->start_ns + e->duration_ns,
                          .kind = call->kind,
                          .outer = !op_is_io((enum trace_class)e->class),
                          .init = call->init};
    if (parent) {
        fresh.in = parent->in;
        fresh.init |= parent->init;
        fresh.folded = parent->folded;
        fresh.skipped = parent->skipped;
    }
    fresh.in.hdf5_meta |= call->hdf5_meta;
    fresh.in.creates |= call->creates;
    fresh.in.failed |= risk_is_failure(e, call);
    fresh.in.collective |= call->library && (e->flags & TRACE_COLLECTIVE) != 0;
    if (call->mpi && op_moves((enum trace_class)e->class) && !fresh.in.hdf5_meta) {
        fresh.in.mpi_read |= e->class == CLASS_READ;
        fresh.in.mpi_write |= e->class == CLASS_WRITE;
    }
    /* a transfer in it tells the place if the call itself does not */
    fresh.in.told |= op_moves((enum trace_class)e->class) && e->offset >= 0;
    *p = fresh;
    lane->depth = level + 1;
    return p;
}

/* ---- what counts ------------------------------------------------------------ */

static void fold_call(struct findings *f, enum fold why, const struct event *e,
                      uint32_t actor)
{
    struct folded *x = &f->fold[why];
    x->calls += e->calls;
    log_sum(&x->bytes, e->bytes > 0 ? e->bytes : 0);
    log_sum(&x->ns, e->duration_ns);
    if (x->by_actor)
        log_sum(&x->by_actor[actor], e->duration_ns);
}

static void count_calls(struct findings *f, struct actor *a, const struct event *e,
                        int64_t calls, const struct call *call)
{
    a->calls += calls;
    int kind = op_moves((enum trace_class)e->class)
                   ? (e->class == CLASS_READ    ? KIND_READ
                      : e->class == CLASS_WRITE ? KIND_WRITE
                                                : KIND_COPY)
                   : call->kind;
    f->kind_sum[kind].calls += calls;
    if (e->bytes > 0) {
        log_sum(&f->kind_sum[kind].bytes, e->bytes);
        if (e->class == CLASS_READ || e->class == CLASS_COPY)
            log_sum(&a->bytes[0], e->bytes);
        if (e->class == CLASS_WRITE || e->class == CLASS_COPY)
            log_sum(&a->bytes[1], e->bytes);
    }
}

/* Counts a call of the program. Time counts once, however many threads are in calls. */
static void count_top(struct findings *f, struct actor *a, const struct event *e,
                      const struct call *call)
{
    int64_t end = e->start_ns + e->duration_ns;
    int64_t from = e->start_ns > a->covered_ns ? e->start_ns : a->covered_ns;
    if (end > from)
        a->io_ns += end - from;
    if (end > a->covered_ns)
        a->covered_ns = end;
    count_calls(f, a, e, e->calls, call);
}

static enum fold why_folded(const struct findings *f, const struct reading *r,
                            const struct actor *a, const struct frame *parent,
                            const struct event *e, uint32_t file)
{
    if (f->ask.all)
        return FOLD_NONE;
    if (!a->scope)
        return FOLD_PROCESS;
    if ((parent && parent->init) || e->start_ns < r->init_end_ns ||
        (r->finalize_ns && e->start_ns >= r->finalize_ns))
        return FOLD_INIT;
    return file ? (enum fold)f->file[file - 1].fold : FOLD_NONE;
}

static void mark_region(struct findings *f, struct reading *r, const struct event *e)
{
    const char *op = op_get(e->op)->name;
    if (!f->ask.phase || e->class != CLASS_MARK ||
        strcmp(log_name(r->log, e->name), f->ask.phase) != 0)
        return;
    if (!strcmp(op, "region_begin"))
        r->regions++;
    else if (!strcmp(op, "region_end") && r->regions > 0)
        r->regions--;
}

/* Takes the end of MPI_Init and the begin of MPI_Finalize as a rank's bounds. */
static void mark_init(struct reading *r, struct actor *a, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (strstr(op_get(e->op)->name, "Init")) {
        a->begin_ns = end;
        r->init_end_ns = end;
    } else {
        a->end_ns = e->start_ns;
        r->finalize_ns = e->start_ns;
    }
}

static bool is_wanted(const struct findings *f, const struct reading *r, uint32_t file)
{
    if (!r->wanted || (f->ask.phase && r->regions == 0))
        return false;
    return file ? !f->file[file - 1].unwanted : f->ask.file.n == 0;
}

static void widen_actor(struct actor *a, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (!a->first_ns || e->start_ns < a->first_ns)
        a->first_ns = e->start_ns;
    if (end > a->last_ns)
        a->last_ns = end;
}

static void count_time(struct actor *a, const struct event *e, const struct call *call,
                       const struct frame *parent)
{
    log_sum(&a->kind_ns[call->kind], e->duration_ns);
    if (parent && !parent->outer)
        a->kind_ns[parent->kind] -= e->duration_ns;
}

static int gather_event(struct findings *f, struct reading *r, const struct event *e,
                        uint64_t seq)
{
    uint32_t actor = r->actor;
    if (r->table && actor_of(f, log_info(r->log), e->pid, &actor))
        return -ENOMEM;
    const struct call *call = call_of(e->op);
    struct lane *lane = gather_lane_of(f, r, e->thread);
    if (!lane)
        return -ENOMEM;
    struct frame *parent = parent_of(lane, e), *own = push_frame(lane, e, parent, call);
    struct actor *a = &f->actor[actor];
    mark_region(f, r, e);
    widen_actor(a, e);
    if (call->init) {
        /* its name now, not that of the launcher before */
        actor_name(a, log_info(r->log));
        mark_init(r, a, e);
    }
    if (own->outer) {
        if (e->class == CLASS_PROCESS)
            unseen_event(&f->unseen, r->log, e);
        return 0;
    }
    uint32_t file = file_number(f, r, e->name);
    bool top = e->level == 0 || (parent && parent->outer);
    if (top) {
        enum fold why = why_folded(f, r, a, parent, e, file);
        own->skipped = !is_wanted(f, r, file);
        own->folded = why != FOLD_NONE;
        if (own->folded && !own->skipped && !e->other_end)
            fold_call(f, why, e, actor);
    } else if (!parent)
        own->skipped = true;
    if (own->skipped || own->folded)
        return f->memory;
    if (!e->other_end) {
        count_time(a, e, call, top ? NULL : parent);
        if (top)
            count_top(f, a, e, call);
    }
    if (call->durable && !file)
        a->sync_ns = e->start_ns + e->duration_ns;
    f->hdf5 |= call->hdf5;
    pace_event(f, a, e, seq, call, top, file);
    if (!file && top)
        odd_count(f, a, NULL, e, seq);
    if (!file || f->file[file - 1].fold)
        return f->memory;
    struct context c = {.f = f,
                        .e = e,
                        .seq = seq,
                        .cell = cell_of(f, r, actor, e->name, file - 1),
                        .actor = a,
                        .top = top};
    if (parent)
        c.in = parent->in;
    c.told = e->offset >= 0 && (top || !c.in.told);
    if (c.cell)
        transfer_count(&c);
    return f->memory;
}

/* ---- all logs --------------------------------------------------------------- */

static int add_log_note(struct findings *f, const char *log, const char *text)
{
    void *more = mem_grow(f->note, f->notes + 1, sizeof *f->note, "the findings");
    if (!more)
        return f->memory = -ENOMEM;
    f->note = more;
    f->note[f->notes].log = mem_text(log, "the findings");
    f->note[f->notes].text = mem_text(text, "the findings");
    f->notes++;
    if (!f->note[f->notes - 1].log || !f->note[f->notes - 1].text)
        f->memory = -ENOMEM;
    return f->memory;
}

struct profiled {
    struct findings *f;
    struct log *log;
    uint32_t actor;
};

static int add_profile(void *arg, const struct trace_profile *p, int op, int64_t ns)
{
    const struct profiled *of = arg;
    struct findings *f = of->f;
    const struct call *call = call_of(op);
    struct event e = {.op = (uint16_t)op,
                      .class = (uint8_t)op_get(op)->class,
                      .bytes = (int64_t)p->bytes};
    f->profiles++;
    unseen_profile(&f->unseen, of->log, op, p->file, (int64_t)p->count,
                   (int64_t)p->errors);
    if (p->level || !op_is_io((enum trace_class)e.class))
        return 0;
    struct actor *a = &f->actor[of->actor];
    log_sum(&a->kind_ns[call->kind], ns);
    count_calls(f, a, &e, (int64_t)p->count, call);
    f->events += p->count;
    log_sum(&a->io_ns, ns);
    return 0;
}

/* Notes what the log's header says about its process. */
static void actor_learn(struct findings *f, struct actor *a, const struct log *l)
{
    const struct log_info *i = log_info(l);
    actor_facts(a, &i->process);
    if (i->begin_ns && (!a->first_ns || i->begin_ns < a->first_ns))
        a->first_ns = i->begin_ns;
    if (i->end_ns - i->begin_ns > f->guess_ns && a->scope)
        f->guess_ns = i->end_ns - i->begin_ns;
}

/* Prepares the pass: finds the actors. Ranks are known from the logs' headers. */
static int readings_start(struct findings *f, struct stream *s, struct reading *r)
{
    int rc = 0;
    for (int i = 0; i < s->logs; i++)
        f->ranks |= log_info(s->log[i])->rank >= 0;
    for (int i = 0; i < s->logs && !rc; i++) {
        const struct log_info *l = log_info(s->log[i]);
        r[i] = (struct reading){.log = s->log[i], .table = l->table};
        r[i].wanted = process_wanted(f, l);
        f->tables += l->table;
        f->processes += !l->table;
        if (!l->table)
            rc = actor_of(f, l, l->pid, &r[i].actor);
        if (!rc && !l->table)
            actor_learn(f, &f->actor[r[i].actor], s->log[i]);
        if (l->rank >= 0 && l->ranks > f->rank_count)
            f->rank_count = l->ranks;
    }
    f->clients = f->hosts > 1 || !strcmp(f->ask.client, "rank");
    for (int k = 0; k < FOLDS && f->actors && !f->tables; k++)
        f->fold[k].by_actor = calloc(f->actors, sizeof(int64_t));
    return rc;
}

static int readings_end(struct findings *f, struct stream *s, struct reading *r)
{
    int rc = 0;
    for (int i = 0; i < s->logs; i++) {
        const struct log_info *l = log_info(s->log[i]);
        char text[LOG_NOTE_SIZE];
        const char *say;
        for (int n = 0; !rc && (say = log_note(s->log[i], n, text)); n++)
            rc = add_log_note(f, l->path, say);
        if (!l->table && !l->events && r[i].wanted)
            rc = rc ? rc
                    : log_profile(s->log[i], add_profile,
                                  &(struct profiled){f, s->log[i], r[i].actor});
        unseen_log(&f->unseen, s->log[i]);
        struct actor *a = l->table ? NULL : &f->actor[r[i].actor];
        if (a && l->end_ns > a->last_ns)
            a->last_ns = l->end_ns;
        if (a && !l->events && a->io_ns > a->last_ns - a->first_ns)
            /* a profile counts threads at the same time */
            a->io_ns = a->last_ns - a->first_ns;
        free(r[i].cell);
        free(r[i].file);
        free(r[i].lane);
    }
    return rc;
}

int gather(struct findings *f)
{
    struct stream s;
    const struct event *e;
    int rc = stream_open(&s, &f->run), more = 0;
    struct reading *r = mem_of(f->ask.run, s.logs + 1, sizeof *r, "the findings");
    if (!r && !rc)
        rc = f->memory = -ENOMEM;
    rc = rc ? rc : readings_start(f, &s, r);
    f->logs = s.logs;
    while (!rc && (more = stream_next(&s, &e)) == 1) {
        rc = gather_event(f, &r[s.heap[0]], e, f->events);
        f->events += !e->other_end; /* the numbers that "iotrace dump" prints */
    }
    if (r && s.log)
        rc = rc ? rc : readings_end(f, &s, r);
    free(r);
    stream_close(&s);
    return more < 0 ? more : rc;
}
