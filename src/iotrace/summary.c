#include "iotrace/summary.h"
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/read/names.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATES 65536 /* files of a process whose accesses are followed */

#define CHAINS 1024 /* chains of a log's processes, by their numbers */

/* The state of reading one log. */
struct reading {
    struct summary *s;
    struct log *log;
    int first;         /* number of its first process */
    int chain[CHAINS]; /* the last process + 1; 0: none */
    uint32_t *global;  /* number of a file + 1, by its number in the log */
    struct access (*access)[2];
    uint32_t names, states;
    bool profile;
};

/* Adds calls and bytes to `class`; the time may belong to another class. */
static void add_to_class(struct sum by_class[CLASSES], int class, const struct event *e)
{
    struct sum *to = &by_class[class];
    int time_class = e->time_class == e->class ? class : e->time_class;
    to->calls += e->other_end ? 1 : e->calls;
    to->errors += e->bytes < 0;
    log_sum(&to->bytes, e->bytes > 0 ? e->bytes : 0);
    log_sum(&by_class[time_class].ns, e->duration_ns);
}

static void add_sum(struct sum *to, const struct sum *from)
{
    to->calls += from->calls;
    to->errors += from->errors;
    log_sum(&to->bytes, from->bytes);
    log_sum(&to->ns, from->ns);
}

/* ---- files ---------------------------------------------------------------- */

static int grow_files(struct summary *s, uint32_t id)
{
    struct file_sum *file =
        list_reach(s->file, &s->file_room, id, sizeof *file, "the summary");
    if (!file)
        return -ENOMEM;
    s->file = file;
    return 0;
}

static int grow_states(struct reading *r, uint32_t id)
{
    uint32_t *global =
        list_reach(r->global, &r->names, id, sizeof *global, "the summary");
    if (!global)
        return -ENOMEM;
    r->global = global;
    if (id >= STATES)
        return 0;
    struct access(*access)[2] =
        list_reach(r->access, &r->states, id, sizeof *access, "the summary");
    if (!access)
        return -ENOMEM;
    r->access = access;
    return 0;
}

/* True if a file holds bytes. Files of the kernel, pipes and sockets are read and
 * written in small pieces. */
static bool is_stored(const char *name)
{
    static const char *const other[] = {
        "/proc/", "/sys/", "/dev/", "pipe:", "socket:", "|", "anon_inode:"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (!strncmp(name, other[i], strlen(other[i])))
            return false;
    return true;
}

/* Finds the row of a log's file. */
static int file_row(struct reading *r, uint32_t id, struct file_sum **row)
{
    struct summary *s = r->s;
    int rc = grow_states(r, id);
    if (rc)
        return rc;
    if (!r->global[id]) {
        const char *name = log_name(r->log, id);
        uint32_t global = 0;
        if (name[0])
            global = s->files.n < SUMMARY_FILES ? names_add(&s->files, name)
                                                : names_find(&s->files, name);
        rc = grow_files(s, global);
        if (rc)
            return rc;
        r->global[id] = global + 1;
        s->file[global].stored = is_stored(name);
    }
    *row = &s->file[r->global[id] - 1];
    return 0;
}

static void count_access(struct reading *r, struct file_sum *f, const struct event *e)
{
    static const struct access fresh;
    struct access unfollowed = fresh;
    int write = e->class == CLASS_WRITE;
    struct access *a = e->name < r->states ? &r->access[e->name][write] : &unfollowed;
    int64_t offset = e->name < r->states ? e->offset : -1;
    struct access_count *n = &f->access[write], before = *n;
    access_count(a, n, offset, e->bytes);
    for (int k = 0; k < ACCESS_KINDS; k++) {
        r->s->access[write].calls[k] += n->calls[k] - before.calls[k];
        log_sum(&r->s->access[write].bytes[k], n->bytes[k] - before.bytes[k]);
    }
}

/* Returns the time from the begin of a transfer to its end, which may be two calls. */
static int64_t took_ns(const struct event *e)
{
    return e->start_ns + e->duration_ns - e->begun_ns;
}

static void add_to_file(struct file_sum *f, const struct event *e, int process)
{
    add_to_class(f->sum, e->file_class, e);
    if (f->last_process != process + 1) {
        f->last_process = process + 1;
        f->processes++;
    }
    if (!op_moves((enum trace_class)e->class) || e->bytes < 0 || !e->calls)
        return;
    int64_t took = took_ns(e);
    uint32_t *count = &f->latency[hist_bucket(took) / SUMMARY_COARSE];
    *count += *count < UINT32_MAX;
    f->timed++;
    if (e->bytes < f->min_bytes || f->timed == 1)
        f->min_bytes = e->bytes;
    if (e->bytes > f->max_bytes)
        f->max_bytes = e->bytes;
    if (took > f->max_ns)
        f->max_ns = took;
}

/* ---- calls ---------------------------------------------------------------- */

static int add_to_call(struct summary *s, const struct event *e)
{
    struct call_sum **at = &s->call[e->level > 0][e->row], *c = *at;
    if (!c && !(c = *at = mem_new(1, sizeof *c, "the summary")))
        return -ENOMEM;
    log_sum(&c->sum.ns, e->duration_ns);
    if (!e->calls)
        return 0;
    int64_t took = took_ns(e);
    if (c->sum.calls == 0 || took < c->min_ns)
        c->min_ns = took;
    if (took > c->max_ns)
        c->max_ns = took;
    c->sum.calls++;
    c->sum.errors += e->bytes < 0;
    log_sum(&c->sum.bytes, e->bytes > 0 ? e->bytes : 0);
    c->latency[hist_bucket(took)]++;
    if (!op_moves((enum trace_class)e->class) || e->bytes < 0)
        return 0;
    if (c->transfers++ == 0 || e->bytes < c->min_bytes)
        c->min_bytes = e->bytes;
    if (e->bytes > c->max_bytes)
        c->max_bytes = e->bytes;
    c->size[hist_bucket(e->bytes)]++;
    return 0;
}

/* ---- processes ------------------------------------------------------------ */

static struct process_sum *summary_add_process(struct reading *r, int32_t pid)
{
    struct summary *s = r->s;
    const struct log_info *i = log_info(r->log);
    if (s->processes == s->process_room) {
        int room = s->process_room ? 2 * s->process_room : 16;
        struct process_sum *more =
            mem_grow(s->process, room, sizeof *more, "the summary");
        if (!more) {
            return NULL;
        }
        s->process = more;
        s->process_room = room;
    }
    int *chain = &r->chain[(uint32_t)pid % CHAINS];
    struct process_sum *p = &s->process[s->processes++];
    *p = (struct process_sum){.rank = i->rank,
                              .next = *chain,
                              .pid = pid,
                              .generation = i->generation,
                              .threads = i->threads};
    const char *slash = strrchr(i->exe, '/');
    const char *program = slash ? slash + 1 : i->exe;
    snprintf(p->app, sizeof p->app, "%.*s", (int)sizeof p->app - 1, i->app);
    snprintf(p->program, sizeof p->program, "%.*s", (int)sizeof p->program - 1,
             *program ? program : i->app);
    snprintf(p->host, sizeof p->host, "%.*s", (int)sizeof p->host - 1, i->host);
    if (!i->table) {
        p->begin_ns = i->begin_ns;
        p->end_ns = i->end_ns;
    }
    *chain = s->processes;
    return p;
}

/* Finds the process of an event. A table may hold the processes of a whole run. */
static struct process_sum *process_of(struct reading *r, int32_t pid)
{
    struct summary *s = r->s;
    for (int n = r->chain[(uint32_t)pid % CHAINS]; n; n = s->process[n - 1].next)
        if (s->process[n - 1].pid == pid)
            return &s->process[n - 1];
    return summary_add_process(r, pid);
}

static void add_to_process(struct process_sum *p, const struct event *e)
{
    int64_t end = e->start_ns + e->duration_ns;
    if (!p->begin_ns || e->start_ns < p->begin_ns)
        p->begin_ns = e->start_ns;
    if (end > p->end_ns)
        p->end_ns = end;
    if (e->level > 0)
        return;
    add_to_class(p->sum, e->class, e);
    if (!op_is_io((enum trace_class)e->class))
        return;
    int64_t from = e->start_ns > p->covered_ns ? e->start_ns : p->covered_ns;
    if (end > from)
        p->io_ns += end - from;
    if (end > p->covered_ns)
        p->covered_ns = end;
}

/* ---- profiles ------------------------------------------------------------- */

/* Returns the value that stands for a bucket of powers of two. */
static int64_t power_value(int n)
{
    return n ? ((int64_t)1 << n) - 1 : 0;
}

static void add_profile_to_call(struct call_sum *c, const struct trace_profile *p,
                                const struct sum *sum)
{
    add_sum(&c->sum, sum);
    for (int n = 0; n < TRACE_TIMES; n++)
        if (p->times[n]) {
            c->latency[hist_bucket(power_value(n))] += (int64_t)p->times[n];
            if (power_value(n) > c->max_ns)
                c->max_ns = power_value(n);
        }
    for (int n = 0; n < TRACE_SIZES; n++)
        if (p->sizes[n]) {
            if (c->transfers == 0 || power_value(n) < c->min_bytes)
                c->min_bytes = power_value(n);
            if (power_value(n) > c->max_bytes)
                c->max_bytes = power_value(n);
            c->size[hist_bucket(power_value(n))] += (int64_t)p->sizes[n];
            c->transfers += (int64_t)p->sizes[n];
        }
}

static void add_profile_to_file(struct file_sum *f, enum trace_class class,
                                const struct trace_profile *p, const struct sum *sum,
                                int process)
{
    add_sum(&f->sum[class], sum);
    if (f->last_process != process + 1) {
        f->last_process = process + 1;
        f->processes++;
    }
    for (int n = 0; n < TRACE_TIMES && op_moves(class); n++) {
        f->latency[hist_bucket(power_value(n)) / SUMMARY_COARSE] +=
            (uint32_t)p->times[n];
        f->timed += (int64_t)p->times[n];
        if (p->times[n] && power_value(n) > f->max_ns)
            f->max_ns = power_value(n);
    }
}

static int add_profile(void *arg, const struct trace_profile *p, int op, int64_t ns)
{
    struct reading *r = arg;
    struct summary *s = r->s;
    enum trace_class class = op_get(op)->class;
    const struct sum sum = {(int64_t)p->count, (int64_t)p->errors, (int64_t)p->bytes,
                            ns};
    struct process_sum *process = process_of(r, log_info(r->log)->pid);
    struct call_sum **c = &s->call[p->level > 0][op];
    if (!process || (!*c && !(*c = mem_new(1, sizeof **c, "the summary"))))
        return -ENOMEM;
    r->profile = true;
    add_profile_to_call(*c, p, &sum);
    unseen_profile(&s->unseen, r->log, op, p->file, sum.calls, sum.errors);
    add_sum(p->level ? &s->nested[class] : &s->total[class], &sum);
    if (p->level)
        return 0;
    add_sum(&process->sum[class], &sum);
    log_sum(&process->io_ns, op_is_io(class) ? ns : 0);
    struct file_sum *f;
    int rc = file_row(r, p->file, &f);
    if (rc)
        return rc;
    if (class != CLASS_MARK)
        add_profile_to_file(f, class, p, &sum, (int)(process - s->process));
    for (int n = 0; n < TRACE_SIZES && op_moves(class) && f->stored; n++) {
        s->transfers += (int64_t)p->sizes[n];
        s->small_calls += power_value(n) < SUMMARY_SMALL ? (int64_t)p->sizes[n] : 0;
    }
    return 0;
}

/* ---- all ------------------------------------------------------------------ */

static int summary_count(struct reading *r, const struct event *e)
{
    struct summary *s = r->s;
    enum trace_class class = (enum trace_class)e->class;
    struct process_sum *p = process_of(r, e->pid);
    struct file_sum *f;
    int rc = p ? file_row(r, e->name, &f) : -ENOMEM;
    if (!rc && !e->other_end) {
        rc = add_to_call(s, e);
        add_to_process(p, e);
        add_to_class(e->level ? s->nested : s->total, class, e);
    }
    if (class == CLASS_PROCESS)
        unseen_event(&s->unseen, r->log, e);
    if (rc || e->level > 0)
        return rc;
    if ((class == CLASS_READ || class == CLASS_WRITE) && e->bytes >= 0 && e->calls)
        count_access(r, f, e);
    if (class != CLASS_MARK)
        add_to_file(f, e, (int)(p - s->process));
    if (op_moves(class) && e->bytes >= 0 && e->calls && f->stored) {
        s->transfers++;
        s->small_calls += e->bytes < SUMMARY_SMALL;
    }
    return 0;
}

static int add_note(struct summary *s, const char *log, const char *text)
{
    struct summary_note *more =
        mem_grow(s->note, (size_t)s->notes + 1, sizeof *more, "the summary");
    if (!more)
        return -ENOMEM;
    s->note = more;
    more[s->notes] = (struct summary_note){mem_text(log, "the summary"),
                                           mem_text(text, "the summary")};
    if (!more[s->notes].log || !more[s->notes].text)
        return -ENOMEM;
    s->notes++;
    return 0;
}

static int add_notes(struct summary *s, const struct log *l)
{
    char text[LOG_NOTE_SIZE];
    const char *note;
    int rc = 0;
    for (int i = 0; !rc && (note = log_note(l, i, text)); i++)
        rc = add_note(s, log_info(l)->path, note);
    unseen_log(&s->unseen, l);
    s->damaged += log_info(l)->damaged + log_info(l)->damaged_blocks +
                  log_info(l)->missing_blocks;
    return rc;
}

static void widen_summary(struct summary *s, int first)
{
    for (int i = first; i < s->processes; i++) {
        const struct process_sum *p = &s->process[i];
        if (p->begin_ns && (!s->begin_ns || p->begin_ns < s->begin_ns))
            s->begin_ns = p->begin_ns;
        if (p->end_ns > s->end_ns)
            s->end_ns = p->end_ns;
    }
}

static int summary_read_log(void *arg, struct log *l)
{
    struct summary *s = arg;
    struct reading *r = mem_new(1, sizeof *r, "the summary");
    if (!r)
        return -ENOMEM;
    *r = (struct reading){.s = s, .log = l, .first = s->processes};
    struct event e;
    int rc;
    while ((rc = log_next(l, &e)) == 1 && !(rc = summary_count(r, &e)))
        ;
    if (!rc && log_info(l)->events == 0)
        rc = log_profile(l, add_profile, r);
    if (!rc && r->profile)
        rc = add_note(s, log_info(l)->path,
                      "a profile: sizes and times of single calls "
                      "are known within a factor of two");
    /* a process without I/O counts, too */
    if (!rc && s->processes == r->first && !log_info(l)->table &&
        !summary_add_process(r, log_info(l)->pid))
        rc = -ENOMEM;
    for (int i = r->first; i < s->processes; i++) {
        struct process_sum *p = &s->process[i];
        p->threads = log_info(l)->threads;
        if (r->profile && p->io_ns > p->end_ns - p->begin_ns)
            p->io_ns = p->end_ns - p->begin_ns; /* several threads in calls at once */
    }
    widen_summary(s, r->first);
    s->read++;
    free(r->global);
    free(r->access);
    free(r);
    return rc ? rc : add_notes(s, l);
}

static void count_unseen(struct summary *s)
{
    int op = op_number("mmap", CLASS_MAP);
    const struct call_sum *maps = op < 0 ? NULL : s->call[0][op];
    s->unseen.maps = maps ? maps->sum.calls : 0;
    s->unseen.logs = s->run.logs;
    s->unseen.unreadable = s->run.unreadable;
    complete_end(&s->unseen, s->run.path);
}

int summary_make(struct summary **out, const char *path)
{
    struct summary *s = *out = mem_new(1, sizeof *s, "the summary");
    if (!s)
        return -ENOMEM;
    int rc = run_find(&s->run, path);
    rc = rc ? rc : grow_files(s, 0);
    rc = rc ? rc : run_each(&s->run, summary_read_log, s);
    count_unseen(s);
    if (!rc && s->run.unreadable) {
        char text[96];
        snprintf(text, sizeof text, "%d of %d log%s could not be read: not in here",
                 s->run.unreadable, s->run.logs, units_s(s->run.logs));
        rc = add_note(s, path, text);
    }
    return rc;
}

void summary_free(struct summary **out)
{
    struct summary *s = *out;
    if (!s)
        return;
    for (int i = 0; i < op_count(); i++) {
        free(s->call[0][i]);
        free(s->call[1][i]);
    }
    for (int i = 0; i < s->notes; i++) {
        free(s->note[i].log);
        free(s->note[i].text);
    }
    names_free(&s->files);
    unseen_free(&s->unseen);
    free(s->file);
    free(s->process);
    free(s->note);
    run_free(&s->run);
    free(s);
    *out = NULL;
}

/* ---- figures -------------------------------------------------------------- */

struct sum summary_io(const struct sum *by_class)
{
    struct sum all = {0};
    for (int c = 0; c < CLASSES; c++)
        if (op_is_io((enum trace_class)c))
            add_sum(&all, &by_class[c]);
    return all;
}

struct sum summary_metadata(const struct sum *by_class)
{
    struct sum all = {0};
    add_sum(&all, &by_class[CLASS_OPEN]);
    add_sum(&all, &by_class[CLASS_CLOSE]);
    add_sum(&all, &by_class[CLASS_SEEK]);
    add_sum(&all, &by_class[CLASS_META]);
    return all;
}

const char *summary_file_name(const struct summary *s, uint32_t id)
{
    if (id)
        return names_get(&s->files, id);
    return s->files.n < SUMMARY_FILES ? "(no name)" : "(no name, or beyond the limit)";
}

double summary_latency_s(const struct call_sum *c, double q)
{
    int b = hist_reach(c->latency, c->sum.calls, q);
    double max = (double)c->max_ns;
    return (b < 0 ? max : fmin(hist_bound(b), max)) * 1e-9;
}

int64_t summary_size(const struct call_sum *c, double q)
{
    int b = hist_reach(c->size, c->transfers, q);
    double max = (double)c->max_bytes, min = (double)c->min_bytes;
    return (int64_t)(b < 0 ? max : fmax(fmin(floor(hist_bound(b)), max), min));
}

double summary_file_latency_s(const struct file_sum *f, double q)
{
    int64_t need = (int64_t)ceil(q * (double)f->timed), seen = 0;
    for (int b = 0; b < SUMMARY_FILE_HIST; b++) {
        seen += f->latency[b];
        if (seen >= need && seen > 0)
            return fmin(hist_bound(SUMMARY_COARSE * (b + 1) - 1), (double)f->max_ns) *
                   1e-9;
    }
    return (double)f->max_ns * 1e-9;
}

/* An entry to sort: its time, and its number. */
struct rank_of {
    int64_t ns;
    uint32_t id;
};

static int by_ns(const void *a, const void *b)
{
    const struct rank_of *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Sorts entries, and returns their numbers in *ids. */
static int sorted(struct rank_of *r, int n, uint32_t **ids)
{
    *ids = r ? mem_new((size_t)n + 1, sizeof **ids, "the summary") : NULL;
    if (!*ids) {
        free(r);
        return -ENOMEM;
    }
    qsort(r, (size_t)n, sizeof *r, by_ns);
    for (int i = 0; i < n; i++)
        (*ids)[i] = r[i].id;
    free(r);
    return n;
}

int summary_by_time(const struct summary *s, uint32_t **ids)
{
    struct rank_of *r = calloc((size_t)s->files.n + 1, sizeof *r);
    int n = 0;
    for (uint32_t id = 0; id <= s->files.n && r && id < s->file_room; id++) {
        struct sum all = summary_io(s->file[id].sum);
        if (all.calls)
            r[n++] = (struct rank_of){all.ns, id};
    }
    return sorted(r, n, ids);
}

int summary_calls_by_time(const struct summary *s, int nested, uint32_t **ops)
{
    struct rank_of *r = calloc((size_t)op_count() + 1, sizeof *r);
    int n = 0;
    for (int op = 0; op < op_count() && r; op++)
        if (s->call[nested][op])
            r[n++] = (struct rank_of){s->call[nested][op]->sum.ns, (uint32_t)op};
    return sorted(r, n, ops);
}

double process_io_s(const struct process_sum *p)
{
    return summary_s(p->io_ns);
}

double process_bytes(const struct process_sum *p)
{
    return (double)summary_io(p->sum).bytes;
}

double process_wall_s(const struct process_sum *p)
{
    return p->end_ns > p->begin_ns ? summary_s(p->end_ns - p->begin_ns) : 0;
}

struct imbalance summary_imbalance(const struct summary *s,
                                   double (*of)(const struct process_sum *))
{
    struct imbalance i = {0};
    bool ranks = false; /* with ranks, launchers and helpers are left out */
    for (int k = 0; k < s->processes; k++)
        ranks |= s->process[k].rank >= 0;
    for (int k = 0; k < s->processes; k++) {
        double v = of(&s->process[k]);
        if (ranks && s->process[k].rank < 0)
            continue;
        i.n++;
        i.mean += v;
        if (v > i.max) {
            i.max = v;
            i.max_process = k;
        }
    }
    i.mean /= i.n ? i.n : 1;
    return i;
}
