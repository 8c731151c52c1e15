/* Judges calls by their names alone: those that are cheap once, and cost a lot in
 * numbers. */
#include "base/units.h"
#include "iotrace/findings/inside.h"
#include <string.h>

/* ---- kinds ------------------------------------------------------------------ */

static const char *const attributes[] = {
    "chmod",    "fchmod",   "fchmodat",  "chown",     "lchown",   "fchown",
    "fchownat", "utime",    "utimes",    "futimes",   "futimens", "utimensat",
    "rename",   "renameat", "renameat2", "unlink",    "unlinkat", "remove",
    "link",     "linkat",   "symlink",   "symlinkat", "mkdir",    "mkdirat",
    "rmdir",    "setxattr", "lsetxattr", "fsetxattr", "mkfifo",   "mknod",
    NULL};
static const char *const listing[] = {"opendir",   "readdir",  "closedir", "getdents64",
                                      "scandir",   "fts_read", "ftw",      "nftw",
                                      "scandirat", NULL};
static const char *const truncating[] = {"truncate", "ftruncate", NULL};
static const char *const pointer[] = {"MPI_File_read_shared", "MPI_File_write_shared",
                                      NULL};
static const char *const everything[] = {"sync", NULL};

static const struct judged {
    const char *const *name; /* NULL: the file tells */
    enum limit_id share, calls;
} judged[IDS] = {[ID_SYNC_WRITE] = {NULL, SYNC_WRITE_SHARE, SYNC_WRITE_CALLS},
                 [ID_UNBUFFERED] = {NULL, UNBUFFERED_SHARE, UNBUFFERED_CALLS},
                 [ID_POINTER] = {pointer, POINTER_SHARE, POINTER_CALLS},
                 [ID_ATTRIBUTES] = {attributes, ATTRIBUTES_SHARE, ATTRIBUTES_CALLS},
                 [ID_LISTING] = {listing, LISTING_SHARE, LISTING_CALLS},
                 [ID_TRUNCATE] = {truncating, TRUNCATE_SHARE, TRUNCATE_CALLS},
                 [ID_SYNC_ALL] = {everything, SYNC_ALL_SHARE, SYNC_ALL_CALLS}};

/* True if the calls are those of the finding; `c` is NULL if they are about no file. */
static bool is_judged(enum id id, const struct cell *c, const struct odd *o)
{
    const struct op *op = op_get(o->op);
    if (id == ID_SYNC_WRITE)
        return c->synced && op->class == CLASS_WRITE && !call_of(o->op)->library;
    if (id == ID_UNBUFFERED)
        return c->buffer_bytes == 1 && op_moves(op->class) && op->name[0] != 'p' &&
               !call_of(o->op)->library;
    for (const char *const *name = judged[id].name; *name; name++)
        if (!strcmp(op->name, *name))
            return true;
    return false;
}

/* ---- sums ------------------------------------------------------------------- */

struct sum {
    struct evidence v;
    const struct odd *most; /* calls with most time */
};

static void sum_list(const struct findings *f, enum id id, const struct cell *c,
                     uint32_t list, struct sum *sum)
{
    for (uint32_t i = list; i; i = f->odd[i - 1].next) {
        const struct odd *o = &f->odd[i - 1];
        if (!is_judged(id, c, o))
            continue;
        evidence_add(&sum->v, &o->v);
        if (!sum->most || o->v.ns > sum->most->v.ns)
            sum->most = o;
    }
}

/* Returns the share of the time that remains if the remedy is applied. */
static double share_kept(enum id id, const struct evidence *v)
{
    const double buffer = 4096;
    double calls = (double)v->calls;
    return id == ID_UNBUFFERED ? ((double)v->bytes / buffer + 1) / calls : 1 / calls;
}

/* Adds a rank if its calls are many. Returns the share of the run that they take. */
static double add_rank(const struct slice *s, uint32_t actor, const struct sum *sum,
                       const struct odd **most)
{
    struct findings *f = s->f;
    const struct evidence *v = &sum->v;
    double kept = v->calls ? share_kept(s->id, v) : 1;
    if ((double)v->calls < limit_of(judged[s->id].calls) || kept >= 1)
        return 0;
    finding_add(f, actor, v, (double)v->ns * (1 - kept));
    if (!*most || sum->most->v.ns > (*most)->v.ns)
        *most = sum->most;
    double at_once = actor_at_once(&f->actor[actor]);
    return f->wall_ns > 0 ? (double)v->ns / at_once / (double)f->wall_ns : 0;
}

void judge_calls(const struct slice *s)
{
    struct findings *f = s->f;
    struct finding *x = finding_begin(s);
    const struct odd *most = NULL;
    double worst = 0, share = 0;
    char each[16];
    uint32_t actor;
    for (int at = 0, n;
         x && s->group != NO_GROUP && (n = slice_next(s, &at, &actor));) {
        struct sum sum = {.most = NULL};
        for (int i = at - n; i < at; i++) {
            const struct cell *c = &f->cell[s->cell[i]];
            sum_list(f, s->id, c, c->odd, &sum);
        }
        share = add_rank(s, actor, &sum, &most);
        worst = share > worst ? share : worst;
    }
    for (actor = 0; x && s->group == NO_GROUP && actor < f->actors; actor++) {
        struct sum sum = {.most = NULL};
        sum_list(f, s->id, NULL, f->actor[actor].odd, &sum);
        share = add_rank(s, actor, &sum, &most);
        worst = share > worst ? share : worst;
    }
    if (!x || !x->members || worst < limit_of(judged[s->id].share))
        return finding_drop(f);
    finding_condition(f, judged[s->id].share, worst);
    finding_condition(f, judged[s->id].calls, (double)x->v.calls / x->members);
    finding_say(f, "%lld calls, most of them %s, %s each", (long long)x->v.calls,
                op_get(most->op)->name,
                units_seconds(each, (double)x->v.ns * 1e-9 / (double)x->v.calls));
    finding_end(f);
}
