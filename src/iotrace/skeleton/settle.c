/* Decides, from the whole run, which of the files that share a name form one role. */
#include "base/mem.h"
#include "iotrace/read/names.h"
#include "iotrace/skeleton/skeleton.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True if the files form one role: one for each process, or too many to be told
 * apart. */
static bool is_one(const struct skeleton_role *role, int64_t roles_left)
{
    bool each_its_own = !role->movers && role->most <= 1;
    return each_its_own || role->files > SKELETON_MEMBERS || role->files > roles_left;
}

static void settle_roles(struct skeleton *s)
{
    int64_t left = SKELETON_ROLES - s->roles.n;
    uint32_t shown = 0;
    for (uint32_t i = 0; i <= s->roles.n; i++) {
        struct skeleton_role *role = &s->role[i];
        if (!role->files)
            continue;
        role->split = !is_one(role, left);
        role->shown = shown + 1;
        shown += role->split ? (uint32_t)role->files : 1;
        left -= role->split ? role->files - 1 : 0;
        if (!role->split)
            s->shown[role->shown] = *role;
    }
}

static void settle_files(struct skeleton *s)
{
    for (uint32_t i = 1; i <= s->files.n && i < s->file_room; i++) {
        const struct skeleton_file *f = &s->file[i];
        const struct skeleton_role *role = &s->role[f->role];
        struct skeleton_role *to =
            &s->shown[role->shown + (role->split ? f->member : 0)];
        if (role->split)
            *to = (struct skeleton_role){
                .files = 1, .most = f->mover != 0, .movers = f->movers};
        to->shared += f->shared;
        to->read_first +=
            f->first_ns[0] && (!f->first_ns[1] || f->first_ns[0] < f->first_ns[1]);
        if (f->end > to->bytes)
            to->bytes = f->end;
    }
}

/* Merges a stream into another one, whose descriptors come in another order. */
static int absorb(struct skeleton_stream *to, struct skeleton_stream *from)
{
    int rc = 0;
    skeleton_add(&to->sum, from->sum.calls, from->sum.bytes);
    to->empty += from->empty;
    to->failed += from->failed;
    log_sum(&to->pause_ns, from->pause_ns);
    for (int i = 0; i < from->founds && !rc; i++)
        rc = skeleton_keep(to, &from->found[i].is, from->found[i].repeats);
    if (from->founds > 1)
        sequence_lose(&to->sequence);
    rc = rc ? rc : skeleton_draw_all(&to->drawn, from->drawn);
    rc = rc ? rc : skeleton_draw_all(&to->unplaced, from->unplaced);
    rc = rc ? rc : skeleton_draw_all(&to->through, from->through);
    free(from->through);
    from->through = NULL;
    from->sum = (struct skeleton_sum){0, 0};
    from->founds = 0;
    free(to->meeting);
    to->meeting = NULL;
    return rc;
}

/* Merges streams by the roles shown; map[n] becomes the stream that contains stream
 * n. */
static int settle_streams(struct skeleton *s, int64_t *map)
{
    int rc = 0;
    if (s->slots)
        memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
    for (int i = 0; i < s->streams && !rc; i++) {
        struct skeleton_stream *t = &s->stream[i];
        const struct skeleton_role *role = &s->role[t->role];
        t->role = role->shown + (role->split ? t->member : 0);
        t->member = 0;
        int n = skeleton_stream_find(s, t->role, 0, t->phase, t->op, t->process);
        map[i] = n ? n - 1 : i;
        if (n)
            rc = absorb(&s->stream[n - 1], t);
        else
            skeleton_stream_note(s, i);
    }
    return rc;
}

static void settle_orders(struct skeleton *s, const int64_t *map)
{
    for (int i = 0; i < s->orders; i++)
        for (int k = 0; k < s->order[i].is.nodes; k++) {
            struct sequence_node *n = &s->order[i].is.node[k];
            n->what = n->what == SEQUENCE_LOOP ? n->what : map[n->what];
        }
}

int skeleton_settle(struct skeleton *s)
{
    int64_t *map = mem_new(s->streams + 1, sizeof *map, "the skeleton");
    if (!map)
        return -ENOMEM;
    settle_roles(s);
    settle_files(s);
    int rc = settle_streams(s, map);
    settle_orders(s, map);
    free(map);
    return rc;
}

/* ---- through --------------------------------------------------------------------- */

/* Calls that a library makes on behalf of the program. A call at an unknown place is
 * looked through: of HDF5 and PnetCDF, and transfers of MPI-IO through a view with
 * gaps. Sooner or later, a call within it has a place. */

#define OFFSET_BITS 60

bool skeleton_is_placed(const struct event *e)
{
    int64_t end;
    return e->class != CLASS_COPY && e->offset >= 0 && !(e->offset >> OFFSET_BITS) &&
           !__builtin_add_overflow(e->offset, e->bytes, &end);
}

bool skeleton_is_through(const struct event *e)
{
    const struct op *op = op_get(e->op);
    if (op_is_of_format(op))
        return true;
    return op->library == LIBRARY_MPI && op_moves((enum trace_class)e->class) &&
           !op->begins && !op->ends && e->bytes >= 0 && !skeleton_is_placed(e);
}

bool skeleton_visits(struct skeleton_depth threads[SKELETON_THREADS],
                     const struct event *e, int *within)
{
    struct skeleton_depth *t = &threads[e->thread % SKELETON_THREADS];
    int level = e->level;
    *within = LIBRARY_NONE;
    if (e->other_end || !op_is_io((enum trace_class)e->class) || level > t->depth ||
        (level && e->start_ns > t->end_ns[level - 1]))
        return false;
    t->depth = level;
    if (level)
        *within = t->library[0];
    if (level == SKELETON_LEVELS || !skeleton_is_through(e))
        return true;
    t->library[level] = op_get(e->op)->library;
    t->end_ns[level] = e->start_ns + e->duration_ns;
    t->depth++;
    return true;
}

/* ---- meetings -------------------------------------------------------------------- */

/* Detects whether the ranks of a run waited for each other before they synced a file.
 * No event says so, but their times do: all had ended their earlier work when the first
 * began. Then the time that each waited is known, too: the last one to come did not
 * wait. */

static struct skeleton_meeting *meeting_of(struct skeleton_stream *t, int64_t n)
{
    struct skeleton_meeting *more =
        list_reach(t->meeting, &t->meetings, (uint32_t)n, sizeof *more, "the skeleton");
    if (more)
        t->meeting = more;
    return more ? more + n : NULL;
}

/* Notes a sync. The stream of the first process holds what is known of all. */
int skeleton_meet(struct skeleton *s, int stream, int64_t ended_ns,
                  const struct event *e)
{
    const struct skeleton_stream *mine = &s->stream[stream];
    int64_t n = mine->sum.calls - 1, gap_ns = e->start_ns - ended_ns;
    int first =
        skeleton_stream_find(s, mine->role, mine->member, mine->phase, mine->op, 0);
    if (!first || n >= SKELETON_MEETINGS)
        return 0;
    struct skeleton_stream *of = &s->stream[first - 1];
    if (n >= of->sum.calls) /* more than the first process made: they do not meet */
        return 0;
    struct skeleton_meeting *m = meeting_of(of, n);
    if (!m)
        return -ENOMEM;
    bool new = mine == of;
    m->ended_ns = new || ended_ns > m->ended_ns ? ended_ns : m->ended_ns;
    m->begun_ns = new || e->start_ns < m->begun_ns ? e->start_ns : m->begun_ns;
    m->least_ns = new || gap_ns < m->least_ns ? gap_ns : m->least_ns;
    m->sum_ns = (new ? 0 : m->sum_ns) + gap_ns;
    return 0;
}

static int64_t known_calls(const struct skeleton_stream *t)
{
    return t->sum.calls < SKELETON_MEETINGS ? t->sum.calls : SKELETON_MEETINGS;
}

bool skeleton_met(const struct skeleton *s, struct skeleton_stream *const *t, int n)
{
    bool met = n == s->processes && n > 1 && t[0]->meeting && !t[0]->failed;
    for (int i = 1; i < n && met; i++)
        met = t[i]->sum.calls == t[0]->sum.calls && !t[i]->failed;
    for (int64_t i = 0; met && i < known_calls(t[0]); i++)
        met = t[0]->meeting[i].ended_ns <= t[0]->meeting[i].begun_ns;
    return met;
}

double skeleton_waited_s(const struct skeleton_stream *t, int n)
{
    double all_ns = 0;
    for (int64_t i = 0; i < known_calls(t); i++)
        all_ns += (double)t->meeting[i].sum_ns / n - (double)t->meeting[i].least_ns;
    return all_ns * 1e-9 * (double)t->sum.calls / (double)known_calls(t);
}
