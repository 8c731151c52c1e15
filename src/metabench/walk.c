/* Stages: all lanes go through the things of a worker, directory by directory, and
 * apply the operation to each. */
#include "base/draw.h"
#include "base/err.h"
#include "base/units.h"
#include "metabench/metabench.h"
#include "run/workload.h"
#include <errno.h>
#include <string.h>

struct work {
    const struct meta_op *op;
    meta_item *item;
    int64_t total;  /* things of each worker */
    double limit_s; /* 0: none */
    bool untimed;   /* a check: not measured */
};

/* ---- walking --------------------------------------------------------------------- */

static struct name tree_name(const struct meta *m, int worker, int64_t k)
{
    return (struct name){NAMES_TREE, m->shared ? 0 : worker, k};
}

/* Enters a directory through each one above it: links are not followed. */
static int walk_enter(struct meta_walk *w, int64_t k)
{
    int64_t way[TREE_DEPTH_MAX + 1];
    int n = tree_way(&w->m->tree, k, way);
    char name[NAMES_SIZE];
    struct run_set above = {.run = w->r, .folder = NULL};
    for (int i = 0; i < n && !w->r->failed; i++) {
        names_make(name, tree_name(w->m, w->place, way[i]));
        run_set_enter(&w->set, w->r, i ? above.folder : w->m->root, name, w->place);
        run_set_leave(&above);
        above = w->set;
    }
    w->set.uncached = w->care || !w->r->flush;
    w->folder = k;
    w->from = tree_first(&w->m->tree, k);
    w->end = tree_first(&w->m->tree, k + 1);
    return w->r->failed;
}

static bool goes_on(const struct run *r, const struct work *of)
{
    if (r->failed || !of->limit_s)
        return !r->failed;
    return (double)(r->phase->switch_ns - r->phase->begin_ns) < of->limit_s * 1e9;
}

static int64_t in_order(const struct meta_walk *w, int64_t i, int64_t n, int64_t key)
{
    bool any = w->m->shuffled && !w->op->makes;
    return any ? shuffle(i, n, w->r->seed + (uint64_t)key) : i;
}

/* Syncs changed names, if each directory is synced by itself. */
static void sync_names(struct meta_walk *w)
{
    struct run *r = w->r;
    if (!w->m->each || !w->op->changes || r->failed)
        return;
    enum act before = phase_act(r->phase, ACT_SYNC);
    run_fail(r, io_folder_sync_names(w->set.folder));
    phase_act(r->phase, before);
}

/* Applies the operation to a directory's things. One that makes things continues where
 * it stopped. */
static void through_folder(struct meta_walk *w, const struct work *of, int64_t k)
{
    struct run *r = w->r;
    int64_t from = tree_first(&w->m->tree, k), end = tree_first(&w->m->tree, k + 1);
    if (w->op->makes && from < r->made)
        from = r->made;
    end = end < of->total ? end : of->total;
    if (from >= end || !goes_on(r, of) || walk_enter(w, k))
        return;
    for (int64_t j = 0; j < end - from && goes_on(r, of); j++) {
        of->item(w, from + in_order(w, j, end - from, k + 1));
        r->made++;
        progress_step(&r->progress, !of->untimed, r->phase->name);
    }
    if (!of->untimed)
        sync_names(w);
    run_set_leave(&w->set);
}

/* Lists a directory. Each worker makes new files in its own directory, whichever
 * it lists. */
static void list_folder(struct meta_walk *w, int64_t k)
{
    struct meta_walk own = *w;
    own.place = w->r->worker;
    if (walk_enter(w, k))
        return;
    if (!w->op->crowds) {
        meta_list(w, NULL);
    } else if (!walk_enter(&own, k)) {
        own.end = own.end < w->m->count[META_FILES] ? own.end : w->m->count[META_FILES];
        meta_list(w, &own);
        sync_names(&own);
        run_set_leave(&own.set);
    }
    run_set_leave(&w->set);
}

static void go(struct run *r, void *work)
{
    const struct work *of = work;
    const struct meta *m = r->context;
    struct meta_walk w = {.r = r, .m = m, .op = of->op, .care = of->untimed};
    w.place = of->op->own ? r->worker : run_shifted(r, 1);
    for (int64_t j = 0; j < m->tree.folders && !r->failed; j++) {
        int64_t k = in_order(&w, j, m->tree.folders, 0);
        if (of->item)
            through_folder(&w, of, k);
        else
            list_folder(&w, k);
    }
}

/* ---- before the operations ------------------------------------------------------- */

static void lay_folder(struct meta_walk *w, int64_t k)
{
    int64_t first = k * w->m->tree.branch + 1, n = tree_children(&w->m->tree, k);
    char name[NAMES_SIZE];
    if (!n || walk_enter(w, k))
        return;
    for (int64_t i = first; i < first + n && !w->r->failed; i++) {
        struct io_whole f = {.name = names_make(name, tree_name(w->m, w->place, i))};
        run_folder_make(&w->set, &f);
    }
    run_set_leave(&w->set);
}

static void lay_tree(struct run *r, void *unused)
{
    const struct meta *m = r->context;
    struct meta_walk w = {.r = r, .m = m, .place = r->worker};
    char name[NAMES_SIZE];
    struct io_whole top = {.name = names_make(name, tree_name(m, r->worker, 0))};
    (void)unused;
    if (m->shared && r->worker)
        return;
    run_fail(r, io_folder_make(m->root, &top));
    for (int64_t k = 0; k < m->tree.folders && !r->failed; k++)
        lay_folder(&w, k);
}

/* Finds the file system's present time: that of a new directory. */
static int ask_time(struct run *r, int64_t *ns)
{
    struct meta *m = r->context;
    struct io_whole probe = {.name = "clock"};
    int rc = r->world.rank || r->failed ? 0 : io_folder_make(m->root, &probe);
    if (!rc && !r->world.rank && !r->failed)
        rc = io_whole_stat(m->root, &probe);
    *ns = probe.modified_ns;
    if (!rc && !r->world.rank && !r->failed)
        rc = io_folder_drop(m->root, &probe);
    MPI_Bcast(ns, 1, MPI_INT64_T, 0, r->world.comm);
    return err_agree(r->world.comm, rc);
}

/* Agrees whether files are synced one by one, on all ranks, even if nodes see different
 * file systems. */
static void say_syncs(struct run *r)
{
    struct meta *m = r->context;
    int each = r->flush && !io_syncfs_works(m->path);
    bool first = !m->each;
    world_reduce(r->world.comm, &each, 1, MPI_INT, MPI_MAX);
    m->each = each;
    if (m->each && first)
        report_note(r->report, "syncs",
                    "each file and directory by fsync, as syncfs is not known to "
                    "reach what stores the files of %s",
                    r->fs.type);
}

int meta_lay(struct run *r, void *unused)
{
    struct meta *m = r->context;
    (void)unused;
    memset(m->count, 0, sizeof m->count);
    m->renamed = false;
    m->attribute = m->written = m->parts = 0;
    run_path(r, "tree", "", m->path, sizeof m->path);
    if (r->failed)
        return r->failed;
    int rc = io_folder_open(&m->root, r->world.comm, m->path,
                            IO_CREATE | IO_READ | IO_WRITE);
    if (!rc)
        rc = ask_time(r, &m->since_ns);
    if (!rc)
        rc = meta_try(r);
    if (!rc)
        say_syncs(r);
    r->sync_latencies = meta_syncs(m);
    if (!rc)
        run_lanes(r, lay_tree, NULL);
    return rc;
}

/* ---- an operation ---------------------------------------------------------------- */

bool meta_syncs(const struct meta *m)
{
    return m->each || !strcmp(m->set.fsync, "each");
}

int meta_next_mode(const struct meta *m)
{
    return m->mode == META_MODE ? META_OTHER_MODE : META_MODE;
}

/* **Collective.** The number made by all lanes of all ranks in this phase. */
static int64_t made_by_all(struct run *r)
{
    int64_t n = 0;
    for (int i = 0; i < r->lanes; i++)
        n += run_lane_of(r, i)->made;
    world_reduce(r->world.comm, &n, 1, MPI_INT64_T, MPI_SUM);
    return n;
}

/* Runs the operation; with a limit, then continues up to what the fastest lane has
 * done. Returns the total at the limit; 0: it was not reached. */
static int64_t do_all(struct run *r, struct work *of)
{
    const struct meta *m = r->context;
    int64_t by_limit = 0;
    run_lanes(r, go, of);
    if (!of->limit_s)
        return 0;
    of->total = run_wear_out(r);
    if (of->total < m->tree.items)
        by_limit = made_by_all(r);
    of->limit_s = 0;
    run_lanes(r, go, of);
    return by_limit;
}

/* Syncs the names, on each node those in its memory. */
static void walk_sync_all(struct run *r)
{
    const struct meta *m = r->context;
    if (!r->flush || m->each || r->world.node_rank || r->failed)
        return;
    enum act before = phase_act(r->phase, ACT_SYNC);
    run_fail(r, io_folder_sync(m->root));
    phase_act(r->phase, before);
}

static void rate(struct run *r, const char *phase, const char *name, int64_t n,
                 double s, const char *formula)
{
    if (n && s > 0)
        run_figure(r, phase, name, "1/s", "higher", formula, (double)n / s);
}

static int64_t listings(const struct run *r)
{
    const struct meta *m = r->context;
    return m->tree.folders * r->workers;
}

/* Checks the number of calls of another kind than that of which the figures are. */
static int count_calls(const struct run *r, const char *phase, enum phase_op op,
                       int64_t all)
{
    int64_t made = r->last.op[op].calls;
    if (made == all)
        return 0;
    return err_set(-EIO, NULL, -1, "phase %s has made %lld call%s (%s), expected %lld",
                   phase, (long long)made, units_s(made), phase_op_name[op],
                   (long long)all);
}

static const char *rate_formula(const struct meta_op *op)
{
    return op->item ? "calls of all ranks / slowest lane's seconds of opening, "
                      "closing, reading, writing and syncing"
           : op->call == PHASE_OP_STAT
               ? "names listed and looked at by all ranks / slowest lane's seconds "
                 "of listing and stat"
               : "names listed by all ranks / slowest lane's seconds of listing";
}

/* Checks the numbers of calls and bytes against those of things; for listings, the
 * number of names against those that lanes have checked. */
static int judge_counts(struct run *r, const char *phase, const struct work *of)
{
    const struct meta *m = r->context;
    const struct meta_op *op = of->op;
    int64_t all = of->total * r->workers, bytes = all * m->set.bytes;
    int64_t n = op->item ? all : made_by_all(r);
    bool looks = !op->item && op->call == PHASE_OP_STAT;
    if (!op->crowds)
        rate(r, phase, "per_s", n, r->last.io_s, rate_formula(op));
    int rc = run_called(r, op->call, op->item || looks ? n : listings(r));
    if (!rc && looks)
        rc = count_calls(r, phase, PHASE_OP_READDIR, listings(r));
    if (!rc && op->crowds)
        rc = count_calls(r, phase, PHASE_OP_CREATE, all);
    if (!rc && op->syncs && meta_syncs(m))
        rc = count_calls(r, phase, PHASE_OP_FSYNC, all);
    if (rc)
        return rc;
    return run_moved(r, phase, m->path, op->reads * bytes * m->parts,
                     op->writes * bytes);
}

/* Notes a new version of the bytes: of the files' first part, or of a new one. */
static void changed_bytes(struct meta *m, const struct meta_op *op)
{
    bool more = op->makes || !strcmp(op->name, "append");
    m->version[more ? m->parts : 0] = ++m->written;
    m->parts += more;
}

static void changed(struct run *r, const struct work *of)
{
    struct meta *m = r->context;
    const struct meta_op *op = of->op;
    if (op->makes || op->ends)
        m->count[op->of] = op->ends ? 0 : of->total;
    if (op->adds)
        m->count[op->adds] = of->total;
    if (op->adds == META_SYMLINKS)
        m->target = meta_file(m, 0, 0).kind;
    if (op->writes)
        changed_bytes(m, op);
    if (op->writes)
        report_file_sizes(r->report, "data", m->path, m->count[META_FILES] * r->workers,
                          m->count[META_FILES] * r->workers * m->set.bytes * m->parts);
    if (op->call == PHASE_OP_RENAME)
        m->renamed = !m->renamed;
    if (op->call == PHASE_OP_CHMOD)
        m->mode = meta_next_mode(m);
    m->attribute += op->call == PHASE_OP_SETXATTR;
}

/* Checks results, and names that must be gone, or there, outside of the
 * measurement. */
static int check_all(struct run *r, const struct meta_step *step, int64_t total)
{
    const struct meta_op *op = step->op;
    struct work of = {.op = op, .item = op->check, .total = total, .untimed = true};
    if (!*step->checked || !r->verify)
        return 0;
    r->aside = r->samples_only = true;
    run_phase_begin(r, step->checked);
    run_lanes(r, go, &of);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    return rc;
}

int meta_do(struct run *r, void *what)
{
    const struct meta_step *step = what;
    const struct meta_op *op = step->op;
    struct meta *m = r->context;
    struct work of = {.op = op,
                      .item = op->item,
                      .total = op->makes ? m->tree.items : m->count[op->of],
                      .limit_s = op->makes ? m->set.run.time_s : 0};
    if (m->lacks[op->needs])
        return 0;
    run_phase_begin(r, step->name);
    int64_t by_limit = do_all(r, &of);
    if (op->changes)
        walk_sync_all(r);
    int rc = run_phase_end(r);
    rate(r, step->name, "limit_per_s", by_limit, m->set.run.time_s,
         "calls of all ranks by the limit of --time / its seconds");
    rc = rc ? rc : judge_counts(r, step->name, &of);
    if (rc)
        return rc;
    changed(r, &of);
    if (op->writes && (rc = ask_time(r, &m->until_ns)))
        return rc;
    return check_all(r, step, of.total);
}

/* ---- after the operations -------------------------------------------------------- */

/* Removes what is left in each worker's own directory. */
static void empty_tree(struct run *r, void *unused)
{
    const struct meta *m = r->context;
    char name[NAMES_SIZE];
    struct io_whole top = {.name = names_make(name, tree_name(m, r->worker, 0))};
    struct io_folder *d = NULL;
    (void)unused;
    if ((m->shared && r->worker) || io_whole_is_there(m->root, &top) <= 0)
        return;
    int rc = io_folder_enter(&d, m->root, name);
    rc = rc ? rc : io_folder_empty(d);
    io_folder_close(&d);
    run_fail(r, rc ? rc : io_folder_drop(m->root, &top));
}

int meta_put_away(struct run *r, int rc)
{
    struct meta *m = r->context;
    if (!m->root)
        return rc;
    if (!m->set.run.keep || rc)
        run_lanes(r, empty_tree, NULL);
    io_folder_close(&m->root);
    if (m->set.run.keep && !rc) {
        io_file_keep(r->world.comm, m->path);
        return 0;
    }
    int removed = io_file_remove(r->world.comm, m->path);
    return err_agree(r->world.comm, rc ? rc : r->failed ? r->failed : removed);
}
