/* Stamped data: each byte tells its file, place and phase, whatever pieces it is read
 * in. */
#include "base/buf.h"
#include "base/err.h"
#include "replay/replay.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct stamp stamp_of(const struct run *r, int file, int version)
{
    const struct replay *p = r->context;
    return run_stamp_of(r, p->file[file].each ? r->world.rank : 0, file, version);
}

void replay_fill(struct run *r, int file, int version, void *buf, int64_t offset,
                 int64_t bytes)
{
    struct stamp s = stamp_of(r, file, version);
    int64_t lead = replay_lead(offset);
    enum act before = phase_act(r->phase, ACT_CHECK);
    stamp_fill(buf, offset - lead, lead + bytes, &s);
    phase_act(r->phase, before);
}

/* Returns how many bytes from `at` on agree with the given version. */
static int64_t as_version(const struct run *r, int file, int version, char *at,
                          int64_t offset, int64_t bytes)
{
    struct stamp s = stamp_of(r, file, version);
    int64_t lead = replay_lead(offset);
    char saved[8], expected[8];
    memcpy(saved, at - lead, (size_t)lead);
    stamp_fill(expected, offset - lead, 8, &s);
    memcpy(at - lead, expected, (size_t)lead);
    int64_t wrong = stamp_check(at - lead, offset - lead, lead + bytes, &s, NULL, 0);
    memcpy(at - lead, saved, (size_t)lead);
    return wrong < 0 ? bytes : wrong - offset;
}

/* Finds the version, of all that there were, whose bytes are at `at`; -1: none. */
static int version_of(const struct run *r, int file, char *at, int64_t offset,
                      int64_t bytes)
{
    const struct replay *p = r->context;
    for (int version = p->is.phases; version >= 0; version--)
        if (as_version(r, file, version, at, offset, bytes) == bytes)
            return version;
    return -1;
}

static const char *version_text(int version, char out[48])
{
    if (version)
        snprintf(out, 48, "what phase%d wrote", version - 1);
    else
        snprintf(out, 48, "what was made before the first phase");
    return out;
}

/* Reports a wrong byte, the first that `at` points to. */
static void found_bad(struct run *r, int file, const char *path,
                      const struct replay_versions *v, char *at, int64_t offset,
                      int64_t bytes)
{
    char expected[48], found[48];
    int is = version_of(r, file, at, offset, bytes < 16 ? bytes : 16);
    version_text(v->n ? v->version[0] : 0, expected);
    r->bad++;
    run_fail(r, is < 0 ? err_set(-EIO, path, offset,
                                 "verification failed: expected %s, found other bytes: "
                                 "%s",
                                 expected, STAMP_WRONG)
                       : err_set(-EIO, path, offset,
                                 "verification failed: expected %s, found %s: %s",
                                 expected, version_text(is, found), STAMP_STALE));
}

void replay_check(struct run *r, int file, const char *path,
                  const struct replay_versions *v, void *buf, int64_t offset,
                  int64_t bytes)
{
    char *data = (char *)buf + replay_lead(offset);
    enum act before = phase_act(r->phase, ACT_CHECK);
    int64_t right = 0, more = 1;
    for (; right < bytes && more > 0; right += more) {
        more = 0;
        for (int i = 0; i < v->n && right + more < bytes; i++) {
            int64_t is = as_version(r, file, v->version[i], data + right,
                                    offset + right, bytes - right);
            more = is > more ? is : more;
        }
    }
    r->checked++;
    if (right < bytes)
        found_bad(r, file, path, v, data + right, offset + right, bytes - right);
    phase_act(r->phase, before);
}

/* ---- versions ------------------------------------------------------------------ */

static bool step_writes(const struct replay *p, const struct skeleton_step *t, int n,
                        int phase)
{
    return t->there && t->write && t->file == n && t->phase == phase &&
           replay_is_done(p, t);
}

static bool is_written(const struct replay *p, int n, int phase)
{
    for (int i = 0; i < p->is.steps; i++)
        if (step_writes(p, &p->is.step[i], n, phase))
            return true;
    return false;
}

/* The writes that count: OF_FILE, those of all ranks (of this rank only, if each rank
 * has a file of its own), or OF_RANK, this rank's. */
enum whose { OF_FILE, OF_RANK };

/* Collects descriptors of the writes to a file in a phase into `list`, unless it is
 * NULL. Returns their number. */
static int64_t collect_writes(const struct run *r, int n, int phase, enum whose whose,
                              struct ldad *list)
{
    const struct replay *p = r->context;
    int64_t found = 0;
    bool mine = p->file[n].each || whose == OF_RANK;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        for (int k = 0; step_writes(p, t, n, phase) && k < t->plans; k++) {
            const struct skeleton_plan *plan = &t->plan[k];
            for (int64_t j = 0; j < plan->of.ranks; j++)
                for (int d = 0; d < plan->ds; d++) {
                    int64_t rank = plan->of.first + j * plan->of.step;
                    if (mine && rank != r->world.rank)
                        continue;
                    if (list)
                        list[found] = ldad_plan_rank(&plan->d[d].plan, j);
                    found++;
                }
        }
    }
    return found;
}

static bool covers(const struct run *r, int n, int phase)
{
    const struct replay *p = r->context;
    int64_t descriptors = collect_writes(r, n, phase, OF_FILE, NULL);
    struct ldad *list = calloc((size_t)descriptors + 1, sizeof *list);
    bool all = list && descriptors > 0;
    if (all) {
        collect_writes(r, n, phase, OF_FILE, list);
        all = ldad_list_tiles(list, descriptors, p->file[n].begin, p->file[n].bytes) ==
              LDAD_YES;
    }
    free(list);
    return all;
}

int replay_covered_from(const struct run *r, int n)
{
    const struct replay *p = r->context;
    int phase = 0;
    while (phase < p->is.phases && !covers(r, n, phase))
        phase++;
    return phase;
}

/* ---- writes of others at the same time ----------------------------------------- */

struct own { /* the bytes that this rank writes to a file in a phase */
    struct ldad *list;
    int64_t n, begin, end;
    bool whole; /* all bytes between begin and end */
};

static void find_own(const struct run *r, int file, int phase, struct own *own)
{
    *own = (struct own){.begin = INT64_MAX};
    own->n = collect_writes(r, file, phase, OF_RANK, NULL);
    own->list = calloc((size_t)own->n + 1, sizeof *own->list);
    if (!own->list)
        own->n = 0;
    collect_writes(r, file, phase, OF_RANK, own->list);
    for (int64_t i = 0; i < own->n; i++) {
        const struct ldad *is = &own->list[i];
        own->begin = ldad_low(is) < own->begin ? ldad_low(is) : own->begin;
        own->end = ldad_high(is) > own->end ? ldad_high(is) : own->end;
    }
    own->whole = own->n && ldad_list_tiles(own->list, own->n, own->begin, own->end) ==
                               LDAD_YES; /* this call also makes them normal */
}

static bool is_own(const struct own *own, struct ldad is)
{
    ldad_normal(&is, &is);
    bool found =
        own->whole && own->begin <= ldad_low(&is) && ldad_high(&is) <= own->end;
    for (int64_t i = 0; i < own->n && !found; i++)
        found = ldad_same(&own->list[i], &is);
    return found;
}

/* True if a rank itself writes all that it reads of a file in a phase. */
static bool reads_own(const struct run *r, int n, int phase)
{
    const struct replay *p = r->context;
    struct own own;
    bool all = true;
    find_own(r, n, phase, &own);
    for (int i = 0; i < p->is.steps && all; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        const struct skeleton_plan *plan = skeleton_plan_of(t, r->world.rank);
        if (!replay_is_done(p, t) || t->file != n || t->phase != phase ||
            !skeleton_moves(t) || t->write)
            continue;
        all = !t->drawn_calls;
        for (int d = 0; plan && d < plan->ds && all; d++)
            all =
                is_own(&own, ldad_plan_rank(&plan->d[d].plan,
                                            skeleton_place(&plan->of, r->world.rank)));
    }
    free(own.list);
    return all;
}

/* True if the nodes of an order read a file before others' writes are known to have
 * ended. `*open` says whether these writes may still go on: on entry at the begin of
 * the nodes, on return at their end. */
static bool reads_open(const struct replay *p, int file, const struct sequence_node *n,
                       int64_t nodes, bool *open)
{
    bool reads = false;
    for (int64_t i = 0; i < nodes && !reads; i += 1 + n[i].length) {
        const struct skeleton_step *t = &p->is.step[n[i].what < 0 ? 0 : n[i].what];
        /* the loop's end also comes before its begin */
        if (n[i].what == SEQUENCE_LOOP) {
            reads = reads_open(p, file, n + i + 1, n[i].length, open) ||
                    reads_open(p, file, n + i + 1, n[i].length, open);
        } else if (t->file == file && replay_is_done(p, t)) {
            *open = t->sync ? false : *open || (skeleton_moves(t) && t->write);
            reads = *open && skeleton_moves(t) && !t->write;
        }
    }
    return reads;
}

bool replay_races(const struct run *r, int n, int phase, bool meets)
{
    const struct replay *p = r->context;
    const struct sequence *order =
        skeleton_order_of(&p->is.phase[phase], r->world.rank);
    bool open = true;
    if (p->file[n].each || p->file[n].alone >= 0 || reads_own(r, n, phase))
        return false;
    return !order || !meets || reads_open(p, n, order->node, order->nodes, &open);
}

struct replay_versions replay_versions_of(const struct run *r, int n, int phase)
{
    const struct replay *p = r->context;
    struct replay_versions v = {.n = 0};
    for (int i = phase; i >= 0; i--) {
        if (!is_written(p, n, i))
            continue;
        v.version[v.n++] = i + 1;
        if (i < phase && covers(r, n, i))
            return v;
    }
    if (p->file[n].before)
        v.version[v.n++] = 0;
    return v;
}
