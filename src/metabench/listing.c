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

struct range {
    int64_t from, end;
};

/* ---- memory ---------------------------------------------------------------------- */

static bool is_made(const struct meta *m, enum meta_kind which)
{
    for (int i = 0; i < m->steps; i++) {
        const struct meta_op *op = m->step[i].op;
        if ((op->makes && op->of == which) || (op->adds && op->adds == which) ||
            (op->crowds && which == META_NEW))
            return true;
    }
    return false;
}

/* The bytes of the bits for the fullest directory. */
static int64_t bits(const struct meta *m, enum meta_kind which)
{
    int64_t items = m->tree.items / m->tree.folders + 1;
    int64_t most = which == META_TREE ? m->tree.branch : is_made(m, which) ? items : 0;
    return most / 8 + 1;
}

int64_t meta_lane_bytes(const struct meta *m)
{
    int64_t all = META_LISTED * RUN_SET_LISTED;
    for (int i = 0; i < META_KINDS; i++)
        all += bits(m, (enum meta_kind)i);
    return all;
}

static bool listing_lane_open(const struct meta *m, struct meta_lane *l)
{
    bool made = (l->name = mem_new(META_LISTED, sizeof *l->name, "lanes"));
    for (int i = 0; i < META_KINDS; i++)
        made &= !!(l->seen[i] = mem_new(bits(m, (enum meta_kind)i), 1, "lanes"));
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
        for (int k = 0; k < META_KINDS; k++)
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

static struct range due(const struct meta_walk *w, enum meta_kind which)
{
    const struct meta *m = w->m;
    struct range items = {w->from, w->end};
    int64_t first = w->folder * m->tree.branch + 1;
    if (which < META_COUNTED)
        return up_to(items, m->count[which]);
    if (which == META_NEW)
        return up_to(items, w->op->crowds ? m->count[META_FILES] : 0);
    return (struct range){first, first + tree_children(&m->tree, w->folder)};
}

static enum names_kind kind_of(const struct meta *m, enum meta_kind which)
{
    static const enum names_kind kinds[META_KINDS] = {
        [META_FOLDERS] = NAMES_FOLDER,   [META_LINKS] = NAMES_LINK,
        [META_SYMLINKS] = NAMES_SYMLINK, [META_TREE] = NAMES_TREE,
        [META_NEW] = NAMES_NEW,
    };
    return which == META_FILES ? meta_file(m, 0, 0).kind : kinds[which];
}

/* The number of names of the kinds from `first` to before `end` that must be in
 * this directory. */
static int64_t all_due(const struct meta_walk *w, enum meta_kind first,
                       enum meta_kind end)
{
    int64_t n = 0;
    for (int i = first; i < (int)end; i++) {
        struct range r = due(w, (enum meta_kind)i);
        n += r.end - r.from;
    }
    return w->m->shared ? n * w->r->workers : n;
}

/* The thing that a name denotes; META_KINDS: nothing that must be in this directory. */
static enum meta_kind which_is(const struct meta_walk *w, const char *text,
                               struct name *n)
{
    bool known = names_read(text, n) && n->worker < w->r->workers &&
                 (w->m->shared || n->worker == w->place);
    for (int i = 0; i < META_KINDS && known; i++) {
        struct range r = due(w, (enum meta_kind)i);
        if (n->kind == kind_of(w->m, (enum meta_kind)i) && n->number >= r.from &&
            n->number < r.end)
            return (enum meta_kind)i;
    }
    return META_KINDS;
}

/* ---- names found ----------------------------------------------------------------- */

/* Returns its kind; META_KINDS: nobody made it. */
static enum meta_kind judge_name(struct meta_walk *w, const char *text)
{
    struct name n;
    enum meta_kind which = which_is(w, text, &n);
    if (which == META_KINDS) {
        run_set_wrong(&w->set, text, "it is listed, and nobody made it");
        return which;
    }
    int64_t bit = n.number - due(w, which).from;
    unsigned char *byte = &w->m->lane[w->r->lane].seen[which][bit / 8];
    if (n.worker == w->place && *byte >> bit % 8 & 1)
        run_set_wrong(&w->set, text, "it is listed twice, expected once");
    else if (n.worker == w->place)
        *byte |= (unsigned char)(1 << bit % 8);
    run_set_right(&w->set);
    return which;
}

static void judge_missing(struct meta_walk *w, enum meta_kind which)
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
    for (int i = 0; i < META_KINDS; i++)
        memset(w->m->lane[w->r->lane].seen[i], 0,
               (size_t)bits(w->m, (enum meta_kind)i));
}

static void judge_end(struct meta_walk *w, int64_t listed)
{
    int64_t least = all_due(w, META_FILES, META_NEW),
            most = all_due(w, META_FILES, META_KINDS);
    for (int i = 0; i < META_NEW; i++)
        judge_missing(w, (enum meta_kind)i);
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

/* Judges a listed name; ls-l also stats it. */
static void take_name(struct meta_walk *w, char *name)
{
    bool looks = w->op->call == PHASE_OP_STAT, verify = w->r->verify;
    struct io_whole f = {.name = name};
    enum meta_kind which = verify ? judge_name(w, name) : META_KINDS;
    if (looks && !run_whole_stat(&w->set, &f) && which != META_KINDS)
        meta_judge(w, &f, which);
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
        for (int i = 0; i < n; i++)
            take_name(w, l->name[i]);
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
