/* Reads skeletons. */
#include "base/err.h"
#include "base/format/json_read.h"
#include "base/mem.h"
#include "replay/skeleton.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MOST 1e6 /* the longest pause, about eleven days */

struct reading {
    struct skeleton *s;
    const char *path;
    int rc; /* the first failure; later reads do nothing then */
};

static void note_damage(struct reading *r, const char *what, const char *key)
{
    if (!r->rc)
        r->rc = err_set(-EINVAL, r->path, -1, "the skeleton is damaged: %s%s%s", what,
                        key ? " " : "", key ? key : "");
}

/* ---- members ------------------------------------------------------------- */

static const struct json_value *member(struct reading *r, const struct json_value *v,
                                       const char *key, enum json_kind kind)
{
    const struct json_value *m = json_member(v, key);
    if (m && m->kind == kind)
        return m;
    note_damage(r, "this member is missing or of another kind:", key);
    return NULL;
}

static int64_t member_number(struct reading *r, const struct json_value *v,
                             const char *key, int64_t least, int64_t most)
{
    const struct json_value *m = member(r, v, key, JSON_INT);
    if (m && m->integer >= least && m->integer <= most)
        return m->integer;
    note_damage(r, "this number is out of its range:", key);
    return least;
}

static int64_t optional(struct reading *r, const struct json_value *v, const char *key,
                        int64_t most)
{
    return json_member(v, key) ? member_number(r, v, key, 0, most) : 0;
}

static const char *member_text(struct reading *r, const struct json_value *v,
                               const char *key)
{
    const struct json_value *m = member(r, v, key, JSON_TEXT);
    return m ? m->text : "";
}

static bool truth(const struct json_value *v, const char *key)
{
    const struct json_value *m = json_member(v, key);
    return m && m->kind == JSON_BOOL && m->integer;
}

/* Allocates zeroed memory for the members of the array `key`, and sets *first to the
 * first of them. */
static void *list(struct reading *r, const struct json_value *v, const char *key,
                  int64_t most, size_t size, const struct json_value **first)
{
    const struct json_value *a = member(r, v, key, JSON_ARRAY);
    *first = NULL;
    if (a && a->members > most)
        note_damage(r, "this list is too long:", key);
    if (r->rc)
        return NULL;
    void *memory = mem_of(r->path, a->members + 1, size, "the skeleton");
    if (!memory)
        r->rc = -ENOMEM;
    else
        *first = a->first;
    return memory;
}

/* ---- ranks, plans and orders --------------------------------------------- */

static struct skeleton_ranks read_ranks(struct reading *r, const struct json_value *v)
{
    int64_t most = r->s->ranks;
    struct skeleton_ranks of = {member_number(r, v, "first_rank", 0, most - 1),
                                member_number(r, v, "rank_step", 1, most),
                                member_number(r, v, "ranks", 1, most)};
    if (of.first + (of.ranks - 1) * of.step >= most)
        note_damage(r, "there are plans of more ranks than there are", NULL);
    return of;
}

static void read_descriptor(struct reading *r, const struct json_value *v,
                            struct skeleton_descriptor *d, int64_t ranks)
{
    d->repeats = member_number(r, v, "repeats", 1, INT64_MAX);
    if (r->rc)
        return;
    r->rc = ldad_plan_parse(member_text(r, v, "plan"), &d->plan);
    if (!r->rc && (d->plan.ranks != ranks || d->plan.digits != 1 || d->plan.starts ||
                   d->plan.each.size < 1))
        note_damage(r, "a plan is of other ranks, or of nothing", NULL);
}

static void read_plan(struct reading *r, const struct json_value *v,
                      struct skeleton_plan *p)
{
    p->of = read_ranks(r, v);
    const struct json_value *m;
    p->d = list(r, v, "descriptors", 64, sizeof *p->d, &m);
    for (; m && !r->rc; m = m->next)
        read_descriptor(r, m, &p->d[p->ds++], p->of.ranks);
    p->listed = json_member(v, "sequence");
    if (p->listed && !r->rc)
        r->rc = sequence_parse(&p->order, member_text(r, v, "sequence"), p->ds);
}

static void read_order(struct reading *r, const struct json_value *v,
                       struct skeleton_order *o)
{
    o->of = read_ranks(r, v);
    if (!r->rc)
        r->rc = sequence_parse(&o->is, member_text(r, v, "steps"), SKELETON_STEPS_MOST);
}

/* ---- files, phases, steps ------------------------------------------------ */

static void read_file(struct reading *r, const struct json_value *v,
                      struct skeleton_file *f)
{
    static const char *const uses[] = {"no transfers", "one", "one per rank",
                                       "several"};
    const char *use = member_text(r, v, "use");
    int i = 0;
    while (i < 4 && strcmp(use, uses[i]) != 0)
        i++;
    if (i == 4)
        note_damage(r, "a file is used in an unknown way:", use);
    f->use = (enum skeleton_use)i;
    f->files = member_number(r, v, "files", 1, INT64_MAX);
    f->inputs = member_number(r, v, "inputs", 0, INT64_MAX);
    f->bytes = member_number(r, v, "bytes", 0, INT64_MAX);
}

static double member_seconds(struct reading *r, const struct json_value *m,
                             const char *key)
{
    bool number = m && (m->kind == JSON_REAL || m->kind == JSON_INT);
    if (number && m->real >= 0 && m->real <= SECONDS_MOST)
        return m->real;
    note_damage(r,
                number ? "this number is out of its range:"
                       : "this member is missing or of another kind:",
                key);
    return 0;
}

static void read_phase(struct reading *r, const struct json_value *v,
                       struct skeleton_phase *p)
{
    const struct json_value *think = member(r, v, "think_seconds", JSON_OBJECT);
    p->think_s = member_seconds(r, json_member(think, "mean"), "think_seconds");
    p->lost = optional(r, v, "order_lost", r->s->ranks);
    const struct json_value *m;
    p->order = list(r, v, "order", SKELETON_STEPS_MOST, sizeof *p->order, &m);
    for (; m && !r->rc; m = m->next)
        read_order(r, m, &p->order[p->orders++]);
}

static enum skeleton_level read_level_of(const char *level)
{
    return !strcmp(level, "POSIX")    ? LEVEL_POSIX
           : !strcmp(level, "stdio")  ? LEVEL_STDIO
           : !strcmp(level, "MPI-IO") ? LEVEL_MPI
                                      : LEVEL_OTHER;
}

static struct skeleton_step *new_step(struct reading *r, const struct json_value *v)
{
    struct skeleton *s = r->s;
    int64_t n = member_number(r, v, "step", 0, SKELETON_STEPS_MOST - 1);
    if (r->rc)
        return NULL;
    if (n >= s->steps) {
        struct skeleton_step *more =
            mem_grow(s->step, n + 1, sizeof *more, "the skeleton");
        if (!more) {
            r->rc = -ENOMEM;
            return NULL;
        }
        memset(more + s->steps, 0, (size_t)(n + 1 - s->steps) * sizeof *more);
        s->step = more;
        s->steps = (int)n + 1;
    }
    if (s->step[n].there)
        note_damage(r, "two steps have one number", NULL);
    s->step[n].there = true;
    return &s->step[n];
}

static int file_number(struct reading *r, const struct json_value *v)
{
    const char *name = member_text(r, v, "file");
    char *end = NULL;
    long n = strncmp(name, "file-", 5) ? 0 : strtol(name + 5, &end, 10);
    if (n < 1 || n > r->s->files || *end)
        note_damage(r, "a step is of an unknown file:", name);
    return (int)n - 1;
}

static void read_sum(struct reading *r, const struct json_value *v, const char *key,
                     int64_t *calls, int64_t *bytes)
{
    const struct json_value *m = json_member(v, key);
    if (!m)
        return;
    *calls = member_number(r, m, "calls", 0, INT64_MAX);
    *bytes = member_number(r, m, "bytes", 0, INT64_MAX);
}

/* True if the call submits a transfer that is waited for later. */
static bool is_nonblocking(const char *call)
{
    return !strncmp(call, "MPI_File_i", 10) || strstr(call, "_begin");
}

/* Returns the mean pause of a call, from the sum over a rank's calls in the skeleton; <
 * 0: it has none. */
static double read_pause(struct reading *r, const struct json_value *v, int64_t calls)
{
    const struct json_value *m = json_member(v, "pause_seconds");
    int64_t ranks = m ? member_number(r, v, "ranks", 1, INT64_MAX) : 0;
    if (!m || calls < 1)
        return -1;
    return member_seconds(r, m, "pause_seconds") * (double)ranks / (double)calls;
}

static struct skeleton_step *read_step(struct reading *r, const struct json_value *v)
{
    struct skeleton_step *t = new_step(r, v);
    if (!t)
        return NULL;
    t->phase = (int)member_number(r, v, "phase", 0, r->s->phases - 1);
    t->file = file_number(r, v);
    t->level = read_level_of(member_text(r, v, "level"));
    t->collective = truth(v, "collective");
    t->within = json_member(v, "within") != NULL;
    t->nonblocking = is_nonblocking(member_text(r, v, "call"));
    t->calls = member_number(r, v, "calls", 0, INT64_MAX);
    t->bytes = member_number(r, v, "bytes", 0, INT64_MAX);
    t->ranks = optional(r, v, "ranks", INT64_MAX);
    t->pause_s = read_pause(r, v, t->calls);
    return t;
}

static void read_transfer(struct reading *r, const struct json_value *v)
{
    struct skeleton_step *t = read_step(r, v);
    if (!t || r->rc)
        return;
    t->write = !strcmp(member_text(r, v, "direction"), "write");
    t->buffer = optional(r, v, "buffer", SKELETON_BUFFER_MOST);
    t->empty = optional(r, v, "empty", t->calls);
    t->calls -= t->empty;
    t->calls -= optional(r, v, "failed", t->calls);
    read_sum(r, v, "drawn", &t->drawn_calls, &t->drawn_bytes);
    read_sum(r, v, "unplaced", &t->unplaced_calls, &t->unplaced_bytes);
    const struct json_value *m;
    t->plan = list(r, v, "plans", SKELETON_STEPS_MOST, sizeof *t->plan, &m);
    for (; m && !r->rc; m = m->next)
        read_plan(r, m, &t->plan[t->plans++]);
}

/* Reads a call. Of the calls that transfer nothing, syncs, flushes and drops are steps.
 * Syncs are fsync and its like: others, such as H5Fflush, move bytes that a library
 * holds. */
static void read_call(struct reading *r, const struct json_value *v)
{
    if (!json_member(v, "step"))
        return;
    const char *call = member_text(r, v, "call");
    struct skeleton_step *t = read_step(r, v);
    if (!t)
        return;
    t->drop = !strcmp(call, "posix_fadvise_dontneed");
    t->flush = !strcmp(call, "fflush");
    t->sync = !t->drop && !t->flush;
    t->after_all = t->sync && truth(v, "after_all");
    if (t->sync && strcmp(call, "fsync") && strcmp(call, "fdatasync") &&
        strcmp(call, "MPI_File_sync"))
        t->level = LEVEL_OTHER;
}

/* ---- the whole file ------------------------------------------------------ */

static void check_schema(struct reading *r, const struct json_value *root)
{
    const struct json_value *m = json_member(root, "schema");
    const char *schema = m && m->kind == JSON_TEXT ? m->text : "";
    if (!strcmp(schema, "leadline-skeleton-polynomials/1"))
        r->rc = err_set(-EINVAL, r->path, -1,
                        "this skeleton is for any number of ranks: leadline skeleton "
                        "--np=N makes one for N");
    else if (strcmp(schema, "leadline-skeleton/1"))
        r->rc = err_set(-EINVAL, r->path, -1,
                        strncmp(schema, "leadline-skeleton/", 18)
                            ? "this is no skeleton: its schema is not "
                              "leadline-skeleton/1"
                            : "this skeleton is of another version than "
                              "leadline-skeleton/1: a newer Leadline reads it");
}

/* Checks that the members that steps refer to exist, and that orders consist of steps
 * of their phase. */
static void check_orders(struct reading *r)
{
    const struct skeleton *s = r->s;
    for (int i = 0; i < s->phases && !r->rc; i++)
        for (int k = 0; k < s->phase[i].orders; k++) {
            const struct sequence *q = &s->phase[i].order[k].is;
            for (int n = 0; n < q->nodes; n++) {
                int64_t what = q->node[n].what;
                bool known =
                    what == SEQUENCE_LOOP || (what < s->steps && s->step[what].there &&
                                              s->step[what].phase == i);
                if (!known)
                    note_damage(r, "an order has a step that is not of its phase",
                                NULL);
            }
        }
}

/* Checks that the parts of a step add up to it, and that orders do, too, except for
 * calls whose place is unknown. */
static void check_step(struct reading *r, const struct skeleton_step *t,
                       int64_t ordered)
{
    int64_t calls = t->drawn_calls, bytes = t->drawn_bytes;
    for (int i = 0; i < t->plans; i++)
        for (int d = 0; d < t->plan[i].ds; d++) {
            const struct skeleton_descriptor *is = &t->plan[i].d[d];
            int64_t of = 0;
            skeleton_sum(&of, ldad_chunks(&is->plan.each), is->repeats);
            skeleton_sum(&calls, of, t->plan[i].of.ranks);
            skeleton_sum(&of, of, is->plan.each.size - 1);
            skeleton_sum(&bytes, of, t->plan[i].of.ranks);
        }
    if (skeleton_moves(t) && !r->s->phase[t->phase].lost && ordered != calls)
        note_damage(r, "an order has more or fewer calls of a step than the step",
                    NULL);
    skeleton_sum(&calls, t->unplaced_calls, 1);
    skeleton_sum(&bytes, t->unplaced_bytes, 1);
    if (skeleton_moves(t) && (calls != t->calls || bytes != t->bytes))
        note_damage(r, "the parts of a step do not add up to it", NULL);
}

static void check_steps(struct reading *r)
{
    const struct skeleton *s = r->s;
    int64_t *all = mem_of(r->path, s->steps + 1, sizeof *all, "the skeleton");
    int64_t *one = mem_of(r->path, s->steps + 1, sizeof *one, "the skeleton");
    if (!all || !one)
        r->rc = -ENOMEM;
    for (int i = 0; i < s->phases && !r->rc; i++)
        for (int k = 0; k < s->phase[i].orders; k++) {
            memset(one, 0, (size_t)s->steps * sizeof *one);
            sequence_count(&s->phase[i].order[k].is, one, s->steps);
            for (int n = 0; n < s->steps; n++)
                skeleton_sum(&all[n], one[n], s->phase[i].order[k].of.ranks);
        }
    for (int n = 0; n < s->steps && !r->rc; n++)
        if (s->step[n].there)
            check_step(r, &s->step[n], all[n]);
    free(all);
    free(one);
}

static void read_skeleton(struct reading *r, const struct json_value *root)
{
    struct skeleton *s = r->s;
    const struct json_value *m;
    check_schema(r, root);
    if (r->rc)
        return;
    s->ranks = member_number(r, root, "ranks", 1, SKELETON_RANKS_MOST);
    s->file = list(r, root, "files", SKELETON_FILES_MOST, sizeof *s->file, &m);
    for (; m && !r->rc; m = m->next)
        read_file(r, m, &s->file[s->files++]);
    s->phase = list(r, root, "phases", SKELETON_PHASES_MOST, sizeof *s->phase, &m);
    for (; m && !r->rc; m = m->next)
        read_phase(r, m, &s->phase[s->phases++]);
    m = r->rc ? NULL : member(r, root, "transfers", JSON_ARRAY);
    for (m = m ? m->first : NULL; m && !r->rc; m = m->next)
        read_transfer(r, m);
    m = r->rc ? NULL : member(r, root, "calls", JSON_ARRAY);
    for (m = m ? m->first : NULL; m && !r->rc; m = m->next)
        read_call(r, m);
    check_orders(r);
    if (!r->rc)
        check_steps(r);
}

int skeleton_read(struct skeleton *s, const char *path, const char *from, int64_t bytes)
{
    struct json_tree *t;
    struct reading r = {.s = s, .path = path};
    *s = (struct skeleton){.ranks = 0};
    r.rc = json_read(&t, path, from, bytes);
    if (!r.rc)
        read_skeleton(&r, json_root(t));
    json_free(&t);
    return r.rc;
}

static void plan_free(struct skeleton_plan *p)
{
    for (int i = 0; i < p->ds; i++)
        ldad_plan_free(&p->d[i].plan);
    sequence_free(&p->order);
    free(p->d);
}

void skeleton_free(struct skeleton *s)
{
    for (int i = 0; i < s->steps; i++) {
        for (int k = 0; k < s->step[i].plans; k++)
            plan_free(&s->step[i].plan[k]);
        free(s->step[i].plan);
    }
    for (int i = 0; i < s->phases; i++) {
        for (int k = 0; k < s->phase[i].orders; k++)
            sequence_free(&s->phase[i].order[k].is);
        free(s->phase[i].order);
    }
    free(s->step);
    free(s->phase);
    free(s->file);
    *s = (struct skeleton){.ranks = 0};
}

/* ---- steps and orders of a rank ------------------------------------------ */

int64_t skeleton_place(const struct skeleton_ranks *of, int64_t rank)
{
    int64_t n = rank - of->first;
    return n >= 0 && n % of->step == 0 && n / of->step < of->ranks ? n / of->step : -1;
}

const struct skeleton_plan *skeleton_plan_of(const struct skeleton_step *t,
                                             int64_t rank)
{
    for (int i = 0; i < t->plans; i++)
        if (skeleton_place(&t->plan[i].of, rank) >= 0)
            return &t->plan[i];
    return NULL;
}

const struct sequence *skeleton_order_of(const struct skeleton_phase *p, int64_t rank)
{
    for (int i = 0; i < p->orders; i++)
        if (skeleton_place(&p->order[i].of, rank) >= 0)
            return &p->order[i].is;
    return NULL;
}

void skeleton_sum(int64_t *to, int64_t n, int64_t times)
{
    if (__builtin_mul_overflow(n, times, &n) || __builtin_add_overflow(*to, n, to))
        *to = INT64_MAX;
}

int64_t skeleton_plan_calls(const struct skeleton_plan *p)
{
    int64_t calls = 0;
    for (int i = 0; i < p->ds; i++)
        skeleton_sum(&calls, ldad_chunks(&p->d[i].plan.each), p->d[i].repeats);
    return calls;
}
