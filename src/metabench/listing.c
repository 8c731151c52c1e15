/* Lists directories to their end, and compares every name with what must be there:
 * each once, and nothing else. A bit for each thing of one worker in the directory
 * is enough, as names identify it: in a directory that all share, each lane checks
 * the names of one worker, and the total number. Files that are made meanwhile may
 * be listed or not, but none of them twice; whatever was there before must be
 * (POSIX, readdir). */
#include "base/mem.h"
#include "metabench/metabench.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum seen { SEEN_FILES, SEEN_FOLDERS, SEEN_TREE, SEEN_NEW, SEEN };

struct range {
    int64_t from, end;
};

/* ---- memory ---------------------------------------------------------------------- */

/* The bytes of the bits for the fullest directory. */
static int64_t bits(const struct meta *m, enum seen which)
{
    int64_t most =
        which == SEEN_TREE ? m->tree.branch : m->tree.items / m->tree.folders + 1;
    return most / 8 + 1;
}

int64_t meta_lane_bytes(const struct meta *m)
{
    int64_t all = META_LISTED * RUN_SET_LISTED;
    for (int i = 0; i < SEEN; i++)
        all += bits(m, (enum seen)i);
    return all;
}

static bool listing_lane_open(const struct meta *m, struct meta_lane *l)
{
    bool made = (l->name = mem_new(META_LISTED, sizeof *l->name, "lanes"));
    for (int i = 0; i < SEEN; i++)
        made &= !!(l->seen[i] = mem_new(bits(m, (enum seen)i), 1, "lanes"));
    return made;
}

int meta_lanes_open(struct meta *m, int lanes)
{
    m->lane = mem_new(lanes, sizeof *m->lane, "lanes");
    bool made = m->lane;
    for (int i = 0; i < lanes && made; i++)
        made = listing_lane_open(m, &m->lane[i]);
    return made ? 0 : -ENOMEM;
}

void meta_lanes_close(struct meta *m, int lanes)
{
    for (int i = 0; i < lanes && m->lane; i++) {
        for (int k = 0; k < SEEN; k++)
            free(m->lane[i].seen[k]);
        free(m->lane[i].name);
    }
    free(m->lane);
    m->lane = NULL;
}

/* ---- expected names -------------------------------------------------------------- */

static struct range up_to(struct range r, int64_t most)
{
    return (struct range){r.from < most ? r.from : most, r.end < most ? r.end : most};
}

static struct range due(const struct meta_walk *w, enum seen which)
{
    const struct meta *m = w->m;
    struct range items = {w->from, w->end};
    int64_t first = w->folder * m->tree.branch + 1;
    switch (which) {
    case SEEN_FILES:
        return up_to(items, m->files);
    case SEEN_FOLDERS:
        return up_to(items, m->folders);
    case SEEN_NEW:
        return up_to(items, w->op->crowds ? m->files : 0);
    default:
        return (struct range){first, first + tree_children(&m->tree, w->folder)};
    }
}

static enum names_kind kind_of(const struct meta *m, enum seen which)
{
    return which == SEEN_FILES     ? meta_file(m, 0, 0).kind
           : which == SEEN_FOLDERS ? NAMES_FOLDER
           : which == SEEN_NEW     ? NAMES_NEW
                                   : NAMES_TREE;
}

/* The number of names of the kinds from `first` to before `end` that must be in
 * this directory. */
static int64_t all_due(const struct meta_walk *w, enum seen first, enum seen end)
{
    int64_t n = 0;
    for (int i = first; i < (int)end; i++) {
        struct range r = due(w, (enum seen)i);
        n += r.end - r.from;
    }
    return w->m->shared ? n * w->r->workers : n;
}

/* The thing that a name denotes; SEEN: nothing that must be in this directory. */
static enum seen which_is(const struct meta_walk *w, const char *text, struct name *n)
{
    bool known = names_read(text, n) && n->worker < w->r->workers &&
                 (w->m->shared || n->worker == w->place);
    for (int i = 0; i < SEEN && known; i++) {
        struct range r = due(w, (enum seen)i);
        if (n->kind == kind_of(w->m, (enum seen)i) && n->number >= r.from &&
            n->number < r.end)
            return (enum seen)i;
    }
    return SEEN;
}

/* ---- names found ----------------------------------------------------------------- */

static void judge_name(struct meta_walk *w, const char *text)
{
    struct name n;
    enum seen which = which_is(w, text, &n);
    if (which == SEEN) {
        run_set_wrong(&w->set, text, "it is listed, and nobody made it");
        return;
    }
    int64_t bit = n.number - due(w, which).from;
    unsigned char *byte = &w->m->lane[w->r->lane].seen[which][bit / 8];
    if (n.worker == w->place && *byte >> bit % 8 & 1)
        run_set_wrong(&w->set, text, "it is listed twice, expected once");
    else if (n.worker == w->place)
        *byte |= (unsigned char)(1 << bit % 8);
    run_set_right(&w->set);
}

static void judge_missing(struct meta_walk *w, enum seen which)
{
    const unsigned char *seen = w->m->lane[w->r->lane].seen[which];
    struct range r = due(w, which);
    char name[NAMES_SIZE];
    for (int64_t bit = 0; bit < r.end - r.from; bit++) {
        if (seen[bit / 8] >> bit % 8 & 1)
            continue;
        names_make(name, (struct name){kind_of(w->m, which), w->place, r.from + bit});
        run_set_wrong(&w->set, name, "it is not in the listing of its directory");
        return;
    }
}

static void judge_begin(struct meta_walk *w)
{
    for (int i = 0; i < SEEN; i++)
        memset(w->m->lane[w->r->lane].seen[i], 0, (size_t)bits(w->m, (enum seen)i));
}

static void judge_end(struct meta_walk *w, int64_t listed)
{
    int64_t least = all_due(w, SEEN_FILES, SEEN_NEW),
            most = all_due(w, SEEN_FILES, SEEN);
    for (int i = 0; i < SEEN_NEW; i++)
        judge_missing(w, (enum seen)i);
    if (listed < least || listed > most)
        run_set_wrong(&w->set, "", "%lld names are listed, expected %lld%s",
                      (long long)listed, (long long)(listed < least ? least : most),
                      least == most    ? ""
                      : listed < least ? " or more"
                                       : " at most");
}

/* ---- a listing ------------------------------------------------------------------- */

/* Makes new files up to number `end`; returns the number to continue with. */
static int64_t make_new(struct meta_walk *own, int64_t i, int64_t end)
{
    for (; i < end && !own->r->failed; i++)
        meta_make_new(own, i);
    return i;
}

void meta_list(struct meta_walk *w, struct meta_walk *own)
{
    struct run *r = w->r;
    const struct meta_lane *l = &w->m->lane[r->lane];
    int64_t listed = 0, ns = 0, next = own ? own->from : 0;
    enum act before = phase_act(r->phase, ACT_CHECK);
    judge_begin(w);
    for (int n = META_LISTED; n == META_LISTED; listed += n) {
        n = run_set_list(&w->set, l->name, META_LISTED, &ns);
        for (int i = 0; i < n && r->verify; i++)
            judge_name(w, l->name[i]);
        if (own)
            next = make_new(own, next, next + n < own->end ? next + n : own->end);
    }
    if (own)
        make_new(own, next, own->end);
    if (r->verify)
        judge_end(w, listed);
    phase_act(r->phase, before);
    if (r->failed)
        return;
    int64_t end_ns = r->phase->switch_ns;
    phase_op(r->phase, PHASE_OP_READDIR, end_ns - ns, end_ns);
    r->made += listed;
}
