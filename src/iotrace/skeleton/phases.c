/* Finds the phases of a run whose program marks none. A phase may begin at a pause of
 * all ranks, or when they open a file together by MPI-IO. Such parts of the run are
 * alike if they first transfer by the same call and to the same role, or if they begin
 * with an open of the same role in the same mode. Parts that are alike, and all parts
 * between them, are one phase, so that a phase is a time of the run, and the steps of a
 * loop stay together. */
#include "base/mem.h"
#include "iotrace/read/names.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_NS INT64_C(1000000000)

enum { OPENS_MOST = 1 << 16 };

struct first {     /* first transfer of a part */
    int64_t ns;    /* INT64_MAX: there is none */
    uint64_t kind; /* its call and role; 0: there is none */
};

/* a time without a rank in a call on a file; the first begins before the run */
struct pause {
    int64_t begin_ns, end_ns;
    struct first first; /* the first transfer after it */
    int opens;          /* opens that each rank has made before */
    bool mixed;         /* ranks have made different numbers of them */
};

struct pauses {
    struct pause *list;
    uint32_t room, n;
};

struct open {
    uint64_t kind; /* from its role and mode */
    struct first first;
};

struct name { /* a name of a log: its kind and role */
    bool known;
    enum skeleton_kind kind;
    uint32_t role;
};

struct search {
    struct skeleton *s;
    int at;               /* the number of the log */
    bool marked;          /* the program marks its phases */
    bool any;             /* a rank has been read */
    struct pauses common; /* pauses of all ranks read so far */
    struct open *open;    /* opens that all ranks make */
    uint32_t open_room;
    int opens;
    bool opens_differ;
};

struct looking { /* the state of reading a log */
    struct search *f;
    struct log *log;
    struct name *name;
    uint32_t names;
    struct pauses pauses;
    struct skeleton_depth depth[SKELETON_THREADS];
    int64_t busy_ns; /* end of its last call */
    int opens;
    uint32_t begun; /* pauses that a transfer has followed */
    int used;       /* opens that a transfer has followed */
};

static uint64_t event_key(uint32_t role, const struct event *e, int64_t how)
{
    return ((uint64_t)role << 32) | ((uint64_t)e->row << 16) | ((uint64_t)how & 0xffff);
}

/* ---- a log ------------------------------------------------------------------ */

static struct pause *new_pause(struct pauses *p)
{
    struct pause *more =
        list_reach(p->list, &p->room, p->n, sizeof *more, "the phases");
    if (!more)
        return NULL;
    p->list = more;
    more += p->n++;
    *more = (struct pause){.first.ns = INT64_MAX, .end_ns = INT64_MAX};
    return more;
}

static struct name *phases_name_of(struct looking *l, uint32_t id)
{
    struct name *more = list_reach(l->name, &l->names, id, sizeof *more, "the phases");
    if (!more)
        return NULL;
    l->name = more;
    more += id;
    if (!more->known) {
        const char *text = log_name(l->log, id);
        *more =
            (struct name){.known = true, .kind = skeleton_kind_asked(l->f->s, text)};
        if (more->kind == SKELETON_FILE)
            more->role = skeleton_role_of(l->f->s, text);
    }
    return more;
}

/* Compares an open with the first rank's: all ranks make the same, or there are none in
 * common. */
static int look_at_open(struct looking *l, uint64_t kind)
{
    struct search *f = l->f;
    int n = l->opens++;
    if (f->any || n >= OPENS_MOST) {
        f->opens_differ |= n >= f->opens || n >= OPENS_MOST || f->open[n].kind != kind;
        return 0;
    }
    struct open *more =
        list_reach(f->open, &f->open_room, (uint32_t)n, sizeof *more, "the phases");
    if (!more)
        return -ENOMEM;
    f->open = more;
    f->open[n] = (struct open){.kind = kind, .first.ns = INT64_MAX};
    f->opens = l->opens;
    return 0;
}

/* Notes a transfer as the first one of all parts that have begun since the last one. */
static void look_at_transfer(struct looking *l, uint64_t kind, int64_t ns)
{
    struct search *f = l->f;
    for (; l->begun < l->pauses.n; l->begun++)
        l->pauses.list[l->begun].first = (struct first){ns, kind};
    for (; l->used < l->opens && l->used < f->opens; l->used++)
        if (ns < f->open[l->used].first.ns)
            f->open[l->used].first = (struct first){ns, kind};
}

static int look_at_event(struct looking *l, const struct event *e)
{
    const struct name *name = phases_name_of(l, e->name);
    if (!name)
        return -ENOMEM;
    if (name->kind != SKELETON_FILE)
        return 0;
    struct pause *last = &l->pauses.list[l->pauses.n - 1];
    if (l->pauses.n == 1 && last->end_ns == INT64_MAX)
        last->end_ns = e->start_ns;
    else if (e->start_ns > l->busy_ns && e->start_ns - l->busy_ns >= PAUSE_NS) {
        last = new_pause(&l->pauses);
        if (!last)
            return -ENOMEM;
        last->begin_ns = l->busy_ns;
        last->end_ns = e->start_ns;
        last->opens = l->opens;
    }
    if (op_moves((enum trace_class)e->class) && e->bytes > 0)
        look_at_transfer(l, event_key(name->role, e, 0), e->start_ns);
    if (e->start_ns + e->duration_ns > l->busy_ns)
        l->busy_ns = e->start_ns + e->duration_ns;
    return skeleton_is_joint_open(e)
               ? look_at_open(l, event_key(name->role, e, e->request))
               : 0;
}

/* ---- all ranks -------------------------------------------------------------- */

/* Adds the common time of two pauses, if it is long enough. */
static int add_common(struct pauses *to, const struct pause *a, const struct pause *b)
{
    int64_t begin = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
    int64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    if (begin > INT64_MIN && (end < begin || end - begin < PAUSE_NS))
        return 0;
    struct pause *new = new_pause(to);
    if (!new)
        return -ENOMEM;
    *new = a->first.ns <= b->first.ns ? *a : *b;
    new->begin_ns = begin;
    new->end_ns = end;
    new->mixed = a->mixed || b->mixed || a->opens != b->opens;
    return 0;
}

static int meet(struct pauses *all, struct pauses *mine)
{
    struct pauses both = {.n = 0};
    int rc = 0;
    for (uint32_t i = 0, k = 0; i < all->n && k < mine->n && !rc;) {
        const struct pause *a = &all->list[i], *b = &mine->list[k];
        rc = add_common(&both, a, b);
        if (a->end_ns < b->end_ns)
            i++;
        else
            k++;
    }
    free(all->list);
    free(mine->list);
    *all = both;
    *mine = (struct pauses){.n = 0};
    return rc;
}

static int end_log(struct looking *l)
{
    struct search *f = l->f;
    bool used = l->pauses.list->end_ns < INT64_MAX;
    struct pause *after = used ? new_pause(&l->pauses) : l->pauses.list;
    if (!after)
        return -ENOMEM;
    if (used) {
        after->begin_ns = l->busy_ns;
        after->opens = l->opens;
    }
    f->opens_differ |= f->any && l->opens != f->opens;
    int rc = 0;
    if (f->any)
        rc = meet(&f->common, &l->pauses);
    else
        f->common = l->pauses;
    if (!f->any)
        l->pauses = (struct pauses){.n = 0};
    f->any = true;
    return rc;
}

static int look_at_log(void *arg, struct log *log)
{
    struct search *f = arg;
    struct looking l = {.f = f, .log = log};
    struct event e;
    int more = 0, rc = 0, within;
    if (f->marked || !f->s->is_rank[f->at++])
        return 0;
    struct pause *before = new_pause(&l.pauses);
    if (!before)
        return -ENOMEM;
    before->begin_ns = INT64_MIN;
    while (!rc && !f->marked && (more = log_next(log, &e)) > 0) {
        f->marked = skeleton_is_region(&e);
        if (skeleton_visits(l.depth, &e, &within))
            rc = look_at_event(&l, &e);
    }
    rc = rc ? rc : more < 0 ? more : f->marked ? 0 : end_log(&l);
    free(l.pauses.list);
    free(l.name);
    return rc;
}

/* ---- parts become phases ---------------------------------------------------- */

/* Makes parts in their order: each open, followed by the pauses after that number of
 * opens. */
static void make_parts(struct skeleton *s, const struct search *f)
{
    int opens = f->opens_differ ? 0 : f->opens;
    uint32_t at = 0;
    for (int n = 0; n <= opens; n++) {
        if (n)
            s->part[s->parts++] = (struct skeleton_part){
                .open = n, .kind = {f->open[n - 1].kind, f->open[n - 1].first.kind}};
        for (; at + 1 < f->common.n; at++) { /* the last one is the end of the run */
            const struct pause *p = &f->common.list[at];
            if (opens && !p->mixed && p->opens > n)
                break;
            if (opens && (p->mixed || p->opens < n) && at)
                continue;
            s->part[s->parts++] =
                (struct skeleton_part){.from_ns = p->end_ns, .kind = {p->first.kind}};
        }
    }
}

struct of_kind {
    uint64_t kind;
    int part;
};

static int by_kind(const void *a, const void *b)
{
    const struct of_kind *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : x->part - y->part;
}

/* Finds, for each part, the last one that is like it. */
static int find_last(struct skeleton *s)
{
    struct of_kind *all = mem_new(2 * s->parts + 1, sizeof *all, "the phases");
    int n = 0;
    if (!all)
        return -ENOMEM;
    for (int i = 0; i < 2 * s->parts; i++)
        if (s->part[i / 2].kind[i % 2])
            all[n++] = (struct of_kind){s->part[i / 2].kind[i % 2], i / 2};
    qsort(all, (size_t)n, sizeof *all, by_kind);
    for (int i = n - 1, last = 0; i >= 0; i--) {
        struct skeleton_part *part = &s->part[all[i].part];
        if (i == n - 1 || all[i].kind != all[i + 1].kind)
            last = all[i].part;
        part->last = last > part->last ? last : part->last;
    }
    free(all);
    return 0;
}

/* Numbers the phases of parts. A phase goes on as long as a part that is like one of
 * its parts is still to come. */
static int number_parts(struct skeleton *s)
{
    int last = -1, phase = -1, rc = find_last(s);
    for (int i = 0; i < s->parts; i++) {
        struct skeleton_part *part = &s->part[i];
        phase += i > last && phase < SKELETON_PHASES;
        part->phase = (uint16_t)phase;
        last = i > last ? i : last;
        last = part->last > last ? part->last : last;
    }
    return rc;
}

int skeleton_find_phases(struct skeleton *s, struct run *r)
{
    struct search f = {.s = s};
    r->unreadable = 0;
    int rc = run_each(r, look_at_log, &f);
    if (!rc && f.any && !f.marked) {
        size_t most = (size_t)f.opens + f.common.n + 1;
        s->part = mem_new(most, sizeof *s->part, "the phases");
        if (s->part) {
            make_parts(s, &f);
            rc = number_parts(s);
        } else {
            rc = -ENOMEM;
        }
    }
    free(f.common.list);
    free(f.open);
    return rc;
}
