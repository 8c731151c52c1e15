/* Makes a skeleton, one log after the other, in memory that depends on the number of
 * files, phases and processes only. */
#include "base/err.h"
#include "base/mem.h"
#include "iotrace/read/names.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, THREADS = SKELETON_THREADS, ENOUGH = 8 };
enum { SIZES = 4, BUFFER = 4096 };

/* Calls of streams that follow each other in the file. Lines and records have sizes of
 * all kinds, which no descriptor fits: if sizes change more often than SIZES, each call
 * stands for one of the mean size. The library's buffer hides the difference. A stretch
 * ends where later calls depend on how far the file has come: at a transfer in the
 * other direction, a seek, and a sync. */
struct stretch {
    int64_t at, bytes, calls;
    int sizes; /* number of changes; SIZES + 1: more */
    struct {
        int64_t bytes, calls;
    } size[SIZES];
};

/* A file's transfers in one direction, as long as they are of one kind. */
struct follow {
    int stream; /* number + 1; 0: free */
    struct ldad_finder finder;
    struct stretch stretch;
};

struct place {      /* the file or stream that a name of the log means */
    uint32_t file;  /* number + 1; 0: not looked up yet */
    int follow[2];  /* number + 1 */
    int64_t buffer; /* buffer that setvbuf gave its stream; 0: none */
    enum skeleton_kind kind;
};

struct thread {
    uint16_t phase[DEPTH];
    uint16_t last; /* the region that ended last */
    int depth;     /* may exceed DEPTH: deeper regions count as the last one held */
};

struct reading {
    struct skeleton *s;
    struct log *log;
    int process;
    struct place *place;
    uint32_t places;
    struct follow *follow;
    int follows, *idle, idles;
    struct thread thread[THREADS];
    struct skeleton_depth depth[SKELETON_THREADS];
    int within; /* the library that makes the call; LIBRARY_NONE: the program */
    int64_t begin_ns, since_ns, last_ns, order;
    int64_t ended_ns;    /* end of its calls on files */
    int64_t pause_ns;    /* time outside calls since the last step or change of phase */
    int64_t pause_of_ns; /* begin of that phase */
    int uses[SKELETON_ROLES + 1]; /* files of each role that it transferred */
    struct sequence sequence[SKELETON_PHASES + 1];
    /* without regions: the part, the opens, and the phase (`found`) */
    int part, opens, found;
    int clock; /* the thread whose regions divide the process's time; -1: none yet */
    struct {
        int64_t ns, io_ns, times, begin_ns;
        bool used;
    } phase[SKELETON_PHASES + 1];
};

void skeleton_add(struct skeleton_sum *to, int64_t calls, int64_t bytes)
{
    log_sum(&to->calls, calls);
    log_sum(&to->bytes, bytes > 0 ? bytes : 0);
}

/* ---- streams ---------------------------------------------------------------- */

static uint64_t stream_hash(uint32_t role, int member, int phase, int op, int process)
{
    uint64_t h = ((uint64_t)role << 44) ^ ((uint64_t)phase << 36) ^
                 ((uint64_t)op << 22) ^ ((uint64_t)member << 56) ^ (uint64_t)process;
    return h * 0x9e3779b97f4a7c15u >> 20;
}

void skeleton_stream_note(struct skeleton *s, int n)
{
    const struct skeleton_stream *t = &s->stream[n];
    uint64_t at = stream_hash(t->role, t->member, t->phase, t->op, t->process);
    while (s->slot[at % (uint64_t)s->slots])
        at++;
    s->slot[at % (uint64_t)s->slots] = n + 1;
}

int skeleton_stream_find(const struct skeleton *s, uint32_t role, int member, int phase,
                         int op, int process)
{
    uint64_t at = stream_hash(role, member, phase, op, process);
    for (int n; s->slots && (n = s->slot[at % (uint64_t)s->slots]); at++) {
        const struct skeleton_stream *t = &s->stream[n - 1];
        if (t->role == role && t->member == member && t->phase == phase &&
            t->op == op && t->process == process)
            return n;
    }
    return 0;
}

static int streams_grow(struct skeleton *s)
{
    int room = s->room ? 2 * s->room : 64;
    struct skeleton_stream *more =
        mem_grow(s->stream, room, sizeof *more, "the skeleton");
    if (!more)
        return -ENOMEM;
    s->stream = more;
    s->room = room;
    free(s->slot);
    s->slots = 2 * room;
    s->slot = mem_new(s->slots, sizeof *s->slot, "the skeleton");
    if (!s->slot)
        return -ENOMEM;
    for (int i = 0; i < s->streams; i++)
        skeleton_stream_note(s, i);
    return 0;
}

static bool class_moves(enum trace_class class)
{
    return class == CLASS_READ || class == CLASS_WRITE;
}

/* Returns the operation to count. All calls that read from a stream, or write to one,
 * are of one kind: the same buffer serves them. */
static uint16_t op_of_event(const struct event *e)
{
    bool write = e->class == CLASS_WRITE;
    if (!(e->flags & TRACE_STREAM) || !class_moves((enum trace_class)e->class))
        return e->row;
    int op = op_number(write ? "fwrite" : "fread", CLASSES);
    return op < 0 ? e->row : (uint16_t)op;
}

/* Returns the number of a stream + 1, made if it is new; 0: there are too many;
 * -errno. */
static int stream_of(struct reading *r, const struct place *p, int phase,
                     const struct event *e)
{
    struct skeleton *s = r->s;
    const struct skeleton_file *f = &s->file[p->file - 1];
    uint16_t op = op_of_event(e);
    int member = f->member < SKELETON_MEMBERS ? (int)f->member : SKELETON_MEMBERS;
    int n = skeleton_stream_find(s, f->role, member, phase, op, r->process);
    if (n || s->streams == SKELETON_STREAMS)
        return n;
    if (s->streams == s->room && streams_grow(s))
        return -ENOMEM;
    s->stream[s->streams] = (struct skeleton_stream){.role = f->role,
                                                     .phase = (uint16_t)phase,
                                                     .op = op,
                                                     .flags = e->flags,
                                                     .buffer = p->buffer,
                                                     .member = (uint8_t)member,
                                                     .within = (uint8_t)r->within,
                                                     .process = r->process,
                                                     .order = r->order};
    skeleton_stream_note(s, s->streams);
    return ++s->streams;
}

/* ---- descriptors ------------------------------------------------------------ */

int skeleton_draw(struct skeleton_drawn **d, int64_t calls, int64_t size)
{
    if (!*d && !(*d = mem_new(1, sizeof **d, "the skeleton")))
        return -ENOMEM;
    int64_t bytes = size;
    if (__builtin_mul_overflow(calls, size, &bytes))
        bytes = INT64_MAX;
    skeleton_add(&(*d)->sum, calls, bytes);
    log_sum(&(*d)->sizes[63 - __builtin_clzll((uint64_t)size)], calls);
    return 0;
}

int skeleton_draw_all(struct skeleton_drawn **d, const struct skeleton_drawn *from)
{
    if (!from)
        return 0;
    if (!*d && !(*d = mem_new(1, sizeof **d, "the skeleton")))
        return -ENOMEM;
    skeleton_add(&(*d)->sum, from->sum.calls, from->sum.bytes);
    for (int i = 0; i < 64; i++)
        log_sum(&(*d)->sizes[i], from->sizes[i]);
    return 0;
}

int64_t skeleton_calls(const struct skeleton_descriptor *d)
{
    int64_t calls;
    return __builtin_mul_overflow(ldad_chunks(&d->is), d->repeats, &calls) ? INT64_MAX
                                                                           : calls;
}

static int descriptor_draw(struct skeleton_stream *t,
                           const struct skeleton_descriptor *d)
{
    return skeleton_draw(&t->drawn, skeleton_calls(d), d->is.size);
}

static struct skeleton_descriptor *skeleton_least_of(struct skeleton_stream *t)
{
    struct skeleton_descriptor *least = &t->found[0];
    for (int i = 1; i < t->founds; i++)
        if (skeleton_calls(&t->found[i]) < skeleton_calls(least))
            least = &t->found[i];
    return least;
}

/* Keeps the descriptors with most calls; their order is lost then. */
static int keep_most(struct skeleton_stream *t, const struct skeleton_descriptor *new)
{
    struct skeleton_descriptor *least = skeleton_least_of(t), old = *least;
    sequence_lose(&t->sequence);
    if (skeleton_calls(&old) >= skeleton_calls(new))
        return descriptor_draw(t, new);
    *least = *new;
    return descriptor_draw(t, &old);
}

int skeleton_keep(struct skeleton_stream *t, const struct ldad *d, int64_t repeats)
{
    struct skeleton_descriptor new = {*d, repeats};
    for (int i = 0; i < t->founds; i++)
        if (ldad_same(&t->found[i].is, d)) {
            log_sum(&t->found[i].repeats, repeats);
            return sequence_add(&t->sequence, i, repeats);
        }
    if (t->founds == SKELETON_DESCRIPTORS)
        return keep_most(t, &new);
    size_t n = (size_t)t->founds + 1;
    struct skeleton_descriptor *more =
        mem_grow(t->found, n, sizeof *more, "the skeleton");
    if (!more)
        return -ENOMEM;
    t->found = more;
    t->found[t->founds++] = new;
    return sequence_add(&t->sequence, t->founds - 1, repeats);
}

/* Drops short descriptors, which are coincidences if not all are kept. */
static int drop_coincidences(struct skeleton_stream *t)
{
    int kept = 0, rc = 0;
    for (int i = 0; i < t->founds && t->drawn && !rc; i++)
        if (skeleton_calls(&t->found[i]) >= ENOUGH)
            t->found[kept++] = t->found[i];
        else
            rc = descriptor_draw(t, &t->found[i]);
    if (t->drawn)
        sequence_lose(&t->sequence);
    t->founds = t->drawn ? kept : t->founds;
    return rc;
}

static int keep_found(void *arg, const struct ldad *d, int64_t repeats)
{
    return skeleton_keep(arg, d, repeats);
}

/* ---- files ------------------------------------------------------------------ */

static bool begins_with_any(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (!strncmp(text, *list, strlen(*list)))
            return true;
    return false;
}

/* Tells the kind of a file. Files of the system, and those that hold no bytes, are not
 * part of a workload. */
enum skeleton_kind skeleton_kind(const char *name)
{
    static const char *const other[] = {"/proc/",  "/sys/", "/dev/",       "/run/",
                                        "pipe:",   "|",     "anon_inode:", "socket:",
                                        "/memfd:", NULL};
    static const char *const system[] = {"/etc/", "/usr/", "/lib", NULL};
    if (!name[0] || begins_with_any(name, other))
        return SKELETON_OTHER;
    bool library = file_is_library(name) || begins_with_any(name, system);
    return library ? SKELETON_SYSTEM : SKELETON_FILE;
}

enum skeleton_kind skeleton_kind_asked(const struct skeleton *s, const char *name)
{
    const struct opt_list *include = s->include;
    enum skeleton_kind kind = skeleton_kind(name);
    if (kind == SKELETON_OTHER || !include || include->n == 0)
        return kind;
    for (int i = 0; i < include->n; i++)
        if (!fnmatch(include->item[i], name, 0))
            return SKELETON_FILE;
    return SKELETON_SYSTEM;
}

/* Finds the role. Names that differ in their digits only are one role. */
uint32_t skeleton_role_of(struct skeleton *s, const char *name)
{
    char key[4096];
    size_t n = 0;
    for (; *name && n < sizeof key - 1; name++) {
        bool digit = *name >= '0' && *name <= '9';
        if (!digit || n == 0 || key[n - 1] != '#')
            key[n++] = digit ? '#' : *name;
    }
    key[n] = 0;
    uint32_t id = names_find(&s->roles, key);
    return id || s->roles.n == SKELETON_ROLES ? id : names_add(&s->roles, key);
}

static int files_grow(struct skeleton *s, uint32_t id)
{
    struct skeleton_file *file =
        list_reach(s->file, &s->file_room, id, sizeof *file, "the skeleton");
    if (!file)
        return -ENOMEM;
    s->file = file;
    return 0;
}

static int place_look_up(struct reading *r, struct place *p, uint32_t name)
{
    struct skeleton *s = r->s;
    const char *text = log_name(r->log, name);
    p->kind = skeleton_kind_asked(s, text);
    uint32_t known = s->files.n;
    uint32_t id = p->kind == SKELETON_FILE ? names_add(&s->files, text) : 0;
    if (files_grow(s, id))
        return -ENOMEM;
    if (id > known) {
        struct skeleton_file *f = &s->file[id];
        *f = (struct skeleton_file){.role = skeleton_role_of(s, text),
                                    .process = r->process};
        f->member = (uint32_t)s->role[f->role].files++;
    } else if (id && s->file[id].process != r->process) {
        s->file[id].shared = true;
    }
    p->file = id + 1;
    return 0;
}

static struct place *place_of_name(struct reading *r, uint32_t name)
{
    struct place *place =
        list_reach(r->place, &r->places, name, sizeof *place, "the skeleton");
    if (!place)
        return NULL;
    r->place = place;
    struct place *p = &r->place[name];
    return p->file || !place_look_up(r, p, name) ? p : NULL;
}

/* ---- following a file ------------------------------------------------------- */

static int stretch_end(struct follow *f)
{
    struct stretch s = f->stretch;
    int rc = 0;
    if (s.sizes > SIZES) {
        int64_t size = s.bytes / s.calls, larger = s.bytes % s.calls;
        s.sizes = larger ? 2 : 1;
        s.size[0].bytes = size;
        s.size[0].calls = s.calls - larger;
        s.size[1].bytes = size + 1;
        s.size[1].calls = larger;
    }
    for (int i = 0; i < s.sizes; i++)
        for (int64_t k = 0; k < s.size[i].calls && !rc; k++) {
            rc = ldad_finder_call(&f->finder, s.at, s.size[i].bytes);
            s.at += s.size[i].bytes;
        }
    f->stretch = (struct stretch){.calls = 0};
    return rc;
}

static int stretch_add(struct follow *f, const struct event *e)
{
    struct stretch *s = &f->stretch;
    int rc = s->calls && s->at + s->bytes != e->offset ? stretch_end(f) : 0;
    if (!s->calls)
        s->at = e->offset;
    s->calls++;
    s->bytes += e->bytes;
    if (s->sizes > SIZES)
        return rc;
    if (s->sizes && s->size[s->sizes - 1].bytes == e->bytes) {
        s->size[s->sizes - 1].calls++;
        return rc;
    }
    if (++s->sizes <= SIZES) {
        s->size[s->sizes - 1].bytes = e->bytes;
        s->size[s->sizes - 1].calls = 1;
    }
    return rc;
}

/* Ends the stretch of the other direction, or both if the event is no transfer. */
static int stretches_end(struct reading *r, const struct place *p,
                         const struct event *e)
{
    int rc = 0;
    for (int way = 0; way < 2 && !rc; way++) {
        if (!p->follow[way] || (e->class == CLASS_READ && way == 0) ||
            (e->class == CLASS_WRITE && way == 1))
            continue;
        struct follow *f = &r->follow[p->follow[way] - 1];
        f->finder.arg = &r->s->stream[f->stream - 1];
        rc = stretch_end(f);
    }
    return rc;
}

/* True if the event ends stretches; fflush only empties the library's buffer. */
static bool ends_stretches(const struct event *e)
{
    return op_moves((enum trace_class)e->class) || e->class == CLASS_SEEK ||
           (e->class == CLASS_SYNC && !(e->flags & TRACE_STREAM));
}

static int follow_end(struct reading *r, int *number)
{
    if (!*number)
        return 0;
    struct follow *f = &r->follow[*number - 1];
    f->finder.arg = &r->s->stream[f->stream - 1];
    int rc = stretch_end(f), ended = ldad_finder_end(&f->finder);
    rc = rc ? rc : ended;
    f->stream = 0;
    r->idle[r->idles++] = *number;
    *number = 0;
    return rc;
}

static int follow_begin(struct reading *r, int *number, int stream)
{
    if (!r->idles) {
        size_t n = (size_t)r->follows + 1;
        struct follow *more = mem_grow(r->follow, n, sizeof *more, "the skeleton");
        if (!more)
            return -ENOMEM;
        r->follow = more;
        int *idle = mem_grow(r->idle, n, sizeof *idle, "the skeleton");
        if (!idle)
            return -ENOMEM;
        r->idle = idle;
        r->idle[r->idles++] = ++r->follows;
    }
    *number = r->idle[--r->idles];
    r->follow[*number - 1] =
        (struct follow){.stream = stream, .finder = {.found = keep_found}};
    return 0;
}

/* Notes the process that moves a file's bytes. This tells whether there is a file for
 * each process. */
static void move(struct reading *r, struct skeleton_file *f)
{
    struct skeleton_role *role = &r->s->role[f->role];
    if (f->mover == r->process + 1)
        return;
    f->movers = f->mover != 0;
    role->movers |= f->movers;
    f->mover = r->process + 1;
    if (++r->uses[f->role] > role->most)
        role->most = r->uses[f->role];
}

static int follow_transfer(struct reading *r, struct place *p, int stream,
                           const struct event *e)
{
    struct skeleton_file *file = &r->s->file[p->file - 1];
    int *number = &p->follow[e->class == CLASS_WRITE], rc = 0;
    int64_t *first = &file->first_ns[e->class == CLASS_WRITE];
    if (!*first || e->begun_ns < *first)
        *first = e->begun_ns;
    if (e->offset + e->bytes > file->end)
        file->end = e->offset + e->bytes;
    if (*number && r->follow[*number - 1].stream != stream)
        rc = follow_end(r, number);
    if (!rc && !*number)
        rc = follow_begin(r, number, stream);
    if (rc)
        return rc;
    struct follow *f = &r->follow[*number - 1];
    f->finder.arg = &r->s->stream[stream - 1]; /* the stream may have moved */
    if (e->flags & TRACE_STREAM)
        return stretch_add(f, e);
    return ldad_finder_call(&f->finder, e->offset, e->bytes);
}

/* ---- events ----------------------------------------------------------------- */

static int phase_now(const struct reading *r, const struct event *e)
{
    const struct thread *t = &r->thread[e->thread % THREADS];
    int depth = t->depth < DEPTH ? t->depth : DEPTH;
    int outside = r->s->parts ? r->found : r->s->phase[t->last].after;
    return depth ? t->phase[depth - 1] : outside;
}

static void phase_pass(struct reading *r, const struct event *e, int64_t now_ns)
{
    int phase = phase_now(r, e);
    if (r->clock != (int)(e->thread % THREADS) || now_ns < r->since_ns)
        return;
    r->phase[phase].ns += now_ns - r->since_ns;
    r->since_ns = now_ns;
}

static int phase_number(struct skeleton *s, const char *name)
{
    uint32_t id = names_find(&s->phases, name);
    if (!id && s->phases.n < SKELETON_PHASES)
        id = names_add(&s->phases, name);
    return id ? (int)id : SKELETON_PHASES;
}

/* Enters the phase outside of all regions. It has a number for each region that it
 * follows, if there are calls. */
static void enter_outside(struct reading *r, const struct event *e)
{
    const struct thread *t = &r->thread[e->thread % THREADS];
    struct skeleton *s = r->s;
    struct skeleton_phase *last = &s->phase[t->last];
    char name[24];
    if (t->depth || !t->last || last->after || s->parts)
        return;
    snprintf(name, sizeof name, "\1%d", t->last); /* no region has such a name */
    last->after = phase_number(s, name);
    s->phase[last->after].before = t->last;
}

/* Ends a region. On the outermost level, the thread is outside then. */
static void end_region(struct reading *r, struct thread *t, int64_t now_ns)
{
    if (t->depth == 1) {
        t->last = t->phase[0];
        struct skeleton_phase *p = &r->s->phase[t->last];
        int64_t ns = now_ns - r->begin_ns;
        p->end_ns = !p->end_ns || ns < p->end_ns ? ns : p->end_ns;
    }
    t->depth -= t->depth > 0;
}

bool skeleton_is_region(const struct event *e)
{
    return e->class == CLASS_MARK && !strncmp(op_get(e->op)->name, "region_", 7);
}

bool skeleton_is_joint_open(const struct event *e)
{
    return e->class == CLASS_OPEN && e->bytes >= 0 &&
           !strcmp(op_get(e->op)->name, "MPI_File_open");
}

/* Goes on to the part of the run that contains the event. */
static void part_pass(struct reading *r, const struct event *e)
{
    const struct skeleton *s = r->s;
    if (!s->parts)
        return;
    r->opens += skeleton_is_joint_open(e);
    for (; r->part + 1 < s->parts; r->part++) {
        const struct skeleton_part *next = &s->part[r->part + 1];
        if (next->open ? next->open > r->opens : next->from_ns > e->start_ns)
            break;
    }
    int phase = s->part[r->part].phase;
    if (phase == r->found)
        return;
    r->phase[r->found].ns += e->start_ns - r->since_ns;
    r->since_ns = e->start_ns;
    r->found = phase;
    r->phase[phase].begin_ns = e->start_ns - r->begin_ns;
}

static void visit_mark(struct reading *r, const struct event *e)
{
    const char *op = op_get(e->op)->name;
    struct thread *t = &r->thread[e->thread % THREADS];
    bool begin = !strcmp(op, "region_begin");
    if (!skeleton_is_region(e))
        return;
    if (r->clock < 0)
        r->clock = (int)(e->thread % THREADS);
    phase_pass(r, e, e->start_ns);
    if (!begin) {
        end_region(r, t, e->start_ns);
        return;
    }
    int phase = phase_number(r->s, log_name(r->log, e->name));
    r->s->phase[phase].region = true;
    if (t->depth++ < DEPTH)
        t->phase[t->depth - 1] = (uint16_t)phase;
    if (!r->phase[phase].times++)
        r->phase[phase].begin_ns = e->start_ns - r->begin_ns;
}

bool skeleton_is_step(int op)
{
    const struct op *is = op_get(op);
    return class_moves(is->class) ||
           (is->class == CLASS_SYNC && !op_is_of_format(is)) ||
           (is->class == CLASS_META && !strcmp(is->name, "posix_fadvise_dontneed"));
}

/* True if orders contain the event: transfers of known places, syncs and drops. */
static bool is_ordered(const struct event *e)
{
    if (!skeleton_is_step(e->row))
        return false;
    return class_moves((enum trace_class)e->class)
               ? e->bytes > 0 && skeleton_is_placed(e)
               : e->bytes >= 0;
}

static int visit_transfer(struct reading *r, struct place *p, int stream,
                          const struct event *e)
{
    struct skeleton_stream *t = &r->s->stream[stream - 1];
    move(r, &r->s->file[p->file - 1]);
    if (e->bytes == 0) {
        t->empty++;
        return 0;
    }
    if (!skeleton_is_placed(e))
        return skeleton_draw(&t->unplaced, 1, e->bytes);
    return follow_transfer(r, p, stream, e);
}

static void leave_out(struct skeleton *s, const struct place *p, const struct event *e)
{
    struct skeleton_sum *sum = p->kind == SKELETON_SYSTEM  ? &s->system_files
                               : p->kind == SKELETON_OTHER ? &s->not_files
                                                           : &s->unfollowed;
    skeleton_add(sum, e->calls, e->bytes);
}

/* Notes that calls within the libraries' calls were seen, so the libraries' own calls
 * need not count. */
static void note_seen(struct reading *r, const struct event *e)
{
    for (int i = 0; i < e->level; i++)
        r->s->seen[r->depth[e->thread % SKELETON_THREADS].library[i]] = true;
}

/* Counts a call apart, as nobody knows yet whether the calls within it are seen. */
static int visit_through(struct reading *r, const struct place *p,
                         struct skeleton_stream *t, const struct event *e)
{
    move(r, &r->s->file[p->file - 1]);
    return skeleton_draw(&t->through, 1, e->bytes);
}

/* Keeps a library's calls if nothing within them was seen. */
static int keep_calls(struct skeleton *s, struct skeleton_stream *t)
{
    if (!t->through || s->seen[op_get(t->op)->library])
        return 0;
    skeleton_add(&t->sum, t->through->sum.calls, t->through->sum.bytes);
    int rc = skeleton_draw_all(&t->unplaced, t->through);
    free(t->through);
    t->through = NULL;
    return rc;
}

static int visit_step(struct reading *r, int stream, int phase, const struct event *e)
{
    log_sum(&r->s->stream[stream].pause_ns, r->pause_ns);
    r->pause_ns = 0;
    int rc = sequence_add(&r->sequence[phase], stream, 1);
    if (!rc && e->class == CLASS_SYNC && !(e->flags & TRACE_STREAM))
        rc = skeleton_meet(r->s, stream, r->ended_ns, e);
    return rc;
}

/* Adds the time outside calls before this one, within its phase. */
static void pause_pass(struct reading *r, const struct event *e)
{
    int64_t from_ns = r->ended_ns > r->since_ns ? r->ended_ns : r->since_ns;
    if (r->since_ns != r->pause_of_ns)
        r->pause_ns = 0;
    r->pause_of_ns = r->since_ns;
    if (e->start_ns > from_ns)
        log_sum(&r->pause_ns, e->start_ns - from_ns);
}

/* Notes the buffer of a stream; each open gives it a new one. */
static void note_buffer(struct place *p, const struct event *e)
{
    if (e->flags & TRACE_STREAM && e->class == CLASS_OPEN)
        p->buffer = 0;
    if (e->bytes >= 0 && !strcmp(op_get(e->op)->name, "setvbuf"))
        p->buffer = e->request;
}

static int visit_io(struct reading *r, const struct event *e)
{
    struct place *p = place_of_name(r, e->name);
    if (!p)
        return -ENOMEM;
    if (p->file == 1) { /* it is no file */
        leave_out(r->s, p, e);
        return 0;
    }
    note_buffer(p, e);
    part_pass(r, e);
    enter_outside(r, e);
    int phase = phase_now(r, e), rc = 0;
    pause_pass(r, e);
    if (!e->calls) { /* a submission; its transfer counts where it ends */
        log_sum(&r->phase[phase].io_ns, e->duration_ns);
        return 0;
    }
    int n = stream_of(r, p, phase, e);
    if (n <= 0) {
        skeleton_add(&r->s->unfollowed, 1, e->bytes);
        return n;
    }
    r->phase[phase].used = true;
    if (!r->within)
        log_sum(&r->phase[phase].io_ns, e->duration_ns);
    struct skeleton_stream *t = &r->s->stream[n - 1];
    if (class_moves((enum trace_class)e->class) && e->bytes > 0) {
        note_seen(r, e);
        if (skeleton_is_through(e))
            return visit_through(r, p, t, e);
    }
    skeleton_add(&t->sum, 1, e->bytes);
    t->failed += e->bytes < 0;
    if (ends_stretches(e))
        rc = stretches_end(r, p, e);
    if (!rc && op_moves((enum trace_class)e->class) && e->bytes >= 0)
        rc = visit_transfer(r, p, n, e);
    if (!rc && is_ordered(e))
        rc = visit_step(r, n - 1, phase, e);
    if (e->start_ns + e->duration_ns > r->ended_ns)
        r->ended_ns = e->start_ns + e->duration_ns;
    for (int i = 0; e->class == CLASS_CLOSE && i < 2 && !rc; i++)
        rc = follow_end(r, &p->follow[i]);
    return rc;
}

bool skeleton_is_asked(const struct event *e)
{
    return e->level == 0 && !e->other_end && op_is_io((enum trace_class)e->class);
}

/* Visits bytes that a stream moved without a call that the recorder sees. They count as
 * calls of the size of its buffer, as one call for all would bypass the buffer. */
static int visit_unseen(struct reading *r, const struct event *e)
{
    struct event piece = *e;
    int rc = 0;
    for (int64_t at = 0; at < e->bytes && !rc; at += BUFFER) {
        piece.offset = e->offset < 0 ? -1 : e->offset + at;
        piece.bytes = e->bytes - at < BUFFER ? e->bytes - at : BUFFER;
        rc = visit_io(r, &piece);
    }
    return rc;
}

static int add_event(struct reading *r, const struct event *e)
{
    r->order++;
    if (!r->begin_ns)
        r->begin_ns = r->since_ns = e->start_ns;
    if (e->start_ns + e->duration_ns > r->last_ns)
        r->last_ns = e->start_ns + e->duration_ns;
    if (e->class == CLASS_MARK)
        visit_mark(r, e);
    if (!skeleton_visits(r->depth, e, &r->within))
        return 0;
    bool unseen = !strncmp(op_get(e->op)->name, "unseen_", 7);
    return unseen ? visit_unseen(r, e) : visit_io(r, e);
}

/* ---- logs ------------------------------------------------------------------- */

static void skeleton_close_phase(struct skeleton_phase *p, double s, double io_s,
                                 int64_t times, int64_t begin_ns)
{
    bool first = p->processes++ == 0;
    double think_s = s > io_s ? s - io_s : 0; /* several threads may be in calls */
    p->think_min_s = first || think_s < p->think_min_s ? think_s : p->think_min_s;
    p->think_max_s = first || think_s > p->think_max_s ? think_s : p->think_max_s;
    p->think_sum_s += think_s;
    p->min_s = first || s < p->min_s ? s : p->min_s;
    p->max_s = first || s > p->max_s ? s : p->max_s;
    p->io_min_s = first || io_s < p->io_min_s ? io_s : p->io_min_s;
    p->io_max_s = first || io_s > p->io_max_s ? io_s : p->io_max_s;
    p->begin_ns = first || begin_ns < p->begin_ns ? begin_ns : p->begin_ns;
    p->sum_s += s;
    p->io_sum_s += io_s;
    p->times = times > p->times ? times : p->times;
}

static void phases_close(struct reading *r)
{
    struct event end = {.thread = r->clock < 0 ? 0 : (uint32_t)r->clock};
    r->clock = (int)end.thread;
    phase_pass(r, &end, r->last_ns);
    for (int i = 0; i <= SKELETON_PHASES; i++)
        if (r->phase[i].used || r->phase[i].times)
            skeleton_close_phase(&r->s->phase[i], (double)r->phase[i].ns * 1e-9,
                                 (double)r->phase[i].io_ns * 1e-9, r->phase[i].times,
                                 r->phase[i].begin_ns);
}

static int skeleton_add_process(struct skeleton *s, int32_t rank)
{
    int32_t *more =
        mem_grow(s->rank, (size_t)s->processes + 1, sizeof *more, "the skeleton");
    if (!more)
        return -ENOMEM;
    s->rank = more;
    s->rank[s->processes++] = rank;
    return 0;
}

static int orders_close(struct reading *r)
{
    struct skeleton *s = r->s;
    for (int i = 0; i <= SKELETON_PHASES; i++) {
        struct sequence *q = &r->sequence[i];
        if (!q->nodes && !q->lost)
            continue;
        size_t n = (size_t)s->orders + 1;
        struct skeleton_order *more =
            mem_grow(s->order, n, sizeof *more, "the skeleton");
        if (!more)
            return -ENOMEM;
        s->order = more;
        s->order[s->orders++] = (struct skeleton_order){r->process, i, *q};
        *q = (struct sequence){.lost = false};
    }
    return 0;
}

static int read_events(struct reading *r, bool out)
{
    struct event e;
    int more, rc = 0;
    while (!rc && (more = log_next(r->log, &e)) != 0) {
        if (more < 0)
            return more;
        if (!out)
            rc = add_event(r, &e);
        else if (skeleton_is_asked(&e))
            skeleton_add(&r->s->other_processes, e.calls, e.bytes);
    }
    for (uint32_t i = 0; i < r->places && !rc; i++)
        for (int k = 0; k < 2 && !rc; k++)
            rc = follow_end(r, &r->place[i].follow[k]);
    if (!out)
        phases_close(r);
    return rc ? rc : orders_close(r);
}

static int read_log(void *arg, struct log *l)
{
    struct skeleton *s = arg;
    struct reading *r = mem_new(1, sizeof *r, "the skeleton");
    const struct log_info *i = log_info(l);
    if (!r)
        return -ENOMEM;
    r->s = s;
    r->log = l;
    r->clock = -1;
    r->process = s->processes;
    s->dropped += i->dropped;
    bool out = !s->is_rank[s->log++];
    int rc = out ? 0 : skeleton_add_process(s, i->rank);
    rc = rc ? rc : read_events(r, out);
    for (int k = 0; k <= SKELETON_PHASES; k++)
        sequence_free(&r->sequence[k]);
    free(r->place);
    free(r->follow);
    free(r->idle);
    free(r);
    run_say_notes(l);
    return rc;
}

int skeleton_has_events(const struct log *l)
{
    if (strcmp(log_info(l)->mode, "profile") != 0)
        return 0;
    return err_set(-EINVAL, log_info(l)->path, -1,
                   "a profile has sums and no single calls: record the run with "
                   "--mode=trace");
}

int skeleton_make(struct skeleton *s, struct run *r)
{
    int rc = skeleton_find_ranks(s, r);
    rc = rc ? rc : skeleton_find_phases(s, r);
    r->unreadable = 0;
    rc = rc ? rc : run_each(r, read_log, s);
    for (int i = 0; i < s->streams && !rc; i++)
        rc = drop_coincidences(&s->stream[i]);
    for (int i = 0; i < s->streams && !rc; i++)
        rc = keep_calls(s, &s->stream[i]);
    return rc ? rc : skeleton_settle(s);
}

void skeleton_free(struct skeleton *s)
{
    for (int i = 0; i < s->streams; i++) {
        free(s->stream[i].drawn);
        free(s->stream[i].unplaced);
        free(s->stream[i].through);
        free(s->stream[i].found);
        free(s->stream[i].meeting);
        sequence_free(&s->stream[i].sequence);
    }
    for (int i = 0; i < s->orders; i++)
        sequence_free(&s->order[i].is);
    free(s->order);
    free(s->stream);
    free(s->slot);
    free(s->file);
    free(s->rank);
    free(s->is_rank);
    free(s->part);
    names_free(&s->files);
    names_free(&s->roles);
    names_free(&s->phases);
}
