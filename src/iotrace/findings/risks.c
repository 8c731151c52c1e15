/* Risks: calls that failed, transfers that O_DIRECT refuses, short writes that were not
 * continued, ranks that write the same bytes at the same time or read bytes that others
 * may not have shown yet, and files that are renamed before they are durable. */
#include "base/err.h"
#include "iotrace/findings/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHARERS 64     /* cells of a file that one read is compared with */
#define RACES_MAX 8192 /* files whose writes in flight are followed */
#define FLIGHTS 16     /* writes in flight of one file that are followed */
#define CLOCKS_NS ((int64_t)1000000) /* clocks of hosts may differ by that */

/* ---- calls that failed ------------------------------------------------------ */

/* True if a failure counts. The recorder gives failed calls of MPI the error EIO in any
 * case: an open that finds no file is no risk. */
bool risk_is_failure(const struct event *e, const struct call *call)
{
    bool moves = op_moves((enum trace_class)e->class) || call->durable;
    if (call->library && !moves)
        return false;
    return e->result == -EIO || e->result == -ENOSPC || e->result == -EDQUOT ||
           e->result == -ESTALE;
}

static void count_refused(const struct context *c)
{
    const struct event *e = c->e;
    if (e->result != -EINVAL || !(e->flags & TRACE_DIRECT))
        return;
    struct evidence *v = cell_rare(c, RARE_REFUSED);
    if (!v)
        return;
    evidence_count(v, e, c->seq, 0, e->duration_ns);
    c->cell->rarities->refused_at = e->offset;
    c->cell->rarities->refused_bytes = e->request;
}

static void count_failure(const struct context *c, const struct call *call)
{
    const struct event *e = c->e;
    if (c->in.failed || !risk_is_failure(e, call))
        return;
    struct evidence *v = cell_rare(c, RARE_FAILED);
    if (!v)
        return;
    evidence_count(v, e, c->seq, 0, e->duration_ns);
    c->cell->rarities->error = -e->result;
}

/* ---- short writes ----------------------------------------------------------- */

static void count_cut(const struct context *c)
{
    struct rarities *r = c->cell->rarities;
    if (!r || !r->cut.bytes)
        return;
    struct event e = {.start_ns = r->cut.start_ns, .duration_ns = r->cut.duration_ns};
    struct evidence *v = cell_rare(c, RARE_CUT);
    if (v)
        evidence_count(v, &e, r->cut.seq, r->cut.bytes, e.duration_ns);
    r->cut.bytes = 0;
}

/* Follows a short write: one that starts where it stopped has finished it. A copy
 * (sendfile and its like) that moves less than requested has met the end of its
 * source. */
static void follow_cut(const struct context *c)
{
    const struct event *e = c->e;
    struct rarities *r = c->cell->rarities;
    if (r && r->cut.bytes && e->offset <= r->cut.at && e->offset + e->bytes > r->cut.at)
        r->cut.bytes = 0;
    if (e->bytes >= e->request || (e->flags & TRACE_STREAM) || e->class == CLASS_COPY)
        return;
    count_cut(c);
    if (!cell_rare(c, RARE_CUT))
        return;
    r = c->cell->rarities;
    r->cut.at = e->offset + e->bytes;
    r->cut.bytes = e->request - e->bytes;
    r->cut.start_ns = e->start_ns;
    r->cut.duration_ns = e->duration_ns;
    r->cut.seq = c->seq;
}

void risk_leaf(const struct context *c, int write)
{
    if (write && c->e->offset >= 0)
        follow_cut(c);
}

void risks_end(struct findings *f)
{
    for (uint32_t i = 0; i < f->cells; i++) {
        struct context c = {.f = f, .cell = &f->cell[i]};
        count_cut(&c);
    }
}

/* ---- the same bytes at the same time ---------------------------------------- */

struct flight { /* a write in flight */
    uint32_t cell;
    bool counted;
    int64_t begin, end, start_ns, duration_ns;
    uint64_t seq;
};

struct race { /* writes in flight of a file */
    int n;
    struct flight w[FLIGHTS];
};

static struct race *race_of(const struct context *c)
{
    struct findings *f = c->f;
    struct file *x = &f->file[c->cell->file];
    if (x->race || x->sharers < 2)
        return x->race;
    if (f->races == RACES_MAX) {
        f->why_not[ID_RACE] = "more files are shared than can be followed";
        return NULL;
    }
    f->races++;
    return x->race = calloc(1, sizeof *x->race);
}

static void count_flight(const struct context *c, struct flight *w)
{
    struct context other = *c;
    struct event e = {.start_ns = w->start_ns, .duration_ns = w->duration_ns};
    other.cell = &c->f->cell[w->cell];
    struct evidence *v = w->counted ? NULL : cell_rare(&other, RARE_RACED);
    if (v)
        evidence_count(v, &e, w->seq, w->end - w->begin, e.duration_ns);
    w->counted = true;
}

/* Counts overlapping writes. Events come in order of their start, so those that have
 * ended by then are no longer in flight. */
static void count_race(const struct context *c)
{
    const struct event *e = c->e;
    const struct findings *f = c->f;
    struct race *r = race_of(c);
    if (!r)
        return;
    struct flight own = {.cell = (uint32_t)(c->cell - f->cell),
                         .begin = e->offset,
                         .end = e->offset + e->bytes,
                         .start_ns = e->start_ns,
                         .duration_ns = e->duration_ns,
                         .seq = c->seq};
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        struct flight *w = &r->w[i];
        const struct actor *a = &f->actor[f->cell[w->cell].actor];
        int64_t left = w->start_ns + w->duration_ns - e->start_ns;
        int64_t error = a->client == c->actor->client ? 0 : CLOCKS_NS;
        if (left <= 0)
            continue;
        if (w->cell != own.cell && left > error && e->duration_ns > error &&
            w->begin < own.end && own.begin < w->end) {
            count_flight(c, w);
            count_flight(c, &own);
        }
        r->w[n++] = *w;
    }
    r->n = n;
    if (r->n < FLIGHTS)
        r->w[r->n++] = own;
}

/* ---- what another client wrote ---------------------------------------------- */

/* True if this read may miss the writer's bytes: they were not made visible, or only
 * after the reader last looked for new ones. */
static bool may_miss(const struct cell *reader, const struct cell *writer,
                     const struct event *e)
{
    int64_t begin = e->offset, end = e->offset + e->bytes;
    return extents_meet(writer->hidden, begin, end) ||
           (reader->fresh_ns < writer->shown_ns &&
            extents_meet(writer->shown, begin, end));
}

static void count_stale(const struct context *c)
{
    struct findings *f = c->f;
    const struct event *e = c->e;
    const struct file *x = &f->file[c->cell->file];
    uint32_t client = client_of(f, c->cell->actor);
    if (x->sharers < 2)
        return;
    if (x->sharers > SHARERS)
        f->why_not[ID_STALE] = "more ranks share a file than can be looked at";
    int looked = 0;
    for (uint32_t i = x->cells; i && looked < SHARERS; i = f->cell[i - 1].next) {
        const struct cell *w = &f->cell[i - 1];
        looked++;
        if (client_of(f, w->actor) == client || !may_miss(c->cell, w, e))
            continue;
        struct evidence *v = cell_rare(c, RARE_STALE);
        if (v)
            evidence_count(v, e, c->seq, e->bytes, e->duration_ns);
        return;
    }
}

static void show(const struct context *c)
{
    struct cell *cell = c->cell;
    if (!cell->hidden)
        return;
    extents_free(&cell->shown);
    cell->shown = cell->hidden;
    cell->hidden = NULL;
    cell->shown_ns = c->e->start_ns + c->e->duration_ns;
}

/* Counts a transfer of the program at a known place. */
void risk_known(const struct context *c, int write)
{
    const struct event *e = c->e;
    if (!c->top || e->other_end)
        return;
    if (write)
        count_race(c);
    if (!c->f->clients)
        return;
    if (!write)
        count_stale(c);
    else if (extents_add(&c->cell->hidden, e->offset, e->offset + e->bytes) < 0)
        c->f->why_not[ID_STALE] = "more pieces are written than can be remembered";
}

/* ---- renamed before it is durable ------------------------------------------- */

static void remember_write(const struct context *c)
{
    struct actor *a = c->actor;
    if (c->cell->recent)
        return;
    uint32_t *slot = &a->recent[a->recent_next];
    a->recent_next = (a->recent_next + 1) % RECENT;
    if (*slot)
        c->f->cell[*slot - 1].recent = false;
    *slot = (uint32_t)(c->cell - c->f->cell) + 1;
    c->cell->recent = true;
}

/* True if it was the file's old name, such as "d/x.tmp" for "d/x": the log has the new
 * name only, but the old one contains it. */
static bool was_named(const char *old, const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *old_slash = strrchr(old, '/');
    size_t folder = (size_t)(base - name);
    return (size_t)(old_slash ? old_slash + 1 - old : 0) == folder && *base &&
           !strncmp(old, name, folder) && strcmp(old, name) != 0 &&
           strstr(old + folder, base) != NULL;
}

static void count_rename(const struct context *c)
{
    const struct findings *f = c->f;
    const char *name = names_get(&f->names, f->file[c->cell->file].name);
    for (int i = 0; i < RECENT; i++) {
        uint32_t at = c->actor->recent[i];
        const struct cell *old = at ? &f->cell[at - 1] : NULL;
        if (!old || !old->side[1] ||
            !was_named(names_get(&f->names, f->file[old->file].name), name))
            continue;
        int64_t written = old->side[1]->leaf.last_ns, sync = old->sync.last_ns;
        if (written <= sync || written <= c->actor->sync_ns)
            continue;
        struct context other = *c;
        other.cell = &f->cell[at - 1];
        struct evidence *v = cell_rare(&other, RARE_RENAMED);
        if (v)
            evidence_count(v, c->e, c->seq, 0, c->e->duration_ns);
        break;
    }
}

void risk_call(const struct context *c, const struct call *call)
{
    const struct event *e = c->e;
    count_failure(c, call);
    count_refused(c);
    if (e->bytes < 0)
        return;
    if (e->file_class == CLASS_WRITE && e->bytes > 0)
        remember_write(c);
    if (call->renames)
        count_rename(c);
    if (call->durable || e->class == CLASS_CLOSE)
        show(c);
    if (call->durable || call->opens)
        c->cell->fresh_ns = e->start_ns + e->duration_ns;
}

void risks_free(struct findings *f)
{
    for (uint32_t i = 0; i < f->files; i++)
        free(f->file[i].race);
    for (uint32_t i = 0; i < f->cells; i++) {
        struct cell *c = &f->cell[i];
        extents_free(&c->hidden);
        extents_free(&c->shown);
    }
}
