/* Decides which parts of a skeleton can be replayed, and what they need. */
#include "base/err.h"
#include "base/format/json_read.h"
#include "base/mem.h"
#include "base/units.h"
#include "io/io.h"
#include "replay/replay.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MOST ((int64_t)1 << 40)

bool replay_is_done(const struct replay *p, const struct skeleton_step *t)
{
    enum skeleton_use use = p->is.file[t->file].use;
    return t->there && t->level != LEVEL_OTHER && (use == USE_ONE || use == USE_EACH) &&
           (!skeleton_moves(t) || t->plans || t->drawn_calls);
}

/* ---- the skeleton -------------------------------------------------------------- */

/* Rank 0 reads the skeleton and sends it to the others, so that all have the same. */
static int load_skeleton(struct run *r, struct replay *p)
{
    MPI_Comm comm = r->world.comm;
    char *text = NULL;
    int64_t bytes = 0;
    int rc = r->world.rank ? 0 : json_file(p->set.path, &text, &bytes);
    rc = err_agree(comm, rc);
    if (!rc) {
        MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, comm);
        text = text ? text : mem_of(p->set.path, bytes + 1, 1, "the skeleton");
        rc = err_agree(comm, text ? 0 : -ENOMEM);
    }
    if (!rc) {
        MPI_Bcast(text, (int)bytes, MPI_CHAR, 0, comm);
        rc = skeleton_read(&p->is, p->set.path, text, bytes);
    }
    free(text);
    return rc;
}

static int check_think(struct replay *p)
{
    const char *text = p->set.think;
    char *end = NULL;
    p->factor = !strcmp(text, "none") ? 0 : !strcmp(text, "recorded") ? 1 : -1;
    if (p->factor >= 0)
        return 0;
    p->factor = strtod(text, &end);
    if (end == text || *end || !isfinite(p->factor) || p->factor < 0)
        return err_usage("--think: \"%s\" is not none, recorded or a factor", text);
    return 0;
}

static int check_ranks(const struct run *r, const struct replay *p)
{
    if (p->is.ranks == r->world.size)
        return 0;
    return err_usage("the skeleton is of %lld rank%s, and there %s %d: a skeleton is "
                     "replayed by as many ranks as it is of",
                     (long long)p->is.ranks, units_s(p->is.ranks),
                     r->world.size == 1 ? "is" : "are", r->world.size);
}

/* Refuses a step that cannot be replayed as it was, and counts the calls that are left
 * out because no skeleton describes them. */
static int check_step(const struct run *r, struct replay *p,
                      const struct skeleton_step *t, int number)
{
    const struct skeleton_file *f = &p->is.file[t->file];
    if (!t->there)
        return 0;
    if (t->sync && f->use == USE_NONE) {
        p->directories.calls += t->calls;
        return 0;
    }
    if (t->level == LEVEL_OTHER && t->sync) {
        p->syncs.calls += t->calls;
        return 0;
    }
    if (t->level == LEVEL_OTHER) {
        skeleton_sum(&p->library.bytes, t->bytes, 1);
        p->library.calls += t->calls;
        return 0;
    }
    if (f->use == USE_SEVERAL && (t->flush || t->level == LEVEL_STDIO)) {
        skeleton_sum(&p->streams.bytes, t->bytes, 1);
        p->streams.calls += t->calls;
        return 0;
    }
    if (f->use == USE_SEVERAL)
        return err_usage(
            "step %d of the skeleton is of %lld file%s of one role, several "
            "of which one rank uses: the skeleton does not say which, so "
            "it cannot be replayed",
            number, (long long)f->files, units_s(f->files));
    if (p->set.as_recorded && t->nonblocking)
        return err_usage("step %d of the skeleton has nonblocking transfers, which are "
                         "not replayed as recorded: leave out --as-recorded",
                         number);
    p->unplaced.calls += t->unplaced_calls;
    p->unplaced.bytes += t->unplaced_bytes;
    p->drawn_calls += t->drawn_calls;
    p->within_calls += t->within && skeleton_moves(t) ? t->calls : 0;
    p->nonblocking_calls += t->nonblocking && !r->async ? t->calls : 0;
    return 0;
}

static int check_steps(const struct run *r, struct replay *p)
{
    int rc = 0;
    bool any = false;
    for (int i = 0; i < p->is.steps && !rc; i++) {
        rc = check_step(r, p, &p->is.step[i], i);
        any = any || (replay_is_done(p, &p->is.step[i]) && !p->is.step[i].drop &&
                      !p->is.step[i].flush);
    }
    if (!rc && !any)
        return err_usage(
            "nothing in the skeleton can be replayed: there is no transfer "
            "of POSIX, stdio or MPI-IO whose place is known");
    return rc;
}

/* ---- what ranks do together ---------------------------------------------------- */

enum together { ALL_COLLECTIVE, TRANSFERS_COLLECTIVE };

static bool is_together(const struct replay *p, const struct skeleton_step *t,
                        enum together what)
{
    bool collective = p->set.as_recorded ? t->collective : p->set.run.collective;
    return replay_is_done(p, t) && replay_is_shared(p, t->file) && !t->drop &&
           !t->flush && (t->sync ? what == ALL_COLLECTIVE : collective);
}

/* Simplifies the item at `at`: a loop around one number becomes that number, and items
 * that follow an equal one are merged with it. Returns the place of the level's last
 * item. */
static int tidy(struct sequence *out, int last, int at)
{
    struct sequence_node *n = &out->node[at];
    if (n->what == SEQUENCE_LOOP && n->length == 1 && n[1].what != SEQUENCE_LOOP) {
        int64_t times = 0;
        skeleton_sum(&times, n[1].times, n->times);
        *n = (struct sequence_node){.what = n[1].what, .times = times};
        out->nodes = at + 1;
    }
    if (last < 0 || n->what == SEQUENCE_LOOP || out->node[last].what != n->what)
        return at;
    skeleton_sum(&out->node[last].times, n->times, 1);
    out->nodes = at;
    return last;
}

/* Copies the steps of an order that ranks do together into `out`. */
static void together_of(const struct replay *p, const struct sequence_node *n,
                        int64_t nodes, enum together what, struct sequence *out)
{
    int last = -1;
    for (int64_t i = 0; i < nodes; i += 1 + n[i].length) {
        int at = out->nodes;
        bool loop = n[i].what == SEQUENCE_LOOP;
        if (!loop && !is_together(p, &p->is.step[n[i].what], what))
            continue;
        out->node[out->nodes++] = n[i];
        if (loop) {
            together_of(p, n + i + 1, n[i].length, what, out);
            out->node[at].length = out->nodes - at - 1;
            out->nodes = out->node[at].length ? out->nodes : at;
        }
        if (out->nodes > at)
            last = tidy(out, last, at);
    }
}

/* True if all ranks do the same steps together in a phase, in the same order. */
static bool agrees(const struct replay *p, const struct skeleton_phase *f,
                   enum together what, bool *any)
{
    struct sequence_node room[2][SEQUENCE_NODES];
    struct sequence first = {.node = room[0]};
    int64_t ranks = 0;
    bool same = true;
    for (int i = 0; i < f->orders && same; i++) {
        struct sequence other = {.node = room[1]};
        struct sequence *to = i ? &other : &first;
        together_of(p, f->order[i].is.node, f->order[i].is.nodes, what, to);
        same = !i || sequence_same(&first, &other);
        ranks += f->order[i].of.ranks;
        *any = *any || to->nodes;
    }
    return same && ranks == p->is.ranks;
}

/* ---- files --------------------------------------------------------------------- */

/* Finds the only rank whose orders have steps of file n; -1: there are several, or it
 * is not known. */
static int alone_of(const struct replay *p, int n)
{
    int64_t alone = -1;
    for (int i = 0; i < p->is.phases; i++)
        for (int k = 0; k < p->is.phase[i].orders; k++) {
            const struct skeleton_order *o = &p->is.phase[i].order[k];
            bool uses = false;
            for (int j = 0; j < o->is.nodes && !uses; j++) {
                int64_t what = o->is.node[j].what;
                uses = what != SEQUENCE_LOOP && p->is.step[what].file == n;
            }
            if (uses && (o->of.ranks > 1 || (alone >= 0 && alone != o->of.first)))
                return -1;
            alone = uses ? o->of.first : alone;
        }
    for (int i = 0; i < p->is.steps; i++) /* ranks whose order is lost */
        if (p->is.step[i].there && p->is.step[i].file == n &&
            p->is.phase[p->is.step[i].phase].lost)
            return -1;
    return (int)alone;
}

static void extend_file(struct replay_file *f, const struct ldad *d)
{
    f->begin = ldad_low(d) < f->begin ? ldad_low(d) : f->begin;
    f->bytes = ldad_high(d) > f->bytes ? ldad_high(d) : f->bytes;
}

/* Extends a file's range by a step's transfers: this rank's if each rank has a file,
 * else all ranks'. */
static void measure_step(const struct run *r, struct replay *p,
                         const struct skeleton_step *t)
{
    struct replay_file *f = &p->file[t->file];
    for (int k = 0; k < t->plans; k++) {
        const struct skeleton_plan *plan = &t->plan[k];
        int64_t mine = skeleton_place(&plan->of, r->world.rank);
        for (int d = 0; d < plan->ds; d++) {
            struct ldad first = ldad_plan_rank(&plan->d[d].plan, 0);
            struct ldad last = ldad_plan_rank(&plan->d[d].plan, plan->of.ranks - 1);
            if (f->each && mine < 0)
                continue;
            if (f->each)
                first = last = ldad_plan_rank(&plan->d[d].plan, mine);
            extend_file(f, &first);
            extend_file(f, &last);
            p->largest = first.size > p->largest ? first.size : p->largest;
        }
    }
    if (t->drawn_calls) {
        int64_t size = t->drawn_bytes / t->drawn_calls, all = p->is.file[t->file].bytes;
        p->largest = size > p->largest ? size : p->largest;
        f->begin = 0;
        f->bytes = all > f->bytes ? all : f->bytes;
        f->bytes = size > f->bytes ? size : f->bytes;
    }
}

/* True if a read of a file may come before the writes of a phase that writes all of
 * it. */
static bool races(const struct run *r, const struct replay *p, int n, int phase)
{
    bool any = false;
    bool meets = agrees(p, &p->is.phase[phase], ALL_COLLECTIVE, &any);
    return p->is.file[n].inputs || replay_races(r, n, phase, meets);
}

/* True if a file is read before it is written, as far as the skeleton tells. If the
 * skeleton says that some rank read it first, an earlier phase must write it. */
static bool is_read_first(const struct run *r, const struct replay *p, int n)
{
    int covered = replay_covered_from(r, n);
    bool beside = false;
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        if (!replay_is_done(p, t) || t->file != n || !skeleton_moves(t) || t->write)
            continue;
        if (t->phase < covered)
            return true;
        beside = beside || t->phase == covered;
    }
    return beside && races(r, p, n, covered);
}

static int settle_files(struct run *r, struct replay *p)
{
    p->file = mem_of(p->set.path, p->is.files + 1, sizeof *p->file, "files");
    p->handle = mem_of(p->set.path, p->is.steps + 1, sizeof *p->handle, "files");
    int rc = p->file && p->handle ? 0 : -ENOMEM;
    if (err_agree(r->world.comm, rc))
        return -ENOMEM;
    for (int i = 0; i < p->is.files; i++) {
        p->file[i].own = p->file[i].each = p->is.file[i].use == USE_EACH;
        p->file[i].begin = INT64_MAX;
        p->file[i].alone = p->file[i].each ? -1 : alone_of(p, i);
    }
    for (int i = 0; i < p->is.steps; i++)
        if (replay_is_done(p, &p->is.step[i]))
            measure_step(r, p, &p->is.step[i]);
    for (int i = 0; i < p->is.files; i++) { /* all ranks make files of ranks together */
        p->file[i].before = p->file[i].bytes > 0 && is_read_first(r, p, i);
        world_reduce(r->world.comm, &p->file[i].before, 1, MPI_C_BOOL, MPI_LOR);
    }
    return 0;
}

/* True if ranks made collective calls in a phase that moved nothing. Orders lack such
 * calls, and so lack some of what ranks do together. */
static bool has_empty(const struct replay *p, int phase, bool alone)
{
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        if (t->phase == phase && replay_is_done(p, t) && t->collective && t->empty &&
            (!alone || (t->ranks > 1 && p->file[t->file].alone >= 0)))
            return true;
    }
    return false;
}

static int refuse_empty(int phase)
{
    return err_usage("phase %d of the skeleton: some ranks move nothing in collective "
                     "calls, and the skeleton does not say in which: leave out "
                     "--as-recorded",
                     phase);
}

static int settle_together(const struct run *r, struct replay *p)
{
    p->meets = mem_of(p->set.path, p->is.phases + 1, sizeof *p->meets, "the phases");
    if (!p->meets)
        return -ENOMEM;
    for (int i = 0; i < p->is.phases; i++) {
        bool syncs = false, transfers = false;
        p->meets[i] = agrees(p, &p->is.phase[i], ALL_COLLECTIVE, &syncs);
        bool same = agrees(p, &p->is.phase[i], TRANSFERS_COLLECTIVE, &transfers);
        if (p->set.as_recorded && has_empty(p, i, !transfers || p->meets[i]))
            return refuse_empty(i);
        if (p->meets[i] || (!transfers && !syncs))
            continue;
        if (transfers && (!same || syncs))
            return err_usage("phase %d of the skeleton: not all ranks make the same "
                             "collective calls in the same order%s",
                             i, p->set.as_recorded ? "" : ": leave out --collective");
        if (io_engine_calls_mpi(r->engine))
            return err_usage(
                "phase %d of the skeleton: not all ranks sync shared files "
                "as often as the others, which MPI-IO needs: take IOMETHOD "
                "POSIX",
                i);
    }
    return 0;
}

/* ---- engine and threads -------------------------------------------------------- */

/* Chooses the engine that the report names. As recorded, it is MPI-IO's if it
 * occurs. */
static int settle_engine(struct run *r, struct replay *p)
{
    bool mpi = false, stdio = false, posix = false, collective = false;
    if (!p->set.as_recorded)
        return 0;
    if (r->async || opt_find(r->program, "iomethod")->from == OPT_COMMAND_LINE ||
        (opt_find(r->program, "filetype")->from == OPT_COMMAND_LINE &&
         strcmp(p->set.run.filetype, REPLAY_RECORDED)) ||
        opt_find(r->program, "collective")->from == OPT_COMMAND_LINE)
        return err_usage(
            "--as-recorded says how transfers are made, and to what files: "
            "leave out --iomethod, --iomode, --filetype and --collective");
    for (int i = 0; i < p->is.steps; i++)
        if (replay_is_done(p, &p->is.step[i])) {
            enum skeleton_level level = p->is.step[i].level;
            mpi = mpi || level == LEVEL_MPI;
            posix = posix || level == LEVEL_POSIX;
            stdio = stdio || level == LEVEL_STDIO;
            collective = collective || p->is.step[i].collective;
        }
    p->set.run.filetype = REPLAY_RECORDED;
    p->set.run.collective = collective;
    r->io_flags |= collective ? IO_COLLECTIVE : 0;
    return run_engine(r, mpi ? "mpiio" : posix || !stdio ? "posix" : "stdio");
}

/* Refuses --threads with options that it excludes: threads change when a transfer is
 * made, not which transfers must come before it. */
static int check_threads(const struct run *r, const struct replay *p)
{
    const char *what = p->set.as_recorded ? "--as-recorded"
                       : r->async         ? "--iomode=ASYNC"
                       : p->factor > 0    ? "--think"
                                          : NULL;
    if (r->lanes > 1 && io_engine_holds_back(r->engine))
        return err_usage("--threads: I/O engine %s keeps bytes in memory that other "
                         "threads' transfers need: leave out one of them",
                         r->engine);
    if (r->lanes == 1 || !what)
        return 0;
    return err_usage("--threads divides the transfers of a rank among threads, and %s "
                     "is of ranks with one thread: leave out one of them",
                     what);
}

static int settle_depth(const struct run *r, struct replay *p)
{
    if (!r->async && p->set.depth > 1)
        return err_usage("--depth is of transfers that are in flight together: take "
                         "--iomode=ASYNC, or leave it out");
    p->depth = r->async ? (int)p->set.depth : 1;
    p->depth = p->depth ? p->depth : REPLAY_DEPTH;
    return 0;
}

/* ---- needs --------------------------------------------------------------------- */

static int sum_needs(const struct run *r, struct replay *p, struct run_need *n)
{
    for (int i = 0; i < p->is.steps; i++) {
        const struct skeleton_step *t = &p->is.step[i];
        if (!replay_is_done(p, t))
            continue;
        skeleton_sum(&p->calls, t->calls - t->unplaced_calls, 1);
        /* drawn transfers have the mean size, a whole number of bytes */
        int64_t rest = t->drawn_calls ? t->drawn_bytes % t->drawn_calls : 0;
        if (skeleton_moves(t))
            skeleton_sum(t->write ? &p->write_bytes : &p->read_bytes,
                         t->bytes - t->unplaced_bytes - rest, 1);
    }
    if (p->calls > CALLS_MOST) /* all ranks find the same */
        return err_usage(
            "the skeleton has %lld call%s, more than 2^40: nobody would see "
            "their end",
            (long long)p->calls, units_s(p->calls));
    for (int i = 0; i < p->is.files; i++) {
        int64_t all = replay_file_bytes(r, i);
        skeleton_sum(&n->disk_bytes, all, 1);
        n->files += !all               ? 0
                    : p->file[i].parts ? 2 * p->is.ranks + 2
                    : p->file[i].own   ? p->is.ranks
                                       : 1;
    }
    if (n->disk_bytes == INT64_MAX)
        return err_usage("the skeleton's files would exceed 2^63 - 1 bytes");
    return 0;
}

static int need(struct run *r, struct replay *p, struct run_need *n)
{
    int rc = sum_needs(r, p, n);
    if (!rc && p->largest > INT64_MAX / 4 / p->depth)
        rc = err_usage("the skeleton has a transfer of %lld bytes",
                       (long long)p->largest);
    n->order = "as the skeleton says";
    n->depth = p->depth;
    p->slot_bytes = units_round_up(p->largest + 8, 8);
    n->buffer_bytes = p->depth * p->slot_bytes;
    n->memory_bytes = r->lanes * n->buffer_bytes;
    n->write_bytes = p->write_bytes;
    n->read_bytes = p->read_bytes;
    n->steps = p->is.phases;
    r->all_files = n->files;
    return rc;
}

int replay_plan(struct run *r, struct run_need *n)
{
    struct replay *p = r->context;
    int rc = check_think(p);
    if (!rc)
        rc = load_skeleton(r, p);
    if (!rc)
        rc = check_ranks(r, p);
    if (!rc)
        rc = check_steps(r, p);
    if (!rc)
        rc = settle_engine(r, p);
    if (!rc)
        rc = check_threads(r, p);
    if (!rc)
        rc = settle_depth(r, p);
    rc = err_agree(r->world.comm, rc);
    if (!rc)
        rc = settle_files(r, p);
    if (!rc)
        rc = replay_store(r);
    if (!rc)
        rc = settle_together(r, p);
    r->latencies = true;
    return rc ? rc : need(r, p, n);
}
