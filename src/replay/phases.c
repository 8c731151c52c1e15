/* Runs a skeleton's phases, one after the other: each rank does its steps in their
 * order. */
#include "base/buf.h"
#include "base/draw.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "replay/replay.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIECE ((int64_t)1 << 20) /* bytes of a write to files made beforehand */
#define SHORTEST_NS 200000 /* the shortest pause that is slept; shorter ones add up */
#define TURN_NS 2000000    /* the longest sleep at once while transfers are in flight */

/* ---- files --------------------------------------------------------------------- */

/* Names a file. Roles are letters, since a tracer of the replay would merge roles that
 * are digits. */
static void name_file(struct run *r, int n, int rank, char path[4096])
{
    const struct replay *p = r->context;
    char which[16] = "", role[] = {(char)('a' + n / 676), (char)('a' + n / 26 % 26),
                                   (char)('a' + n % 26), 0};
    if (p->file[n].own)
        snprintf(which, sizeof which, ".%06d", rank);
    run_path(r, role, which, path, 4096);
}

static void file_at(struct run *r, int n, struct run_file *f)
{
    struct replay *p = r->context;
    struct replay_file *of = &p->file[n];
    char path[4096];
    bool mine = of->own || of->alone == r->world.rank;
    name_file(r, n, r->world.rank, path);
    run_file_at(f, r, path, replay_is_shared(p, n), mine, of->stored_bytes, p->largest,
                1);
    f->place = r->world.rank;
    if (of->parts)
        f->plan = of->plan;
    else if (r->partitioned)
        f->engine = p->inner;
}

static void wait_for_all(struct run *r)
{
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_barrier(r->world.comm);
    phase_act(r->phase, before);
}

/* Finds the part of a file that this rank makes. */
static void part_to_make(const struct run *r, const struct replay_file *f,
                         int64_t *from, int64_t *to)
{
    *from = f->low;
    *to = f->high;
    if (f->own || f->each)
        return;
    *from = 0;
    *to = f->bytes;
    if (f->alone >= 0)
        return;
    *from = units_part(f->bytes, r->world.rank, r->world.size);
    *to = units_part(f->bytes, r->world.rank + 1, r->world.size);
}

/* Writes bytes made beforehand, which have a version of their own. */
static void make_bytes(struct run *r, int n, int64_t at, int64_t bytes)
{
    struct replay *p = r->context;
    struct io_req req = {.op = IO_OP_WRITE,
                         .buf = r->buffer + replay_lead(at),
                         .offset = at + p->file[n].shift,
                         .bytes = bytes};
    replay_fill(r, n, 0, r->buffer, at, bytes);
    run_transfer(&p->file[n].f, &req, 1);
}

/* Makes a rank's bytes of a partitioned file, by its plan. */
static void make_own(struct run *r, int n, const struct ldad_map *map, int64_t most)
{
    int64_t all = ldad_map_bytes(map, r->world.rank);
    struct ldad_run run;
    for (int64_t at = 0; at < all && !r->failed; at += run.bytes) {
        int64_t rest = all - at, to = ldad_map_offset(map, r->world.rank, at);
        run = ldad_map_run(map, to, rest < most ? rest : most);
        make_bytes(r, n, run.offset, run.bytes);
    }
}

/* Makes this rank's share of a file; in a partitioned file, its share of the bytes that
 * belong to no rank. */
static void make_share(struct run *r, int n, const struct ldad_map *map, int64_t most)
{
    struct replay *p = r->context;
    struct ldad_run run = {.rank = -1};
    int64_t at, to;
    part_to_make(r, &p->file[n], &at, &to);
    for (; at < to && !r->failed; at += run.bytes) {
        run.bytes = to - at < most ? to - at : most;
        if (map)
            run = ldad_map_run(map, at, run.bytes);
        if (run.rank < 0)
            make_bytes(r, n, at, run.bytes);
    }
}

/* Makes a file that must exist before the first phase. */
static void make_file(struct run *r, int n)
{
    struct replay *p = r->context;
    struct replay_file *of = &p->file[n];
    struct run_file *f = &of->f;
    int64_t most = p->largest < PIECE ? p->largest : PIECE;
    struct ldad_map map;
    file_at(r, n, f);
    f->engine = of->parts ? r->engine : "posix";
    f->independent = true;
    f->without = IO_WRITE_BACK; /* posix lacks it; the file is synced below */
    of->made = true;
    run_file_open(f, IO_WRITE | IO_CREATE);
    if (f->io && of->parts)
        run_fail(r, ldad_map_make(&map, &of->plan));
    if (f->io && of->parts && !r->failed)
        make_own(r, n, &map, most);
    if (f->io && !r->failed)
        make_share(r, n, of->parts ? &map : NULL, most);
    if (f->io)
        run_sync(f);
    run_file_close(f, false);
}

/* Makes the files that must exist beforehand. Inputs then leave memory. Those that the
 * program wrote itself stay there, as they were new there: parts of pages are written
 * without reading these first. */
int replay_prepare(struct run *r, void *context)
{
    struct replay *p = r->context;
    bool any = false;
    (void)context;
    for (int i = 0; i < p->is.files; i++)
        any = any || p->file[i].before;
    if (!any)
        return 0;
    run_phase_begin(r, "prepare");
    /* all ranks open all files, even after a failure */
    for (int i = 0; i < p->is.files; i++)
        if (p->file[i].before)
            make_file(r, i);
    wait_for_all(r);
    for (int i = 0; i < p->is.files && !r->failed; i++)
        if (p->file[i].before && p->is.file[i].inputs && !p->file[i].parts &&
            (p->file[i].own || r->world.node_rank == 0 ||
             p->file[i].alone == r->world.rank))
            run_drop_cached(r, p->file[i].f.path);
    return run_phase_end(r);
}

/* ---- handles ------------------------------------------------------------------- */

static struct replay_handle *handle_of(struct replay *p, const struct skeleton_step *t)
{
    bool recorded = p->set.as_recorded;
    bool collective = recorded ? t->collective
                               : p->set.run.collective && replay_is_shared(p, t->file);
    for (int i = 0; i < p->handles; i++) {
        struct replay_handle *h = &p->handle[i];
        if (h->file == t->file &&
            (!recorded || (h->level == t->level && h->buffer == t->buffer)) &&
            (t->sync || h->collective == collective))
            return h;
    }
    struct replay_handle *h = &p->handle[p->handles++];
    *h = (struct replay_handle){.file = t->file,
                                .collective = collective && !t->sync,
                                .level = t->level,
                                .buffer = t->buffer};
    return h;
}

/* True if a step needs a handle. A drop needs a file only, and a flush its streams. */
static bool has_handle(const struct skeleton_step *t)
{
    return t->sync || skeleton_moves(t);
}

/* Makes the handles of a phase. Syncs come last: they use a handle that transfers
 * something, if there is one. */
static void make_handles(struct replay *p, int phase)
{
    p->handles = 0;
    for (int i = 0; i < p->is.files; i++)
        p->file[i].last = NULL;
    for (int syncs = 0; syncs < 2; syncs++)
        for (int i = 0; i < p->is.steps; i++) {
            const struct skeleton_step *t = &p->is.step[i];
            if (!replay_is_done(p, t) || t->phase != phase || !has_handle(t) ||
                t->sync != (syncs == 1))
                continue;
            struct replay_handle *h = handle_of(p, t);
            h->flags |= t->write || t->sync ? IO_WRITE : IO_READ;
        }
}

static const char *engine_of(struct replay_handle *h)
{
    if (h->level == LEVEL_STDIO && h->buffer)
        snprintf(h->engine, sizeof h->engine, "stdio:buffer=%lld",
                 (long long)h->buffer);
    else
        snprintf(h->engine, sizeof h->engine, "%s",
                 h->level == LEVEL_STDIO ? "stdio"
                 : h->level == LEVEL_MPI ? "mpiio"
                                         : "posix");
    return h->engine;
}

static void open_handles(struct run *r)
{
    struct replay *p = r->context;
    for (int i = 0; i < p->handles && !r->failed; i++) {
        struct replay_handle *h = &p->handle[i];
        struct replay_file *of = &p->file[h->file];
        file_at(r, h->file, &h->f);
        if (p->set.as_recorded)
            h->f.engine = engine_of(h);
        h->f.independent = !h->collective;
        h->f.depth = p->depth;
        /* dropped from the cache where the program did */
        h->f.as_cached = p->set.as_recorded;
        run_file_open(&h->f, h->flags | (of->made ? 0 : IO_CREATE));
        of->made = true;
        of->f = h->f;
        of->f.io = NULL;
    }
}

/* Opens the files of the threads beside the first, which has created and opened its
 * own. */
static void open_mine(struct run *r, void *context)
{
    struct replay *p = context;
    for (int i = 0; i < p->handles && r->lane; i++) {
        struct replay_handle *h = &p->handle[i];
        struct run_file *f = &h->more[r->lane - 1];
        if (!h->f.io)
            continue;
        run_file_local(f, r, h->f.path, h->f.bytes, h->f.max_request, 1);
        f->engine = h->f.engine;
        f->as_cached = true; /* the first thread has dropped it from the cache */
        run_file_open(f, h->flags);
    }
}

static void close_mine(struct run *r, void *context)
{
    struct replay *p = context;
    for (int i = 0; i < p->handles && r->lane; i++)
        if (p->handle[i].more && p->handle[i].more[r->lane - 1].io)
            run_file_close(&p->handle[i].more[r->lane - 1], false);
}

static void open_for_threads(struct run *r)
{
    struct replay *p = r->context;
    for (int i = 0; i < p->handles && r->lanes > 1 && !r->failed; i++) {
        struct replay_handle *h = &p->handle[i];
        h->more = mem_new(r->lanes, sizeof *h->more, "files");
        if (!h->more)
            run_fail(r, -ENOMEM);
    }
    if (r->lanes > 1 && !r->failed)
        run_lanes(r, open_mine, p);
}

/* Closes the handles of a phase. As recorded, nothing is synced but what the program
 * synced. */
static void close_handles(struct run *r)
{
    struct replay *p = r->context;
    if (r->lanes > 1)
        run_lanes(r, close_mine, p);
    for (int i = 0; i < p->handles; i++) {
        free(p->handle[i].more);
        p->handle[i].more = NULL;
        run_file_close(&p->handle[i].f,
                       !p->set.as_recorded && p->handle[i].flags & IO_WRITE);
    }
}

/* ---- steps --------------------------------------------------------------------- */

struct step { /* a step as a rank goes through it */
    struct replay_extents extents;
    struct replay_handle *handle;
    int64_t drawn; /* calls that follow no pattern */
};

struct walk { /* a rank's way through a phase */
    struct run *r;
    struct replay *p;
    int phase;
    struct step *step; /* indexed by number */
    struct replay_flights flights;
    double pause_ns, owed_ns;
    bool drops; /* some steps of the phase drop pages */
    bool met;   /* the last step was a sync that all ranks waited for */
    bool ended; /* some rank has failed, and all know it */
};

static void sleep_ns(double ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1e9)};
    t.tv_nsec = (long)(ns - (double)t.tv_sec * 1e9);
    nanosleep(&t, NULL);
}

static void think(struct walk *w, const struct skeleton_step *t)
{
    bool work = !strcmp(w->p->set.think_as, "work");
    w->owed_ns += t->pause_s < 0 ? w->pause_ns : w->p->factor * t->pause_s * 1e9;
    if (w->owed_ns < (work ? 1 : SHORTEST_NS))
        return;
    int64_t begin_ns = clock_ns(), now_ns = begin_ns;
    for (double left_ns = w->owed_ns; left_ns > 0;) {
        bool turns = w->flights.under_way && left_ns > TURN_NS;
        if (!work)
            sleep_ns(turns ? TURN_NS : left_ns);
        replay_poll(&w->flights);
        now_ns = clock_ns();
        left_ns = w->owed_ns - (double)(now_ns - begin_ns);
    }
    w->owed_ns -= (double)(now_ns - begin_ns);
}

/* True if some rank has failed. Then all end, as none may sync without the others. */
static bool any_has_failed(struct run *r)
{
    int failed = r->failed != 0;
    enum act before = phase_act(r->phase, ACT_IDLE);
    world_reduce(r->world.comm, &failed, 1, MPI_INT, MPI_LOR);
    phase_act(r->phase, before);
    return failed;
}

/* Flushes the streams of a file. `discard`: the bytes that they have read ahead are no
 * longer valid. */
static void flush_streams(struct walk *w, int file, bool discard)
{
    for (int i = 0; i < w->p->handles; i++) {
        struct replay_handle *h = &w->p->handle[i];
        if (h->file == file && h->f.io && (!discard || h->flags & IO_READ))
            run_flush(&h->f, discard);
    }
}

/* Flushes a rank's stream before the rank uses the file in another way: the program has
 * closed the stream at that point. */
static void flush_other(struct walk *w, struct replay_handle *h)
{
    struct replay_file *of = &w->p->file[h->file];
    if (of->last && of->last != h && of->last->f.io)
        run_flush(&of->last->f, true);
    if (of->last && of->last != h && h->f.io)
        run_flush(&h->f, true);
    of->last = h;
}

/* Syncs a file. Others may read what a rank wrote after its sync, so all ranks wait for
 * each other if all sync; then nothing is in flight, as in the program. If they also
 * waited before it, no rank syncs while others still transfer. */
static void do_sync(struct walk *w, struct replay_handle *h, bool after_all)
{
    struct run_file *f = &h->f;
    bool meets = f->shared && w->p->meets[w->phase];
    if (meets)
        replay_land(&w->flights, w->flights.under_way);
    else
        replay_land_file(&w->flights, h->file);
    if (meets && after_all)
        wait_for_all(w->r);
    if (f->io)
        run_sync(f);
    if (!meets)
        return;
    w->ended = any_has_failed(w->r);
    if (w->ended)
        return;
    run_sync_meet(f);
    wait_for_all(w->r);
    flush_streams(w, h->file, true);
    w->met = true;
}

/* Drops a file's pages on the rank's node, as the program did. They belong to several
 * files now if each rank has one of what was one file. */
static void do_drop(struct walk *w, int n)
{
    struct run *r = w->r;
    const struct replay_file *of = &w->p->file[n];
    bool several = of->parts || (of->own && !of->each);
    int first = several ? 0 : r->world.rank, last = several ? r->world.size - 1 : first;
    char path[4096];
    replay_land_file(&w->flights, n);
    for (int rank = first; rank <= last && of->made && !r->failed; rank++) {
        name_file(r, n, rank, path);
        if (of->parts)
            run_empty_cache_parts(r, path, rank);
        else if (!access(path, F_OK)) /* if not, another rank has yet to make it */
            run_drop_cached(r, path);
    }
}

/* Finds the next place of a step; false: there is none. A call without a pattern has
 * the mean size and a random place. No place has a second call before all have had one,
 * or fewer bytes would be stored. */
static bool next_extent(struct walk *w, const struct skeleton_step *t,
                        struct step *step, int64_t *place, int64_t *bytes)
{
    if (replay_extents_next(&step->extents, place, bytes))
        return true;
    if (!t->drawn_calls)
        return false;
    int64_t size = t->drawn_bytes / t->drawn_calls;
    *bytes = size > 0 ? size : 1;
    int64_t places = w->p->file[t->file].bytes / *bytes;
    places = places > 0 ? places : 1;
    int64_t n = step->drawn++ * w->r->world.size + w->r->world.rank;
    uint64_t key = rng_key(w->r->seed, (uint64_t)(t - w->p->is.step));
    *place = shuffle(n % places, places, key) * *bytes;
    return true;
}

static void do_transfer(struct walk *w, const struct skeleton_step *t,
                        struct step *step)
{
    int64_t place, bytes;
    if (!next_extent(w, t, step, &place, &bytes))
        return;
    flush_other(w, step->handle);
    replay_fly(&w->flights, step->handle, t->write ? IO_OP_WRITE : IO_OP_READ, place,
               bytes);
}

static void do_step(struct walk *w, int64_t number)
{
    const struct skeleton_step *t = &w->p->is.step[number];
    if (!replay_is_done(w->p, t))
        return;
    think(w, t);
    w->met = false;
    if (t->drop)
        do_drop(w, t->file);
    else if (t->flush)
        flush_streams(w, t->file, false);
    else if (t->sync)
        do_sync(w, w->step[number].handle, t->after_all);
    else
        do_transfer(w, t, &w->step[number]);
}

/* True if this rank goes on. It does even after a failure if others would wait for it
 * in vain. */
static bool rank_goes_on(const struct walk *w)
{
    bool awaited = w->p->set.run.collective || w->p->meets[w->phase];
    return !w->ended && (!w->r->failed || awaited);
}

/* Does one step after the other, for a rank whose order is not known. */
static void walk_steps(struct walk *w)
{
    struct replay *p = w->p;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        const struct skeleton_plan *plan = skeleton_plan_of(t, w->r->world.rank);
        int64_t drawn = units_part(t->drawn_calls, w->r->world.rank + 1, p->is.ranks) -
                        units_part(t->drawn_calls, w->r->world.rank, p->is.ranks);
        int64_t calls = (plan ? skeleton_plan_calls(plan) : 0) + drawn;
        if (!skeleton_moves(t) || t->phase != w->phase)
            continue;
        for (int64_t k = 0; k < calls && rank_goes_on(w); k++)
            do_step(w, i);
    }
}

/* Drops pages before ranks read on, and then waits for all: a rank drops pages for
 * others, too. */
static void drop_together(struct walk *w, struct sequence_walk *at)
{
    struct sequence_walk next = *at;
    int64_t number;
    if (!w->drops)
        return;
    while (at->of && rank_goes_on(w) && sequence_next(&next, &number) &&
           w->p->is.step[number].drop) {
        do_step(w, number);
        *at = next;
    }
    wait_for_all(w->r);
}

static void walk_order(struct walk *w, struct sequence_walk *at)
{
    int64_t number;
    while (rank_goes_on(w) && sequence_next(at, &number)) {
        do_step(w, number);
        if (w->met)
            drop_together(w, at);
    }
}

/* Returns the nanoseconds of pause before each step of a rank, if the skeleton does not
 * say before which steps ranks paused. */
static double pause_of(const struct replay *p, int phase, const struct sequence *order)
{
    int64_t *count = calloc((size_t)p->is.steps + 1, sizeof *count);
    double calls = 0;
    if (count && order)
        sequence_count(order, count, p->is.steps);
    for (int i = 0; count && i < p->is.steps; i++)
        calls += replay_is_done(p, &p->is.step[i]) ? (double)count[i] : 0;
    free(count);
    return calls > 0 ? p->factor * p->is.phase[phase].think_s * 1e9 / calls : 0;
}

/* Sets what all calls of a step have in common. */
static void begin_steps(struct walk *w)
{
    struct replay *p = w->p;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        if (t->phase != w->phase || !replay_is_done(p, t))
            continue;
        w->drops = w->drops || t->drop;
        w->step[i].handle = has_handle(t) ? handle_of(p, t) : NULL;
        replay_extents_begin(&w->step[i].extents, t, w->r->world.rank);
    }
}

static void walk_phase(struct run *r, int phase)
{
    struct replay *p = r->context;
    const struct skeleton_phase *f = &p->is.phase[phase];
    const struct sequence *order = skeleton_order_of(f, r->world.rank);
    struct sequence_walk at = {.of = order};
    struct walk w = {.r = r, .p = p, .phase = phase};
    w.step = mem_new(p->is.steps + 1, sizeof *w.step, "steps");
    w.pause_ns = pause_of(p, phase, order);
    int rc = replay_flights_open(&w.flights, r, phase);
    if (!w.step)
        rc = -ENOMEM;
    run_fail(r, rc);
    if (!rc) {
        begin_steps(&w);
        drop_together(&w, &at);
        if (order)
            walk_order(&w, &at);
        else if (f->lost)
            walk_steps(&w);
    }
    replay_flights_close(&w.flights);
    free(w.step);
}

static bool has_steps(const struct replay *p, int phase)
{
    for (int i = 0; i < p->is.steps; i++)
        if (p->is.step[i].phase == phase && replay_is_done(p, &p->is.step[i]))
            return true;
    return false;
}

int replay_phases(struct run *r, void *context)
{
    static char name[SKELETON_PHASES_MOST][16];
    struct replay *p = r->context;
    int rc = 0;
    (void)context;
    for (int i = 0; i < p->is.phases && !rc; i++) {
        snprintf(name[i], sizeof name[i], "phase%d", i);
        make_handles(p, i);
        if (!has_steps(p, i))
            continue;
        run_phase_begin(r, name[i]);
        open_handles(r);
        open_for_threads(r);
        if (!any_has_failed(r)) /* all ranks wait for each other there */
            walk_phase(r, i);
        close_handles(r);
        rc = run_phase_end(r);
        progress_step(&r->progress, 1, name[i]);
    }
    return rc;
}
