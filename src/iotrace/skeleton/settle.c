/* Decides, from the whole run, which of the files that share a name form one role. */
#include "base/err.h"
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
    int64_t *map = calloc((size_t)s->streams + 1, sizeof *map);
    if (!map)
        return err_set(-ENOMEM, NULL, -1, "no memory for the skeleton");
    settle_roles(s);
    settle_files(s);
    int rc = settle_streams(s, map);
    settle_orders(s, map);
    free(map);
    return rc;
}
